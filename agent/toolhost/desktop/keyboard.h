// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/desktop/x_session.h"

#include <QHash>

namespace cocoonbox::agent::toolhost::desktop {

inline constexpr quint32 kKeyReturn = 0xff0d;
inline constexpr quint32 kKeyTab = 0xff09;
inline constexpr quint32 kKeyInsert = 0xff63;
inline constexpr quint32 kKeyShift = 0xffe1;

// The X keysym of a character; 0 for control characters.
quint32 keysymOf(char32_t character);

// The keyboard as the X server has it, pressed through XTEST. Keys that are on it are pressed; the map is never
// changed, since a program reads a changed map when it gets round to it, and types the wrong characters until then.
class Keyboard {
public:
    // Unavailable: SCREEN_UNREACHABLE, also when the server has no XTEST.
    static Result<Keyboard> open(XSession& session);

    bool has(quint32 keysym) const { return m_places.contains(keysym); }
    bool canType(char32_t character) const { return has(keysymOf(character)); }
    // One whole stroke, with Shift as the map wants it or as it is asked for. Nothing is sent before `flush`, so a
    // program that ends between two flushes leaves no key down.
    void stroke(quint32 keysym, bool withShift = false);
    void flush() { m_session.flush(); }
    // Lifts the modifiers that a person holds: they would turn text into shortcuts. They are not pressed again: a
    // person who has let go meanwhile would find them stuck.
    void liftModifiers();

private:
    struct Place {
        xcb_keycode_t code = 0;
        bool shifted = false;
    };
    explicit Keyboard(XSession& session) : m_session(session) {}
    Result<void> readMap();
    void fake(quint8 type, xcb_keycode_t code);

    XSession& m_session;
    QHash<quint32, Place> m_places;
    bool m_capsLock = false;
};

} // namespace cocoonbox::agent::toolhost::desktop
