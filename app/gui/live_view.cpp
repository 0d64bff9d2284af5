// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_view.h"

#include "app/gui/picture_node.h"

#include <algorithm>
#include <QCursor>
#include <QPixmap>
#include <QQuickWindow>

namespace cocoonbox::app::gui {

namespace {

constexpr double kGrowthMin = 1.25;

// Keys are told apart by the key, not by what it types: with Shift let go first, "A" comes up as "a".
quint32 keyId(const QKeyEvent& event)
{
    return event.nativeScanCode() ? event.nativeScanCode() : 0x80000000u | static_cast<quint32>(event.key());
}

} // namespace

QRect placeOf(QSize desktop, QSize item)
{
    if (desktop.isEmpty() || item.isEmpty()) return {};
    double scale = std::min(static_cast<double>(item.width()) / desktop.width(),
                            static_cast<double>(item.height()) / desktop.height());
    if (scale > 1 && scale < kGrowthMin) scale = 1;
    const QSize size(std::max(1, static_cast<int>(std::lround(desktop.width() * scale))),
                     std::max(1, static_cast<int>(std::lround(desktop.height() * scale))));
    return QRect(QPoint((item.width() - size.width()) / 2, (item.height() - size.height()) / 2), size);
}

LiveView::LiveView(QQuickItem* parent) : QQuickItem(parent)
{
    setFlag(ItemHasContents);
    setAcceptedMouseButtons(Qt::AllButtons);
    setActiveFocusOnTab(false); // the take-over button leads in, the chord leads out
}

LiveView::~LiveView()
{
    if (m_grabsKeyboard && window()) window()->setKeyboardGrabEnabled(false);
    if (m_screen) m_screen->releaseAll();
}

void LiveView::setScreen(ScreenModel* screen)
{
    if (screen == m_screen) return;
    if (m_screen) {
        releaseInput();
        m_screen->disconnect(this);
    }
    m_screen = screen;
    m_image = {};
    if (screen) {
        connect(screen, &ScreenModel::frameReady, this, &QQuickItem::polish);
        connect(screen, &ScreenModel::pictureChanged, this, &LiveView::onPicture);
        connect(screen, &ScreenModel::controlChanged, this, &LiveView::onControl);
        connect(screen, &ScreenModel::cursorChanged, this, &LiveView::updateCursor);
    }
    polish();
    update();
    onControl();
    emit screenChanged();
}

qreal LiveView::pixelRatio() const
{
    return window() ? window()->effectiveDevicePixelRatio() : 1;
}

QRect LiveView::place() const
{
    return placeOf(m_image.size(),
                   QSize(static_cast<int>(width() * pixelRatio()), static_cast<int>(height() * pixelRatio())));
}

QPoint LiveView::desktopPoint(QPointF position) const
{
    const QRect at = place();
    if (at.isEmpty()) return {};
    const QPointF pixel = position * pixelRatio() - at.topLeft();
    const auto x = static_cast<int>(std::floor(pixel.x() * m_image.width() / at.width()));
    const auto y = static_cast<int>(std::floor(pixel.y() * m_image.height() / at.height()));
    return {std::clamp(x, 0, m_image.width() - 1), std::clamp(y, 0, m_image.height() - 1)};
}

void LiveView::updatePolish()
{
    if (!m_screen || !isVisible()) return;
    const rfb::Frame frame = m_screen->takeFrame();
    if (frame.image.isNull()) return;
    m_image = frame.image;
    m_damage += frame.damage;
    update();
}

QSGNode* LiveView::updatePaintNode(QSGNode* old, UpdatePaintNodeData*)
{
    auto* node = static_cast<PictureNode*>(old);
    if (m_image.isNull() || place().isEmpty()) {
        delete node;
        return nullptr;
    }
    if (!node) node = PictureNode::create(window()).release();
    node->sync({m_image, place(), m_damage, pixelRatio()});
    m_damage.clear();
    return node;
}

void LiveView::onPicture()
{
    if (m_screen->hasPicture() || m_image.isNull()) return;
    m_image = {};
    update();
}

void LiveView::geometryChange(const QRectF& geometry, const QRectF& old)
{
    QQuickItem::geometryChange(geometry, old);
    if (geometry.size() != old.size()) update();
}

void LiveView::itemChange(ItemChange change, const ItemChangeData& value)
{
    QQuickItem::itemChange(change, value);
    if (change == ItemVisibleHasChanged && value.boolValue) polish();
    if (change == ItemVisibleHasChanged && !value.boolValue) releaseInput();
    if (change == ItemDevicePixelRatioHasChanged) update();
}

void LiveView::onControl()
{
    const bool now = inControl();
    if (now == m_inControl) return;
    m_inControl = now;
    setAcceptHoverEvents(now);
    m_chord.reset();
    if (now)
        forceActiveFocus(Qt::OtherFocusReason);
    else
        m_held.releaseAll(); // the screen has released them at the far side
    updateKeyboardGrab();
    updateCursor();
}

void LiveView::releaseInput()
{
    m_held.releaseAll();
    m_chord.reset();
    if (m_screen) m_screen->releaseAll();
    updateKeyboardGrab();
}

void LiveView::updateKeyboardGrab()
{
    const bool wanted = m_inControl && hasActiveFocus();
    if (!window() || wanted == m_grabsKeyboard) return;
    m_grabsKeyboard = wanted;
    window()->setKeyboardGrabEnabled(wanted);
}

void LiveView::updateCursor()
{
    if (!inControl()) return unsetCursor();
    const rfb::CursorShape shape = m_screen->cursor();
    if (shape.image.isNull()) return setCursor(Qt::BlankCursor);
    QPixmap pixmap = QPixmap::fromImage(shape.image);
    pixmap.setDevicePixelRatio(pixelRatio());
    setCursor(QCursor(pixmap, shape.hotSpot.x(), shape.hotSpot.y()));
}

bool LiveView::event(QEvent* event)
{
    // In control our own shortcuts stand back: the key is the box's.
    if (event->type() == QEvent::ShortcutOverride && inControl()) {
        event->accept();
        return true;
    }
    return QQuickItem::event(event);
}

void LiveView::keyPressEvent(QKeyEvent* event)
{
    if (!inControl()) return event->ignore();
    m_chord.press(event->key());
    if (const auto stroke = keyStroke(*event, currentKeySource()))
        if (const auto action = m_held.press(keyId(*event), *stroke))
            m_screen->sendKey(action->stroke.keysym, action->stroke.xtCode, true);
    event->accept();
}

void LiveView::keyReleaseEvent(QKeyEvent* event)
{
    if (!inControl()) return event->ignore();
    event->accept();
    if (event->isAutoRepeat()) return; // a held key repeats as presses only
    if (const auto action = m_held.release(keyId(*event)))
        m_screen->sendKey(action->stroke.keysym, action->stroke.xtCode, false);
    if (m_chord.release(event->key())) m_screen->handBack();
}

void LiveView::pressButton(QMouseEvent* event, bool down)
{
    if (!inControl()) return event->ignore();
    if (down) forceActiveFocus(Qt::MouseFocusReason);
    m_screen->sendPointer(desktopPoint(event->position()), m_held.setButton(event->button(), down));
    event->accept();
}

void LiveView::mousePressEvent(QMouseEvent* event)
{
    pressButton(event, true);
}

void LiveView::mouseReleaseEvent(QMouseEvent* event)
{
    pressButton(event, false);
}

void LiveView::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept(); // the press came as a press before
}

void LiveView::mouseMoveEvent(QMouseEvent* event)
{
    if (inControl()) m_screen->sendPointer(desktopPoint(event->position()), m_held.buttons());
}

void LiveView::hoverMoveEvent(QHoverEvent* event)
{
    if (inControl()) m_screen->sendPointer(desktopPoint(event->position()), m_held.buttons());
}

void LiveView::mouseUngrabEvent()
{
    if (m_held.buttons() != 0) releaseInput();
}

void LiveView::wheelEvent(QWheelEvent* event)
{
    if (!inControl()) return event->ignore();
    const QPoint at = desktopPoint(event->position());
    for (const quint16 click : m_wheel.add(event->angleDelta())) {
        m_screen->sendPointer(at, m_held.buttons() | click);
        m_screen->sendPointer(at, m_held.buttons());
    }
    event->accept();
}

void LiveView::focusInEvent(QFocusEvent* event)
{
    QQuickItem::focusInEvent(event);
    updateKeyboardGrab();
}

void LiveView::focusOutEvent(QFocusEvent* event)
{
    QQuickItem::focusOutEvent(event);
    releaseInput();
}

} // namespace cocoonbox::app::gui
