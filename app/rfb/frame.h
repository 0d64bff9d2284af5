// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QImage>
#include <QList>
#include <QPoint>
#include <QRect>

namespace cocoonbox::app::rfb {

// What changed since the frame before. `image` shares the memory the decoder writes into (no copy): it is
// Format_RGB32 and may change while it is looked at, as the next update is decoded; the change is then in the next
// frame's damage. After a desktop resize it is another image, all of it damaged.
struct Frame {
    QImage image;
    QList<QRect> damage;   // inside the image, not overlapping much; at most kDamageRectsMax
    bool complete = false; // every pixel has come at least once since the desktop has this size
};
inline constexpr qsizetype kDamageRectsMax = 32;

struct CursorShape {
    QImage image; // Format_ARGB32_Premultiplied; null: the box hides its cursor
    QPoint hotSpot;
};

// Bits of the button mask of a pointer event (RFC 6143 §7.5.5; back and forward by the extended-mouse extension).
enum PointerButton : quint16 {
    kButtonLeft = 1 << 0,
    kButtonMiddle = 1 << 1,
    kButtonRight = 1 << 2,
    kWheelUp = 1 << 3,
    kWheelDown = 1 << 4,
    kWheelLeft = 1 << 5,
    kWheelRight = 1 << 6,
    kButtonBack = 1 << 7,
    kButtonForward = 1 << 8,
};

} // namespace cocoonbox::app::rfb
