// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/handshake.h"

#include "app/rfb/protocol.h"

namespace cocoonbox::app::rfb {

namespace {

constexpr auto kHandshakeMax = std::chrono::seconds(10);
constexpr quint8 kSecurityNone = 1;

Result<void> send(ByteStream& stream, QByteArrayView bytes)
{
    if (stream.write(bytes)) return {};
    return fail(ErrorCode::Unavailable, QStringLiteral("The connection to the box's screen was closed."),
                QStringLiteral("SCREEN_CLOSED"));
}

// The server's own words are shown as text only, without what could pass for a terminal's commands.
Result<QString> readText(StreamReader& reader, quint32 sizeMax)
{
    TRY_ASSIGN(const quint32 size, reader.u32());
    if (size > sizeMax) return limitFailure(QStringLiteral("a text of %1 bytes").arg(size));
    TRY_ASSIGN(const QByteArray bytes, reader.bytes(size));
    QString text = QString::fromUtf8(bytes);
    text.removeIf([](QChar c) { return !c.isPrint(); });
    return text;
}

Result<int> readVersion(StreamReader& reader)
{
    TRY_ASSIGN(const QByteArray banner, reader.bytes(12));
    if (!banner.startsWith("RFB 003.") || banner[11] != '\n')
        return protocolFailure(QStringLiteral("something that is not RFB"));
    bool ok = false;
    const int minor = banner.sliced(8, 3).toInt(&ok);
    if (!ok) return protocolFailure(QStringLiteral("a version that cannot be read"));
    return minor >= 8 ? 8 : minor >= 7 ? 7 : 3;
}

Result<void> refused(StreamReader& reader)
{
    TRY_ASSIGN(const QString why, readText(reader, kNameBytesMax));
    return fail(ErrorCode::Unavailable, QStringLiteral("The box's screen refused the connection: %1").arg(why),
                QStringLiteral("RFB_REFUSED"));
}

Result<void> wantsPassword()
{
    return fail(ErrorCode::Unauthenticated,
                QStringLiteral("The box's screen server asks for a password; it must be set up without one."),
                QStringLiteral("RFB_AUTH"));
}

Result<void> agreeOnSecurity(StreamReader& reader, ByteStream& stream, int minor)
{
    if (minor == 3) {
        TRY_ASSIGN(const quint32 type, reader.u32());
        if (type == 0) return refused(reader);
        return type == kSecurityNone ? Result<void>() : wantsPassword();
    }
    TRY_ASSIGN(const quint8 count, reader.u8());
    if (count == 0) return refused(reader);
    TRY_ASSIGN(const QByteArray types, reader.bytes(count));
    if (!types.contains(static_cast<char>(kSecurityNone))) return wantsPassword();
    const char choice = kSecurityNone;
    TRY_VOID(send(stream, QByteArrayView(&choice, 1)));
    if (minor < 8) return {};
    TRY_ASSIGN(const quint32 outcome, reader.u32());
    return outcome == 0 ? Result<void>() : refused(reader);
}

} // namespace

Result<ServerInit> shakeHands(StreamReader& reader, ByteStream& stream, bool shared)
{
    reader.setDeadline(std::chrono::steady_clock::now() + kHandshakeMax);
    TRY_ASSIGN(const int minor, readVersion(reader));
    TRY_VOID(send(stream, QStringLiteral("RFB 003.00%1\n").arg(minor).toLatin1()));
    TRY_VOID(agreeOnSecurity(reader, stream, minor));
    const char share = shared ? 1 : 0;
    TRY_VOID(send(stream, QByteArrayView(&share, 1)));

    TRY_ASSIGN(const int width, reader.u16());
    TRY_ASSIGN(const int height, reader.u16());
    TRY_VOID(reader.skip(16)); // its own pixel format: ours is used
    TRY_VOID(checkDesktopSize(width, height));
    TRY_ASSIGN(const QString name, readText(reader, kNameBytesMax));
    reader.setDeadline(std::nullopt);
    TRY_VOID(send(stream, message::setPixelFormat()));
    return ServerInit{QSize(width, height), name};
}

} // namespace cocoonbox::app::rfb
