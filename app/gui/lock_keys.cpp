// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/lock_keys.h"

#include <QKeyEvent>

namespace cocoonbox::app::gui {

namespace {

constexpr KeyStroke kCapsLock{0xffe5, 0x3a};
constexpr KeyStroke kNumLock{0xff7f, 0x45};
// X11's masks; Wayland's compositors use the same order of modifiers.
constexpr quint32 kXkbLock = 1 << 1;
constexpr quint32 kXkbMod2 = 1 << 4; // NumLock on every usual keyboard map
constexpr quint32 kMacCapsLock = 1 << 16;

bool differs(std::optional<bool> here, std::optional<bool> box)
{
    return here && box && *here != *box;
}

} // namespace

std::optional<Locks> locksHere(const QKeyEvent& event, KeySource source)
{
    const quint32 bits = event.nativeModifiers();
    switch (source) {
    case KeySource::XkbNative: return Locks{(bits & kXkbLock) != 0, (bits & kXkbMod2) != 0};
    case KeySource::MacNative: return Locks{(bits & kMacCapsLock) != 0, std::nullopt};
    case KeySource::QtOnly: break;
    }
    return std::nullopt;
}

Locks locksOfLeds(quint32 leds)
{
    return {(leds & 4) != 0, (leds & 2) != 0};
}

QList<KeyStroke> locksToTap(const Locks& here, const Locks& box, int qtKey)
{
    if (qtKey == Qt::Key_CapsLock || qtKey == Qt::Key_NumLock || qtKey == Qt::Key_ScrollLock) return {};
    QList<KeyStroke> taps;
    if (differs(here.caps, box.caps)) taps.append(kCapsLock);
    if (differs(here.num, box.num)) taps.append(kNumLock);
    return taps;
}

} // namespace cocoonbox::app::gui
