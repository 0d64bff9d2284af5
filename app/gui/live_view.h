// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/held_input.h"
#include "app/gui/lock_keys.h"
#include "app/gui/mac_keys.h"
#include "app/gui/picture_item.h"

namespace cocoonbox::app::gui {

// The live picture, and mouse and keyboard for the box while the user is in control.
//
// - Watching sends nothing: dragging and the wheel move the picture where it is larger than the view.
// - In control every key goes to the box, also those that are shortcuts here. Ctrl, Alt and Shift pressed together and
//   let go hand back; with the three held, the keys of `chord` are the app's.
// - What an input method commits is text, not keys.
// - Near the edges the pointer moves the picture, where that is larger than the view.
class LiveView : public PictureItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QString composed READ composed NOTIFY composedChanged FINAL)
    Q_PROPERTY(bool takesKeys READ takesKeys NOTIFY takesKeysChanged FINAL)
    Q_PROPERTY(int macKeys MEMBER m_macKeys NOTIFY macKeysChanged FINAL)
public:
    explicit LiveView(QQuickItem* parent = nullptr);
    ~LiveView() override;

    QString composed() const { return m_composed; } // what an input method has not committed yet
    // In control and with the keyboard's focus: what is typed goes to the box.
    bool takesKeys() const { return m_takesKeys; }

signals:
    void composedChanged();
    void takesKeysChanged();
    void macKeysChanged();
    void zoomWanted(int percent);
    void chordKeyPressed(cocoonbox::app::gui::chord::Key key);

protected:
    void screenReplaced(ScreenModel* old) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void inputMethodEvent(QInputMethodEvent* event) override;
    QVariant inputMethodQuery(Qt::InputMethodQuery query) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseUngrabEvent() override;
    void hoverMoveEvent(QHoverEvent* event) override;
    void hoverLeaveEvent(QHoverEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    bool inControl() const { return screen() && screen()->control() == ScreenModel::Control::Mine; }
    std::optional<KeyStroke> strokeOf(const QKeyEvent& event) const;
    void onControl();
    void releaseInput();
    void updateCursor();
    void updateKeyboard();
    void sendLockKeys(const QKeyEvent& event);
    void setComposed(const QString& text);
    void pressButton(QMouseEvent* event, bool down);
    void movePointer(QPointF position);
    void panAtEdge();
    void watchWheel(QWheelEvent* event);

    HeldInput m_held;
    WheelClicks m_wheel;
    EscapeChord m_chord;
    QString m_composed;
    QPointF m_pointerAt;
    std::optional<QPointF> m_dragFrom; // while watching
    QTimer m_edgeTimer;                // runs only while the pointer pans
    int m_macKeys = 0;                 // of MacKeys
    bool m_inControl = false;
    bool m_takesKeys = false;
};

} // namespace cocoonbox::app::gui
