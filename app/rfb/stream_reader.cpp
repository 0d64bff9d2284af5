// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/stream_reader.h"

#include <cstring>
#include <QtEndian>

namespace cocoonbox::app::rfb {

Result<void> StreamReader::waitForMessage()
{
    if (m_begin < m_end) return {};
    m_begin = m_end = 0;
    TRY_ASSIGN(m_end, m_stream.read(m_buffer.data(), static_cast<qsizetype>(m_buffer.size()), ByteStream::kNoLimit));
    return {};
}

std::chrono::milliseconds StreamReader::patience() const
{
    using namespace std::chrono;
    if (!m_deadline) return kSilenceMax;
    const auto left = duration_cast<milliseconds>(*m_deadline - steady_clock::now());
    return std::clamp(left, milliseconds(0), milliseconds(kSilenceMax));
}

Result<qsizetype> StreamReader::fetch(char* to, qsizetype capacity)
{
    const auto limit = patience();
    qsizetype got = 0;
    if (limit.count() > 0) {
        TRY_ASSIGN(got, m_stream.read(to, capacity, limit));
    }
    if (got == 0)
        return fail(ErrorCode::DeadlineExceeded,
                    QStringLiteral("The box's screen stopped in the middle of a message. Connect again."),
                    QStringLiteral("RFB_STALLED"));
    return got;
}

Result<void> StreamReader::read(void* to, qsizetype size)
{
    char* out = static_cast<char*>(to);
    while (size > 0) {
        if (m_begin < m_end) {
            const qsizetype part = std::min(size, m_end - m_begin);
            std::memcpy(out, m_buffer.data() + m_begin, static_cast<size_t>(part));
            m_begin += part;
            out += part;
            size -= part;
            continue;
        }
        const auto buffered = static_cast<qsizetype>(m_buffer.size());
        if (size >= buffered) { // straight to where it belongs
            TRY_ASSIGN(const qsizetype got, fetch(out, size));
            out += got;
            size -= got;
            continue;
        }
        m_begin = m_end = 0;
        TRY_ASSIGN(m_end, fetch(m_buffer.data(), buffered));
    }
    return {};
}

Result<QByteArray> StreamReader::bytes(qsizetype size)
{
    QByteArray out(size, Qt::Uninitialized);
    TRY_VOID(read(out.data(), size));
    return out;
}

Result<void> StreamReader::skip(qint64 size)
{
    char waste[4096];
    while (size > 0) {
        const auto part = static_cast<qsizetype>(std::min<qint64>(size, sizeof waste));
        TRY_VOID(read(waste, part));
        size -= part;
    }
    return {};
}

Result<quint8> StreamReader::u8()
{
    quint8 value = 0;
    TRY_VOID(read(&value, 1));
    return value;
}

Result<quint16> StreamReader::u16()
{
    quint16 value = 0;
    TRY_VOID(read(&value, sizeof value));
    return qFromBigEndian(value);
}

Result<quint32> StreamReader::u32()
{
    quint32 value = 0;
    TRY_VOID(read(&value, sizeof value));
    return qFromBigEndian(value);
}

} // namespace cocoonbox::app::rfb
