// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/mac_keys.h"

#include <algorithm>
#include <array>
#include <QKeyEvent>

namespace cocoonbox::app::gui {

namespace {

constexpr KeyStroke kShift{0xffe1, 0x2a};
constexpr KeyStroke kControl{0xffe3, 0x1d};
constexpr KeyStroke kRightControl{0xffe4, 0x9d};
constexpr KeyStroke kAlt{0xffe9, 0x38};
constexpr KeyStroke kThirdLevel{0xfe03, 0xb8};
constexpr KeyStroke kSuper{0xffeb, 0xdb};
constexpr KeyStroke kCapsLock{0xffe5, 0x3a};

struct MacKey {
    quint8 code;  // Events.h: kVK_…
    quint8 xt;    // 0x80 stands for the 0xe0 prefix
    quint8 plain; // what the key types on a US keyboard; 0: nothing
    quint8 shifted;
};

// clang-format off
constexpr auto kMacKeys = std::to_array<MacKey>({
    {0x00, 0x1e, 'a', 'A'}, {0x01, 0x1f, 's', 'S'}, {0x02, 0x20, 'd', 'D'}, {0x03, 0x21, 'f', 'F'},
    {0x04, 0x23, 'h', 'H'}, {0x05, 0x22, 'g', 'G'}, {0x06, 0x2c, 'z', 'Z'}, {0x07, 0x2d, 'x', 'X'},
    {0x08, 0x2e, 'c', 'C'}, {0x09, 0x2f, 'v', 'V'}, {0x0a, 0x56, '<', '>'}, {0x0b, 0x30, 'b', 'B'},
    {0x0c, 0x10, 'q', 'Q'}, {0x0d, 0x11, 'w', 'W'}, {0x0e, 0x12, 'e', 'E'}, {0x0f, 0x13, 'r', 'R'},
    {0x10, 0x15, 'y', 'Y'}, {0x11, 0x14, 't', 'T'}, {0x12, 0x02, '1', '!'}, {0x13, 0x03, '2', '@'},
    {0x14, 0x04, '3', '#'}, {0x15, 0x05, '4', '$'}, {0x16, 0x07, '6', '^'}, {0x17, 0x06, '5', '%'},
    {0x18, 0x0d, '=', '+'}, {0x19, 0x0a, '9', '('}, {0x1a, 0x08, '7', '&'}, {0x1b, 0x0c, '-', '_'},
    {0x1c, 0x09, '8', '*'}, {0x1d, 0x0b, '0', ')'}, {0x1e, 0x1b, ']', '}'}, {0x1f, 0x18, 'o', 'O'},
    {0x20, 0x16, 'u', 'U'}, {0x21, 0x1a, '[', '{'}, {0x22, 0x17, 'i', 'I'}, {0x23, 0x19, 'p', 'P'},
    {0x25, 0x26, 'l', 'L'}, {0x26, 0x24, 'j', 'J'}, {0x27, 0x28, '\'', '"'}, {0x28, 0x25, 'k', 'K'},
    {0x29, 0x27, ';', ':'}, {0x2a, 0x2b, '\\', '|'}, {0x2b, 0x33, ',', '<'}, {0x2c, 0x35, '/', '?'},
    {0x2d, 0x31, 'n', 'N'}, {0x2e, 0x32, 'm', 'M'}, {0x2f, 0x34, '.', '>'}, {0x32, 0x29, '`', '~'},
    {0x24, 0x1c, 0, 0}, {0x30, 0x0f, 0, 0}, {0x31, 0x39, ' ', ' '}, {0x33, 0x0e, 0, 0}, {0x35, 0x01, 0, 0},
    {0x41, 0x53, 0, 0}, {0x43, 0x37, 0, 0}, {0x45, 0x4e, 0, 0}, {0x47, 0x45, 0, 0}, {0x4b, 0xb5, 0, 0},
    {0x4c, 0x9c, 0, 0}, {0x4e, 0x4a, 0, 0}, {0x51, 0x59, 0, 0}, {0x52, 0x52, 0, 0}, {0x53, 0x4f, 0, 0},
    {0x54, 0x50, 0, 0}, {0x55, 0x51, 0, 0}, {0x56, 0x4b, 0, 0}, {0x57, 0x4c, 0, 0}, {0x58, 0x4d, 0, 0},
    {0x59, 0x47, 0, 0}, {0x5b, 0x48, 0, 0}, {0x5c, 0x49, 0, 0}, {0x5d, 0x7d, 0, 0}, {0x5e, 0x73, 0, 0},
    {0x60, 0x3f, 0, 0}, {0x61, 0x40, 0, 0}, {0x62, 0x41, 0, 0}, {0x63, 0x3d, 0, 0}, {0x64, 0x42, 0, 0},
    {0x65, 0x43, 0, 0}, {0x67, 0x57, 0, 0}, {0x6d, 0x44, 0, 0}, {0x6f, 0x58, 0, 0}, {0x72, 0xd2, 0, 0},
    {0x73, 0xc7, 0, 0}, {0x74, 0xc9, 0, 0}, {0x75, 0xd3, 0, 0}, {0x76, 0x3e, 0, 0}, {0x77, 0xcf, 0, 0},
    {0x78, 0x3c, 0, 0}, {0x79, 0xd1, 0, 0}, {0x7a, 0x3b, 0, 0}, {0x7b, 0xcb, 0, 0}, {0x7c, 0xcd, 0, 0},
    {0x7d, 0xd0, 0, 0}, {0x7e, 0xc8, 0, 0},
});
// clang-format on

std::optional<KeyStroke> modifier(int qtKey, MacKeys keys)
{
    switch (qtKey) {
    case Qt::Key_Shift: return kShift;
    case Qt::Key_CapsLock: return kCapsLock;
    case Qt::Key_Meta: return keys == MacKeys::CommandIsControl ? kRightControl : kControl;
    case Qt::Key_Alt: return keys == MacKeys::OptionTypes ? kThirdLevel : kAlt;
    case Qt::Key_Control:
        return keys == MacKeys::CommandIsControl ? kControl : keys == MacKeys::CommandIsSuper ? kSuper : kAlt;
    default: return std::nullopt;
    }
}

} // namespace

bool isCommandKey(const QKeyEvent& event)
{
    return event.key() == Qt::Key_Control;
}

std::optional<KeyStroke> macKeyStroke(const QKeyEvent& event, MacKeys keys)
{
    if (const auto stroke = modifier(event.key(), keys)) return stroke;
    const auto found = std::ranges::find(kMacKeys, event.nativeVirtualKey(), &MacKey::code);
    KeyStroke stroke;
    if (found != kMacKeys.end()) {
        stroke.xtCode = found->xt;
        Qt::KeyboardModifiers letters = Qt::ControlModifier | Qt::MetaModifier;
        if (keys != MacKeys::OptionTypes) letters |= Qt::AltModifier;
        if (event.modifiers() & letters)
            stroke.keysym = event.modifiers() & Qt::ShiftModifier ? found->shifted : found->plain;
    }
    if (stroke.keysym == 0) stroke.keysym = keysymOfQtKey(event.key(), event.text(), event.modifiers());
    if (stroke.keysym == 0) return std::nullopt;
    return stroke;
}

} // namespace cocoonbox::app::gui
