// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/key_map.h"

#include <QList>

namespace cocoonbox::app::gui {

// Which locks are on; nothing where that is not known.
struct Locks {
    std::optional<bool> caps;
    std::optional<bool> num;
    bool operator==(const Locks&) const = default;
};

// What the event's native modifiers say of the locks of this computer, before the key.
std::optional<Locks> locksHere(const QKeyEvent& event, KeySource source);
// RFB's LED state (QEMU's): bit 0 scroll, 1 num, 2 caps.
Locks locksOfLeds(quint32 leds);

// The lock keys to tap in the box so that its locks are as here, before a key that is no lock itself.
QList<KeyStroke> locksToTap(const Locks& here, const Locks& box, int qtKey);

} // namespace cocoonbox::app::gui
