// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/key_map.h"

#include <QList>
#include <QObject>
#include <QPoint>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

struct KeyAction {
    KeyStroke stroke;
    bool down = false;
    bool operator==(const KeyAction&) const = default;
};

// What the far side holds down because of us. Invariant: every key that went down comes up with the same keysym, even
// when a modifier changed in between, and `releaseAll` leaves nothing held. Pure; keys are told apart by `keyId`, the
// platform's scan code or, where it has none, Qt's key.
class HeldInput {
public:
    static constexpr int kHeldKeysMax = 32;

    // Auto-repeat sends the key down again, as a keyboard does. Nothing when too many keys are held.
    std::optional<KeyAction> press(quint32 keyId, KeyStroke stroke);
    // Nothing for a key that is not held: its press went elsewhere.
    std::optional<KeyAction> release(quint32 keyId);

    // RFB's mask: bit 0 left, 1 middle, 2 right, 7 back, 8 forward.
    quint16 setButton(Qt::MouseButton button, bool down);
    quint16 buttons() const { return m_buttons; }
    bool isIdle() const { return m_keys.isEmpty() && m_buttons == 0; }

    // A button that is not down in truth comes up: its release was lost. True when one did.
    bool keepButtons(Qt::MouseButtons down);

    // Keys last pressed are released first.
    QList<KeyAction> releaseKeys();
    // Buttons are up afterwards as well.
    QList<KeyAction> releaseAll();

private:
    struct Held {
        quint32 keyId;
        KeyStroke stroke;
    };
    QList<Held> m_keys;
    quint16 m_buttons = 0;
};

// Turns wheel deltas into clicks of RFB's wheel buttons; 120 units are one click and the rest is kept for the next.
class WheelClicks {
public:
    static constexpr int kClicksMax = 16; // of one event: a broken device cannot flood the box

    // Button bits to press and release in turn: bit 3 up, 4 down, 5 left, 6 right.
    QList<quint16> add(QPoint angleDelta);
    void reset() { m_rest = {}; } // a new gesture begins

private:
    QPoint m_rest;
};

// What a wheel event turned, in the units of `angleDelta`. A device that tells pixels only is understood, and X11's
// habit of turning the wheel sideways while Alt is held is undone: the box decides what Alt means.
QPoint wheelDelta(QPoint angleDelta, QPoint pixelDelta, bool turnedSideways);

// The keys of the app while the user is in control, pressed with the chord held.
namespace chord {
Q_NAMESPACE
QML_NAMED_ELEMENT(Chord)
enum class Key { FullScreen, Fit, FullSize, ZoomIn, ZoomOut, Statistics, TypeClipboard };
Q_ENUM_NS(Key)
// By the physical key where it is known, because Shift is held: Shift+1 is "!" here and "+" there.
std::optional<Key> keyOf(int qtKey, quint32 xtCode);
} // namespace chord

// Ctrl, Alt and Shift held together are the app's: let go with no other key in between they hand control back, and the
// keys of `chord` do what they say. As all three are modifiers, pressing them alone does nothing on the far side.
class EscapeChord {
public:
    // The app's key, when it is one; any other goes to the box.
    std::optional<chord::Key> press(int qtKey, quint32 xtCode = 0);
    // True when this release completes the chord.
    bool release(int qtKey);
    void reset();

private:
    int m_down = 0;
    bool m_armed = false;
};

} // namespace cocoonbox::app::gui
