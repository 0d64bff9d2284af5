// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/rect_decoder.h"

#include "app/rfb/protocol.h"

#include <cstring>
#include <QtEndian>
#include <rfb/rfbclient.h>

namespace {

char kDecoderTag;

} // namespace

// These two replace libvncclient's socket layer for the whole program, so no other code in it may use the library.
// ELF only; where symbols are bound to their library, the library has to be built with a read hook instead.
extern "C" rfbBool ReadFromRFBServer(rfbClient* client, char* out, unsigned int size)
{
    using cocoonbox::app::rfb::RectDecoder;
    auto* decoder = static_cast<RectDecoder*>(rfbClientGetClientData(client, &kDecoderTag));
    return decoder && decoder->provide(out, size) ? TRUE : FALSE;
}

// The decoders ask for the next update by themselves; the engine does that, so it goes nowhere.
extern "C" rfbBool WriteToRFBServer(rfbClient*, const char*, unsigned int)
{
    return TRUE;
}

namespace cocoonbox::app::rfb {

namespace {

void silence(const char*, ...) {}

} // namespace

void RectDecoder::Close::operator()(_rfbClient* client) const
{
    client->frameBuffer = nullptr;
    rfbClientCleanup(client);
}

RectDecoder::RectDecoder(StreamReader& reader) : m_reader(reader)
{
    rfbEnableClientLogging = FALSE;
    rfbClientLog = silence;
    rfbClientErr = silence;
    m_client.reset(rfbGetClient(8, 3, 4));
    if (!m_client) qFatal("out of memory");
    m_client->format.redShift = 16;
    m_client->format.greenShift = 8;
    m_client->format.blueShift = 0;
    m_client->sock = RFB_INVALID_SOCKET;
    rfbClientSetClientData(m_client.get(), &kDecoderTag, this);
}

RectDecoder::~RectDecoder() = default;

void RectDecoder::setFramebuffer(std::shared_ptr<Framebuffer> framebuffer)
{
    m_framebuffer = std::move(framebuffer);
    m_client->frameBuffer = m_framebuffer->row(0);
    m_client->width = m_framebuffer->size().width();
    m_client->height = m_framebuffer->size().height();
}

bool RectDecoder::provide(char* out, unsigned size)
{
    const qsizetype ahead = std::min<qsizetype>(size, m_ahead.size() - m_aheadTaken);
    std::memcpy(out, m_ahead.constData() + m_aheadTaken, static_cast<size_t>(ahead));
    m_aheadTaken += ahead;
    const Result<void> rest = m_reader.read(out + ahead, static_cast<qsizetype>(size) - ahead);
    if (!rest) m_failure = rest.error();
    return rest.has_value();
}

Result<void> RectDecoder::decode(const QRect& rect, qint32 encoding)
{
    switch (encoding) {
    case kRaw: return decodeRaw(rect);
    case kCopyRect: return decodeCopyRect(rect);
    case kHextile: return rect.isEmpty() ? Result<void>() : decodeByLibrary(rect, encoding);
    case kTight:
    case kZrle: return decodeByLibrary(rect, encoding);
    default: return protocolFailure(QStringLiteral("a picture in an encoding that was not offered (%1)").arg(encoding));
    }
}

Result<void> RectDecoder::decodeRaw(const QRect& rect)
{
    const qsizetype rowBytes = qsizetype(rect.width()) * 4;
    for (int y = rect.y(); y < rect.y() + rect.height(); ++y)
        TRY_VOID(m_reader.read(m_framebuffer->row(y) + qsizetype(rect.x()) * 4, rowBytes));
    return {};
}

Result<void> RectDecoder::decodeCopyRect(const QRect& rect)
{
    TRY_ASSIGN(const int fromX, m_reader.u16());
    TRY_ASSIGN(const int fromY, m_reader.u16());
    const QSize size = m_framebuffer->size();
    if (fromX + rect.width() > size.width() || fromY + rect.height() > size.height())
        return protocolFailure(QStringLiteral("a copy from outside the desktop"));
    const bool upwards = fromY < rect.y(); // rows that overlap are moved before they are overwritten
    for (int i = 0; i < rect.height(); ++i) {
        const int row = upwards ? rect.height() - 1 - i : i;
        std::memmove(m_framebuffer->row(rect.y() + row) + qsizetype(rect.x()) * 4,
                     m_framebuffer->row(fromY + row) + qsizetype(fromX) * 4, static_cast<size_t>(rect.width()) * 4);
    }
    return {};
}

// Reads the first bytes of the rectangle's content and refuses what the library does not bound itself.
Result<void> RectDecoder::checkAhead(const QRect& rect, qint32 encoding)
{
    const qint64 pixels = qint64(rect.width()) * rect.height();
    if (encoding == kTight) {
        TRY_ASSIGN(const quint8 control, m_reader.u8());
        m_ahead.append(static_cast<char>(control));
        constexpr int kWithoutZlib = 0x0a;
        const int kind = control >> 4;
        if ((kind & kWithoutZlib) == kWithoutZlib && pixels * 4 > RFB_BUFFER_SIZE)
            return limitFailure(QStringLiteral("an uncompressed picture larger than it may be"));
    }
    if (encoding == kZrle) {
        TRY_ASSIGN(const quint32 length, m_reader.u32());
        const quint32 raw = qToBigEndian(length);
        m_ahead.append(reinterpret_cast<const char*>(&raw), sizeof raw);
        if (length > pixels * 8 + 64 * 1024)
            return limitFailure(QStringLiteral("a compressed picture larger than the picture itself"));
    }
    return {};
}

Result<void> RectDecoder::decodeByLibrary(const QRect& rect, qint32 encoding)
{
    struct {
        quint8 type = 0; // an update …
        quint8 padding = 0;
        quint16 rects = qToBigEndian<quint16>(1); // … of this one rectangle
        quint16 x, y, width, height;
        qint32 encoding;
    } header;
    static_assert(sizeof header == 16);
    header.x = qToBigEndian(static_cast<quint16>(rect.x()));
    header.y = qToBigEndian(static_cast<quint16>(rect.y()));
    header.width = qToBigEndian(static_cast<quint16>(rect.width()));
    header.height = qToBigEndian(static_cast<quint16>(rect.height()));
    header.encoding = qToBigEndian(encoding);
    m_ahead = QByteArray(reinterpret_cast<const char*>(&header), sizeof header);
    m_aheadTaken = 0;
    m_failure.reset();
    TRY_VOID(checkAhead(rect, encoding));
    if (HandleRFBServerMessage(m_client.get())) return {};
    if (m_failure) return std::unexpected(*m_failure);
    return protocolFailure(QStringLiteral("a picture that cannot be decoded"));
}

} // namespace cocoonbox::app::rfb
