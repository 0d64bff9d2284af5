// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/protocol.h"

#include <QList>
#include <QtEndian>

namespace cocoonbox::app::rfb {

Result<void> checkDesktopSize(int width, int height)
{
    if (width < 1 || height < 1) return protocolFailure(QStringLiteral("a desktop without any pixels"));
    if (width > kDesktopEdgeMax || height > kDesktopEdgeMax || qint64(width) * height * 4 > kDesktopBytesMax)
        return limitFailure(
            QStringLiteral("a desktop of %1 x %2 pixels, more than this program takes").arg(width).arg(height));
    return {};
}

namespace message {

namespace {

class Message {
public:
    explicit Message(quint8 type) { u8(type); }
    Message& u8(quint8 value)
    {
        m_bytes.append(static_cast<char>(value));
        return *this;
    }
    Message& u16(int value) { return put(qToBigEndian(static_cast<quint16>(value))); }
    Message& u32(quint32 value) { return put(qToBigEndian(value)); }
    Message& pad(int count)
    {
        m_bytes.append(count, '\0');
        return *this;
    }
    Message& raw(QByteArrayView bytes)
    {
        m_bytes.append(bytes);
        return *this;
    }
    operator QByteArray() const { return m_bytes; }

private:
    template <class T>
    Message& put(T value)
    {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    QByteArray m_bytes;
};

} // namespace

QByteArray setPixelFormat()
{
    return Message(0).pad(3).u8(32).u8(24).u8(0).u8(1).u16(255).u16(255).u16(255).u8(16).u8(8).u8(0).pad(3);
}

QByteArray setEncodings(int jpegQuality, int compressLevel)
{
    QList<qint32> encodings{
        kTight,    kCopyRect,         kZrle,       kHextile,     kRaw,      kDesktopSize,          kExtendedDesktopSize,
        kLastRect, kAlphaCursor,      kRichCursor, kDesktopName, kQemuKeys, kExtendedMouseButtons, kExtendedClipboard,
        kFence,    kContinuousUpdates};
    encodings.append(kCompressLevel0 + std::clamp(compressLevel, 0, 9));
    if (jpegQuality >= 0) encodings.append(kJpegQuality0 + std::min(jpegQuality, 9));
    Message message(2);
    message.pad(1).u16(static_cast<int>(encodings.size()));
    for (const qint32 encoding : std::as_const(encodings))
        message.u32(static_cast<quint32>(encoding));
    return message;
}

QByteArray updateRequest(bool incremental, QSize size)
{
    return Message(3).u8(incremental).u16(0).u16(0).u16(size.width()).u16(size.height());
}

QByteArray enableContinuousUpdates(QSize size)
{
    return Message(150).u8(1).u16(0).u16(0).u16(size.width()).u16(size.height());
}

QByteArray fenceReply(quint32 flags, QByteArrayView payload)
{
    constexpr quint32 kBlockBefore = 1;
    constexpr quint32 kBlockAfter = 2;
    constexpr quint32 kSyncNext = 4;
    return Message(248)
        .pad(3)
        .u32(flags & (kBlockBefore | kBlockAfter | kSyncNext))
        .u8(static_cast<quint8>(payload.size()))
        .raw(payload);
}

QByteArray key(quint32 keysym, bool down)
{
    return Message(4).u8(down).pad(2).u32(keysym);
}

QByteArray qemuKey(quint32 keysym, quint32 xtScancode, bool down)
{
    return Message(255).u8(0).u16(down).u32(keysym).u32(xtScancode);
}

QByteArray pointer(QPoint position, quint16 buttons, bool extendedButtons)
{
    const auto low = static_cast<quint8>(buttons & 0x7f);
    if (!extendedButtons || buttons <= 0x7f) return Message(5).u8(low).u16(position.x()).u16(position.y());
    return Message(5).u8(low | 0x80).u16(position.x()).u16(position.y()).u8(static_cast<quint8>((buttons >> 7) & 3));
}

QByteArray setDesktopSize(QSize size, Screen screen)
{
    return Message(251)
        .pad(1)
        .u16(size.width())
        .u16(size.height())
        .u8(1)
        .pad(1)
        .u32(screen.id)
        .u16(0)
        .u16(0)
        .u16(size.width())
        .u16(size.height())
        .u32(screen.flags);
}

QByteArray cutText(QByteArrayView latin1)
{
    return Message(6).pad(3).u32(static_cast<quint32>(latin1.size())).raw(latin1);
}

QByteArray extendedCutText(QByteArrayView payload)
{
    return Message(6).pad(3).u32(static_cast<quint32>(-payload.size())).raw(payload);
}

} // namespace message

} // namespace cocoonbox::app::rfb
