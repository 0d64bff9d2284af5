// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/held_input.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cocoonbox::app::gui {

namespace {

constexpr int kUnitsPerClick = 120;
constexpr int kUnitsPerPixel = 8; // a notch scrolls about fifteen pixels

quint16 buttonBit(Qt::MouseButton button)
{
    switch (button) {
    case Qt::LeftButton: return 1 << 0;
    case Qt::MiddleButton: return 1 << 1;
    case Qt::RightButton: return 1 << 2;
    case Qt::BackButton: return 1 << 7;
    case Qt::ForwardButton: return 1 << 8;
    default: return 0;
    }
}

constexpr int kWhole = 7; // the three bits of the chord

int chordBit(int qtKey)
{
    switch (qtKey) {
    case Qt::Key_Control: return 1;
    case Qt::Key_Alt: return 2;
    case Qt::Key_Meta: return 2; // Alt pressed while Shift is held is Meta on X11
    case Qt::Key_Shift: return 4;
    default: return 0;
    }
}

} // namespace

std::optional<KeyAction> HeldInput::press(quint32 keyId, KeyStroke stroke)
{
    const auto held = std::ranges::find(m_keys, keyId, &Held::keyId);
    if (held != m_keys.end()) return KeyAction{held->stroke, true};
    if (m_keys.size() >= kHeldKeysMax) return std::nullopt;
    m_keys.append({keyId, stroke});
    return KeyAction{stroke, true};
}

std::optional<KeyAction> HeldInput::release(quint32 keyId)
{
    const auto held = std::ranges::find(m_keys, keyId, &Held::keyId);
    if (held == m_keys.end()) return std::nullopt;
    const KeyAction action{held->stroke, false};
    m_keys.erase(held);
    return action;
}

quint16 HeldInput::setButton(Qt::MouseButton button, bool down)
{
    const quint16 bit = buttonBit(button);
    m_buttons = static_cast<quint16>(down ? m_buttons | bit : m_buttons & ~bit);
    return m_buttons;
}

bool HeldInput::keepButtons(Qt::MouseButtons down)
{
    const quint16 before = m_buttons;
    for (const Qt::MouseButton button :
         {Qt::LeftButton, Qt::MiddleButton, Qt::RightButton, Qt::BackButton, Qt::ForwardButton})
        if (!(down & button)) setButton(button, false);
    return m_buttons != before;
}

QList<KeyAction> HeldInput::releaseKeys()
{
    QList<KeyAction> actions;
    while (!m_keys.isEmpty())
        actions.append({m_keys.takeLast().stroke, false});
    return actions;
}

QList<KeyAction> HeldInput::releaseAll()
{
    m_buttons = 0;
    return releaseKeys();
}

QList<quint16> WheelClicks::add(QPoint angleDelta)
{
    m_rest += angleDelta;
    QList<quint16> clicks;
    const auto take = [&clicks](int& rest, quint16 forward, quint16 backward) {
        const int count = std::min(std::abs(rest) / kUnitsPerClick, kClicksMax);
        for (int i = 0; i < count; ++i)
            clicks.append(rest > 0 ? forward : backward);
        rest %= kUnitsPerClick;
    };
    take(m_rest.ry(), 1 << 3, 1 << 4);
    take(m_rest.rx(), 1 << 5, 1 << 6);
    return clicks;
}

QPoint wheelDelta(QPoint angleDelta, QPoint pixelDelta, bool turnedSideways)
{
    const QPoint delta = angleDelta.isNull() ? pixelDelta * kUnitsPerPixel : angleDelta;
    return turnedSideways ? delta.transposed() : delta;
}

namespace chord {

std::optional<Key> keyOf(int qtKey, quint32 xtCode)
{
    switch (xtCode) {
    case 0x57: return Key::FullScreen;
    case 0x0b: return Key::Fit;
    case 0x02: return Key::FullSize;
    case 0x0d:
    case 0x4e: return Key::ZoomIn;
    case 0x0c:
    case 0x4a: return Key::ZoomOut;
    default: break;
    }
    switch (qtKey) {
    case Qt::Key_F11: return Key::FullScreen;
    case Qt::Key_S: return Key::Statistics;
    case Qt::Key_V: return Key::TypeClipboard;
    default: break;
    }
    if (xtCode != 0) return std::nullopt;
    switch (qtKey) {
    case Qt::Key_0:
    case Qt::Key_ParenRight: return Key::Fit;
    case Qt::Key_1:
    case Qt::Key_Exclam: return Key::FullSize;
    case Qt::Key_Plus:
    case Qt::Key_Equal: return Key::ZoomIn;
    case Qt::Key_Minus:
    case Qt::Key_Underscore: return Key::ZoomOut;
    default: return std::nullopt;
    }
}

} // namespace chord

std::optional<chord::Key> EscapeChord::press(int qtKey, quint32 xtCode)
{
    const int bit = chordBit(qtKey);
    const bool held = m_down == kWhole && bit == 0;
    m_down |= bit;
    m_armed = bit != 0 && m_down == kWhole;
    return held ? chord::keyOf(qtKey, xtCode) : std::nullopt;
}

bool EscapeChord::release(int qtKey)
{
    const int bit = chordBit(qtKey);
    m_down &= ~bit;
    return bit != 0 && std::exchange(m_armed, false);
}

void EscapeChord::reset()
{
    m_down = 0;
    m_armed = false;
}

} // namespace cocoonbox::app::gui
