// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/keyboard.h"

#include <QChar>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

xcb_extension_t g_xtest{"XTEST", 0};

constexpr quint32 kUnicodeKeysym = 0x01000000;
constexpr quint8 kFakeInput = 2;
constexpr int kKeysOfModifiers = 8; // Shift, Lock, Control, Mod1 to Mod5

// XTestFakeInput as it goes over the wire (XTEST protocol 2.2).
struct FakeInputRequest {
    quint32 header = 0;
    quint8 type = 0;
    quint8 detail = 0;
    quint16 pad = 0;
    quint32 time = 0;
    quint32 root = 0;
    quint8 rest[20] = {};
};
static_assert(sizeof(FakeInputRequest) == 36);

} // namespace

quint32 keysymOf(char32_t character)
{
    const bool isLatin1 = (character >= 0x20 && character <= 0x7e) || (character >= 0xa0 && character <= 0xff);
    if (isLatin1) return character;
    return character > 0xff ? kUnicodeKeysym + character : 0;
}

Result<Keyboard> Keyboard::open(XSession& session)
{
    if (!session.extension(&g_xtest)) return screenUnreachable();
    Keyboard keyboard(session);
    TRY_VOID(keyboard.readMap());
    return keyboard;
}

Result<void> Keyboard::readMap()
{
    xcb_connection_t* connection = m_session.connection();
    const xcb_setup_t* setup = xcb_get_setup(connection);
    const auto count = static_cast<quint8>(setup->max_keycode - setup->min_keycode + 1);
    const Reply<xcb_get_keyboard_mapping_reply_t> map(xcb_get_keyboard_mapping_reply(
        connection, xcb_get_keyboard_mapping(connection, setup->min_keycode, count), nullptr));
    if (!map) return screenUnreachable();
    const xcb_keysym_t* keysyms = xcb_get_keyboard_mapping_keysyms(map.get());
    for (int key = 0; key < count; ++key) {
        for (int level = 0; level < std::min<int>(map->keysyms_per_keycode, 2); ++level) {
            const xcb_keysym_t keysym = keysyms[key * map->keysyms_per_keycode + level];
            const Place place{static_cast<xcb_keycode_t>(setup->min_keycode + key), level == 1};
            if (keysym != XCB_NO_SYMBOL && !m_places.contains(keysym)) m_places.insert(keysym, place);
        }
    }
    const Reply<xcb_query_pointer_reply_t> state(
        xcb_query_pointer_reply(connection, xcb_query_pointer(connection, m_session.root()), nullptr));
    m_capsLock = state && (state->mask & XCB_MOD_MASK_LOCK);
    return {};
}

void Keyboard::fake(quint8 type, xcb_keycode_t code)
{
    FakeInputRequest request;
    request.type = type;
    request.detail = code;
    m_session.request(&g_xtest, kFakeInput, request);
}

void Keyboard::stroke(quint32 keysym, bool withShift)
{
    const Place place = m_places.value(keysym);
    const QChar letter = keysym <= 0xff ? QChar(static_cast<ushort>(keysym)) : QChar();
    const bool isSwapped = m_capsLock && letter.isLetter();
    const bool shift = withShift || place.shifted != isSwapped;
    const xcb_keycode_t shiftCode = m_places.value(kKeyShift).code;
    if (shift) fake(XCB_KEY_PRESS, shiftCode);
    fake(XCB_KEY_PRESS, place.code);
    fake(XCB_KEY_RELEASE, place.code);
    if (shift) fake(XCB_KEY_RELEASE, shiftCode);
}

void Keyboard::liftModifiers()
{
    xcb_connection_t* connection = m_session.connection();
    const Reply<xcb_query_keymap_reply_t> down(
        xcb_query_keymap_reply(connection, xcb_query_keymap(connection), nullptr));
    const Reply<xcb_get_modifier_mapping_reply_t> modifiers(
        xcb_get_modifier_mapping_reply(connection, xcb_get_modifier_mapping(connection), nullptr));
    if (!down || !modifiers) return;
    const xcb_keycode_t* codes = xcb_get_modifier_mapping_keycodes(modifiers.get());
    for (int at = 0; at < kKeysOfModifiers * modifiers->keycodes_per_modifier; ++at) {
        const xcb_keycode_t code = codes[at];
        if (code != 0 && (down->keys[code / 8] & (1 << (code % 8)))) fake(XCB_KEY_RELEASE, code);
    }
    m_session.sync();
}

} // namespace cocoonbox::agent::toolhost::desktop
