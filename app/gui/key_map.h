// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <optional>
#include <QString>
#include <Qt>

class QKeyEvent;

namespace cocoonbox::app::gui {

// One physical key as RFB names it: the X keysym it produces, and its XT scan code where the platform tells (0: not
// known). A scan code with the 0xe0 prefix has the high bit set, as the QEMU extended key message wants it.
struct KeyStroke {
    quint32 keysym = 0;
    quint32 xtCode = 0;
    bool operator==(const KeyStroke&) const = default;
};

// Where a key event's native fields come from. On X11 and Wayland they are an evdev code + 8 and a keysym, on macOS a
// virtual key code (mac_keys.h); elsewhere only Qt's own key and text are used.
enum class KeySource { XkbNative, MacNative, QtOnly };
KeySource currentKeySource();

// Tells keys of one keyboard apart, by the key and not by what it types: with Shift let go first, "A" comes up as "a".
quint32 keyId(const QKeyEvent& event, KeySource source);
// Nothing for a key that RFB has no name for.
std::optional<KeyStroke> keyStroke(const QKeyEvent& event, KeySource source);

quint32 keysymOfCharacter(char32_t character);
// Prefers the text of printable keys; 0 where there is no keysym.
quint32 keysymOfQtKey(int key, const QString& text, Qt::KeyboardModifiers modifiers);
quint32 xtCodeOfEvdev(quint32 evdevCode);

} // namespace cocoonbox::app::gui
