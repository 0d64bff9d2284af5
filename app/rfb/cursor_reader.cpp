// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/cursor_reader.h"

#include "app/rfb/protocol.h"

namespace cocoonbox::app::rfb {

namespace {

Result<void> checkCursor(const QRect& header)
{
    if (header.width() > kCursorEdgeMax || header.height() > kCursorEdgeMax)
        return limitFailure(
            QStringLiteral("a mouse cursor of %1 x %2 pixels").arg(header.width()).arg(header.height()));
    return {};
}

// A hot spot outside the shape would put clicks elsewhere than the picture says.
QPoint hotSpotIn(const QRect& header)
{
    return {std::clamp(header.x(), 0, std::max(0, header.width() - 1)),
            std::clamp(header.y(), 0, std::max(0, header.height() - 1))};
}

} // namespace

Result<CursorShape> readAlphaCursor(StreamReader& reader, const QRect& header)
{
    TRY_VOID(checkCursor(header));
    TRY_ASSIGN(const quint32 encoding, reader.u32());
    if (static_cast<qint32>(encoding) != kRaw)
        return protocolFailure(QStringLiteral("a mouse cursor in an encoding that was not offered"));
    TRY_ASSIGN(const QByteArray rgba, reader.bytes(qsizetype(header.width()) * header.height() * 4));
    if (header.isEmpty()) return CursorShape{};
    QImage shape(header.size(), QImage::Format_ARGB32_Premultiplied);
    const auto* from = reinterpret_cast<const uchar*>(rgba.constData());
    for (int y = 0; y < shape.height(); ++y) {
        auto* to = reinterpret_cast<QRgb*>(shape.scanLine(y));
        for (int x = 0; x < shape.width(); ++x, from += 4) {
            const int alpha = from[3];
            to[x] = qRgba(std::min<int>(from[0], alpha), std::min<int>(from[1], alpha), std::min<int>(from[2], alpha),
                          alpha);
        }
    }
    return CursorShape{shape, hotSpotIn(header)};
}

Result<CursorShape> readRichCursor(StreamReader& reader, const QRect& header)
{
    TRY_VOID(checkCursor(header));
    const int maskStride = (header.width() + 7) / 8;
    TRY_ASSIGN(const QByteArray pixels, reader.bytes(qsizetype(header.width()) * header.height() * 4));
    TRY_ASSIGN(const QByteArray mask, reader.bytes(qsizetype(maskStride) * header.height()));
    if (header.isEmpty()) return CursorShape{};
    QImage shape(header.size(), QImage::Format_ARGB32_Premultiplied);
    const auto* from = reinterpret_cast<const uchar*>(pixels.constData());
    for (int y = 0; y < shape.height(); ++y) {
        auto* to = reinterpret_cast<QRgb*>(shape.scanLine(y));
        for (int x = 0; x < shape.width(); ++x, from += 4) {
            const bool opaque = mask[y * maskStride + x / 8] & (0x80 >> (x % 8));
            to[x] = opaque ? qRgb(from[2], from[1], from[0]) : 0;
        }
    }
    return CursorShape{shape, hotSpotIn(header)};
}

} // namespace cocoonbox::app::rfb
