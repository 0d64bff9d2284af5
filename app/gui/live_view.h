// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/held_input.h"
#include "app/gui/screen_model.h"

#include <QQuickItem>

namespace cocoonbox::app::gui {

// Shows a box's screen, as large as fits the item, and takes mouse and keyboard for it while the user is in control.
//
// - Watching sends nothing. In control every key goes to the box, also those that are shortcuts here; Ctrl, Alt and
//   Shift pressed together and let go hand back.
// - Nothing is drawn when nothing changed, and frames are not taken while the view is hidden.
// - The last picture stays while the screen is reached again.
class LiveView : public QQuickItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(cocoonbox::app::gui::ScreenModel* screen READ screen WRITE setScreen NOTIFY screenChanged FINAL)
public:
    explicit LiveView(QQuickItem* parent = nullptr);
    ~LiveView() override;

    ScreenModel* screen() const { return m_screen; }
    void setScreen(ScreenModel* screen);

    // Where the picture is, in device pixels of the item.
    QRect place() const;
    // The desktop pixel under a point of the item, kept inside the desktop.
    QPoint desktopPoint(QPointF position) const;

signals:
    void screenChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
    void updatePolish() override;
    void geometryChange(const QRectF& geometry, const QRectF& old) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseUngrabEvent() override;
    void hoverMoveEvent(QHoverEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    bool inControl() const { return m_screen && m_screen->control() == ScreenModel::Control::Mine; }
    void onControl();
    void onPicture();
    void releaseInput();
    void updateCursor();
    void updateKeyboardGrab();
    void pressButton(QMouseEvent* event, bool down);
    qreal pixelRatio() const;

    QPointer<ScreenModel> m_screen;
    QImage m_image;
    QList<QRect> m_damage; // since the last sync
    HeldInput m_held;
    WheelClicks m_wheel;
    EscapeChord m_chord;
    bool m_inControl = false;
    bool m_grabsKeyboard = false;
};

// The largest place for a desktop in an item, both in device pixels: centred, never distorted. A desktop that would
// grow by less than a quarter keeps its size, because sharp is better than slightly larger.
QRect placeOf(QSize desktop, QSize item);

} // namespace cocoonbox::app::gui
