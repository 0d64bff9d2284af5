// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QByteArray>
#include <QPoint>
#include <QSize>

// RFB's numbers (RFC 6143 and the community's protocol description) and our messages to the server.
namespace cocoonbox::app::rfb {

inline constexpr int kDesktopEdgeMax = 16384;
inline constexpr qint64 kDesktopBytesMax = 256LL * 1024 * 1024;
inline constexpr int kCursorEdgeMax = 1024;
inline constexpr qsizetype kClipboardBytesMax = 1024 * 1024;
inline constexpr quint32 kCutTextBytesMax = 64 * 1024 * 1024; // more than this is an attack, not a clipboard
inline constexpr quint32 kNameBytesMax = 64 * 1024;

enum Encoding : qint32 {
    kRaw = 0,
    kCopyRect = 1,
    kHextile = 5,
    kTight = 7,
    kZrle = 16,
    kDesktopSize = -223,
    kLastRect = -224,
    kRichCursor = -239,
    kCompressLevel0 = -256, // to -247
    kQemuKeys = -258,
    kJpegQuality0 = -32, // to -23
    kDesktopName = -307,
    kExtendedDesktopSize = -308,
    kFence = -312,
    kContinuousUpdates = -313,
    kAlphaCursor = -314,
    kExtendedMouseButtons = -316,
    kExtendedClipboard = static_cast<qint32>(0xC0A1E5CE),
};

enum ServerMessage : quint8 {
    kFramebufferUpdate = 0,
    kSetColourMap = 1,
    kBell = 2,
    kServerCutText = 3,
    kEndOfContinuousUpdates = 150,
    kServerFence = 248,
};

struct Screen {
    quint32 id = 0;
    quint32 flags = 0;
};

// The server broke the protocol; `what` completes "The box's screen sent …".
inline auto protocolFailure(const QString& what)
{
    return fail(ErrorCode::DataLoss, QStringLiteral("The box's screen sent %1; the connection was closed.").arg(what),
                QStringLiteral("RFB_PROTOCOL"));
}
inline auto limitFailure(const QString& what)
{
    return fail(ErrorCode::ResourceExhausted,
                QStringLiteral("The box's screen sent %1; the connection was closed.").arg(what),
                QStringLiteral("RFB_LIMIT"));
}

// Whether a desktop of this size is taken.
Result<void> checkDesktopSize(int width, int height);

namespace message {

QByteArray setPixelFormat(); // 32 bit, BGRX in memory: QImage::Format_RGB32
QByteArray setEncodings(int jpegQuality, int compressLevel);
QByteArray updateRequest(bool incremental, QSize size);
QByteArray enableContinuousUpdates(QSize size);
QByteArray fenceReply(quint32 flags, QByteArrayView payload);
QByteArray key(quint32 keysym, bool down);
QByteArray qemuKey(quint32 keysym, quint32 xtScancode, bool down);
QByteArray pointer(QPoint position, quint16 buttons, bool extendedButtons);
QByteArray setDesktopSize(QSize size, Screen screen);
QByteArray cutText(QByteArrayView latin1);
QByteArray extendedCutText(QByteArrayView payload);

} // namespace message

} // namespace cocoonbox::app::rfb
