// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/held_input.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace cocoonbox::app::gui {

namespace {

constexpr int kUnitsPerClick = 120;

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

QList<KeyAction> HeldInput::releaseAll()
{
    QList<KeyAction> actions;
    while (!m_keys.isEmpty())
        actions.append({m_keys.takeLast().stroke, false});
    m_buttons = 0;
    return actions;
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

void EscapeChord::press(int qtKey)
{
    const int bit = chordBit(qtKey);
    m_down |= bit;
    m_armed = bit != 0 && m_down == 7;
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
