// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_view.h"

#include "app/gui/mac_keys.h"

#include <QCursor>
#include <QGuiApplication>
#include <QInputMethodEvent>
#include <QPixmap>
#include <QQuickWindow>

namespace cocoonbox::app::gui {

namespace {

using namespace std::chrono_literals;

constexpr int kEdgeBand = 24; // logical pixels in which the pointer pans
constexpr auto kEdgeTick = 16ms;
constexpr int kArrowPan = 64;

// X11 turns the wheel sideways while Alt is held.
QPoint deltaOf(const QWheelEvent& event)
{
    const bool turned =
        (event.modifiers() & Qt::AltModifier) && QGuiApplication::platformName() == QLatin1String("xcb");
    return wheelDelta(event.angleDelta(), event.pixelDelta(), turned);
}

QPoint arrowPan(int key)
{
    switch (key) {
    case Qt::Key_Left: return {-kArrowPan, 0};
    case Qt::Key_Right: return {kArrowPan, 0};
    case Qt::Key_Up: return {0, -kArrowPan};
    case Qt::Key_Down: return {0, kArrowPan};
    default: return {};
    }
}

} // namespace

LiveView::LiveView(QQuickItem* parent) : PictureItem(parent)
{
    setAcceptedMouseButtons(Qt::AllButtons);
    setActiveFocusOnTab(false); // the take-over button leads in, the chord leads out
    m_edgeTimer.setInterval(kEdgeTick);
    connect(&m_edgeTimer, &QTimer::timeout, this, &LiveView::panAtEdge);
}

LiveView::~LiveView()
{
    if (m_takesKeys && window()) window()->setKeyboardGrabEnabled(false);
    if (screen()) screen()->releaseAll();
}

void LiveView::screenReplaced(ScreenModel* old)
{
    m_held.releaseAll();
    m_chord.reset();
    if (old) old->releaseAll();
    if (screen()) {
        connect(screen(), &ScreenModel::controlChanged, this, &LiveView::onControl);
        connect(screen(), &ScreenModel::cursorChanged, this, &LiveView::updateCursor);
    }
    onControl();
}

void LiveView::itemChange(ItemChange change, const ItemChangeData& value)
{
    PictureItem::itemChange(change, value);
    if (change == ItemVisibleHasChanged && !value.boolValue) releaseInput();
    if (change == ItemDevicePixelRatioHasChanged) updateCursor();
}

void LiveView::onControl()
{
    const bool now = inControl();
    if (now == m_inControl) return;
    m_inControl = now;
    m_dragFrom.reset();
    m_edgeTimer.stop();
    setAcceptHoverEvents(now);
    setFlag(ItemAcceptsInputMethod, now);
    m_chord.reset();
    setComposed({});
    if (now)
        forceActiveFocus(Qt::OtherFocusReason);
    else
        m_held.releaseAll(); // the screen has released them at the far side
    updateKeyboard();
    updateCursor();
}

void LiveView::releaseInput()
{
    m_held.releaseAll();
    m_chord.reset();
    m_edgeTimer.stop();
    setComposed({});
    if (screen()) screen()->releaseAll();
    updateKeyboard();
}

// With the grab the keys of the window system come here too (Alt+Tab, the Super key).
void LiveView::updateKeyboard()
{
    const bool wanted = m_inControl && hasActiveFocus();
    if (!window() || wanted == m_takesKeys) return;
    m_takesKeys = wanted;
    window()->setKeyboardGrabEnabled(wanted);
    emit takesKeysChanged();
}

void LiveView::updateCursor()
{
    if (!inControl()) return unsetCursor();
    const rfb::CursorShape shape = screen()->cursor();
    if (shape.image.isNull()) return setCursor(Qt::BlankCursor);
    const qreal ratio = pixelRatio();
    QPixmap pixmap = QPixmap::fromImage(shape.image);
    pixmap.setDevicePixelRatio(ratio);
    setCursor(QCursor(pixmap, qRound(shape.hotSpot.x() / ratio), qRound(shape.hotSpot.y() / ratio)));
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

// The box's locks follow ours before a key is typed that depends on them.
void LiveView::sendLockKeys(const QKeyEvent& event)
{
    const auto here = locksHere(event, currentKeySource());
    if (!here || !screen()->locks()) return;
    const QList<KeyStroke> taps = locksToTap(*here, *screen()->locks(), event.key());
    for (const KeyStroke& tap : taps) {
        screen()->sendKey(tap.keysym, tap.xtCode, true);
        screen()->sendKey(tap.keysym, tap.xtCode, false);
    }
    if (!taps.isEmpty()) screen()->assumeLocks(*here);
}

std::optional<KeyStroke> LiveView::strokeOf(const QKeyEvent& event) const
{
    const KeySource source = currentKeySource();
    return source == KeySource::MacNative ? macKeyStroke(event, static_cast<MacKeys>(m_macKeys))
                                          : keyStroke(event, source);
}

void LiveView::keyPressEvent(QKeyEvent* event)
{
    if (!m_takesKeys) {
        const QPoint by = arrowPan(event->key());
        event->setAccepted(!by.isNull() && event->modifiers() == Qt::NoModifier && pan(by));
        return;
    }
    event->accept();
    const auto stroke = strokeOf(*event);
    if (const auto key = m_chord.press(event->key(), stroke ? stroke->xtCode : 0)) {
        m_held.releaseAll(); // the three were for us as well
        screen()->releaseAll();
        emit chordKeyPressed(*key);
        return;
    }
    if (!stroke) return;
    sendLockKeys(*event);
    if (const auto action = m_held.press(keyId(*event, currentKeySource()), *stroke))
        screen()->sendKey(action->stroke.keysym, action->stroke.xtCode, true);
}

void LiveView::keyReleaseEvent(QKeyEvent* event)
{
    if (!m_takesKeys) return event->ignore();
    event->accept();
    if (event->isAutoRepeat()) return; // a held key repeats as presses only
    if (const auto action = m_held.release(keyId(*event, currentKeySource())))
        screen()->sendKey(action->stroke.keysym, action->stroke.xtCode, false);
    // macOS tells of no key that comes up while Command is down.
    if (currentKeySource() == KeySource::MacNative && isCommandKey(*event))
        for (const KeyAction& action : m_held.releaseKeys())
            screen()->sendKey(action.stroke.keysym, action.stroke.xtCode, false);
    if (m_chord.release(event->key())) screen()->handBack();
}

void LiveView::setComposed(const QString& text)
{
    if (text == m_composed) return;
    m_composed = text;
    emit composedChanged();
}

void LiveView::inputMethodEvent(QInputMethodEvent* event)
{
    if (!inControl()) return event->ignore();
    setComposed(event->preeditString());
    if (!event->commitString().isEmpty()) screen()->sendText(event->commitString());
    event->accept();
}

QVariant LiveView::inputMethodQuery(Qt::InputMethodQuery query) const
{
    switch (query) {
    case Qt::ImEnabled: return m_inControl;
    case Qt::ImHints: return static_cast<int>(Qt::ImhNoPredictiveText | Qt::ImhMultiLine);
    case Qt::ImCursorRectangle: return QRectF(m_pointerAt, QSizeF(1, 20)); // where its window may open
    case Qt::ImSurroundingText: return QString();
    case Qt::ImCursorPosition: return 0;
    default: return QQuickItem::inputMethodQuery(query);
    }
}

void LiveView::movePointer(QPointF position)
{
    m_pointerAt = position;
    screen()->sendPointer(desktopPoint(position), m_held.buttons());
    const QPoint by = edgePan(position, size().toSize(), kEdgeBand);
    if (viewport().isPannable() && !by.isNull())
        m_edgeTimer.start();
    else
        m_edgeTimer.stop();
}

void LiveView::panAtEdge()
{
    const QPoint by = edgePan(m_pointerAt, size().toSize(), kEdgeBand);
    if (!inControl() || by.isNull() || !pan((QPointF(by) * pixelRatio()).toPoint())) return m_edgeTimer.stop();
    screen()->sendPointer(desktopPoint(m_pointerAt), m_held.buttons());
}

void LiveView::pressButton(QMouseEvent* event, bool down)
{
    if (down) forceActiveFocus(Qt::MouseFocusReason);
    const quint16 buttons = m_held.setButton(event->button(), down);
    screen()->sendPointer(desktopPoint(event->position()), buttons);
}

void LiveView::mousePressEvent(QMouseEvent* event)
{
    if (inControl()) return pressButton(event, true);
    if (event->button() != Qt::LeftButton || !viewport().isPannable()) return event->ignore();
    forceActiveFocus(Qt::MouseFocusReason);
    m_dragFrom = event->position();
    setCursor(Qt::ClosedHandCursor);
}

void LiveView::mouseReleaseEvent(QMouseEvent* event)
{
    if (inControl()) return pressButton(event, false);
    m_dragFrom.reset();
    updateCursor();
}

void LiveView::mouseDoubleClickEvent(QMouseEvent* event)
{
    event->accept(); // the press came as a press before
}

void LiveView::mouseMoveEvent(QMouseEvent* event)
{
    if (inControl()) return movePointer(event->position());
    if (!m_dragFrom) return;
    const QPoint by = ((*m_dragFrom - event->position()) * pixelRatio()).toPoint();
    m_dragFrom = event->position();
    pan(by);
}

void LiveView::hoverMoveEvent(QHoverEvent* event)
{
    if (!inControl()) return;
    m_held.keepButtons(QGuiApplication::mouseButtons()); // hovering with a button held is a release that was lost
    movePointer(event->position());
}

void LiveView::hoverLeaveEvent(QHoverEvent* event)
{
    QQuickItem::hoverLeaveEvent(event);
    m_edgeTimer.stop();
}

void LiveView::mouseUngrabEvent()
{
    m_dragFrom.reset();
    if (m_held.buttons() != 0) releaseInput();
}

void LiveView::watchWheel(QWheelEvent* event)
{
    const QPoint delta = deltaOf(*event);
    if (event->modifiers() & Qt::ControlModifier) {
        for (const quint16 click : m_wheel.add({0, delta.y()})) {
            const int percent = nextZoom(click == rfb::kWheelUp ? 1 : -1);
            zoomAround(percent, event->position());
            emit zoomWanted(percent);
        }
        return;
    }
    const QPointF by = event->pixelDelta().isNull() ? QPointF(delta) / 2 : QPointF(event->pixelDelta());
    event->setAccepted(pan((-by * pixelRatio()).toPoint()));
}

void LiveView::wheelEvent(QWheelEvent* event)
{
    if (event->phase() == Qt::ScrollBegin) m_wheel.reset();
    if (!inControl()) return watchWheel(event);
    const QPoint at = desktopPoint(event->position());
    for (const quint16 click : m_wheel.add(deltaOf(*event))) {
        screen()->sendPointer(at, m_held.buttons() | click);
        screen()->sendPointer(at, m_held.buttons());
    }
    event->accept();
}

void LiveView::focusInEvent(QFocusEvent* event)
{
    QQuickItem::focusInEvent(event);
    updateKeyboard();
}

void LiveView::focusOutEvent(QFocusEvent* event)
{
    QQuickItem::focusOutEvent(event);
    releaseInput();
}

} // namespace cocoonbox::app::gui
