// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/own_io.h"

#include "agent/toolhost/port/own_program.h"

#include <cerrno>
#include <QJsonDocument>
#include <QtEndian>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

Result<void> FramedInput::fill(char* into, size_t size) const
{
    while (size > 0) {
        const ssize_t n = ::read(m_fd, into, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return fail(ErrorCode::Aborted, u"The content was broken off before it was whole. Send it again."_s,
                        u"INPUT_BROKEN"_s);
        into += n;
        size -= static_cast<size_t>(n);
    }
    return {};
}

Result<QByteArray> FramedInput::next()
{
    char header[4];
    TRY_VOID(fill(header, sizeof header));
    const auto size = static_cast<qsizetype>(qFromLittleEndian<quint32>(header));
    if (size > port::kInputFrameBytesMax)
        return fail(ErrorCode::Aborted, u"A piece of the content is larger than agreed."_s, u"INPUT_BROKEN"_s);
    QByteArray bytes(size, Qt::Uninitialized);
    TRY_VOID(fill(bytes.data(), static_cast<size_t>(size)));
    return bytes;
}

Result<QByteArray> FramedInput::whole(qsizetype bytesMax, const QString& reason)
{
    QByteArray content;
    for (;;) {
        TRY_ASSIGN(const QByteArray bytes, next());
        if (bytes.isEmpty()) return content;
        content += bytes;
        if (content.size() > bytesMax)
            return fail(ErrorCode::ResourceExhausted,
                        u"The content is larger than %1 KiB, which is the limit."_s.arg(bytesMax / 1024), reason);
    }
}

bool writeAll(int fd, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t n = ::write(fd, bytes.data(), static_cast<size_t>(bytes.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.sliced(n);
    }
    return true;
}

bool writeLine(int fd, const QJsonObject& object)
{
    return writeAll(fd, QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
}

} // namespace cocoonbox::agent::toolhost::own
