// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_item.h"

#include "app/gui/picture_node.h"

#include <QQuickWindow>
#include <QSGImageNode>

namespace cocoonbox::app::gui {

namespace {

// The picture, and the pointer over it when there is one.
class LiveNode final : public QSGNode {
public:
    explicit LiveNode(QQuickWindow* window) : m_picture(PictureNode::create(window).release())
    {
        appendChildNode(m_picture);
    }

    PictureNode* picture() { return m_picture; }

    void setPointer(QQuickWindow* window, const QImage& shape, const QRectF& rect, bool shapeChanged)
    {
        if (rect.isEmpty()) {
            if (m_pointer) removeChildNode(m_pointer);
            delete std::exchange(m_pointer, nullptr);
            return;
        }
        if (!m_pointer || shapeChanged) {
            if (!m_pointer) appendChildNode(m_pointer = window->createImageNode());
            m_pointer->setOwnsTexture(true);
            m_pointer->setTexture(window->createTextureFromImage(shape, QQuickWindow::TextureHasAlphaChannel));
            m_pointer->setSourceRect(QRectF(QPointF(), shape.size()));
        }
        m_pointer->setRect(rect);
    }

private:
    PictureNode* m_picture;
    QSGImageNode* m_pointer = nullptr;
};

} // namespace

PictureItem::PictureItem(QQuickItem* parent) : QQuickItem(parent)
{
    setFlag(ItemHasContents);
}

void PictureItem::setScreen(ScreenModel* screen)
{
    if (screen == m_screen) return;
    ScreenModel* old = m_screen;
    if (old) old->disconnect(this);
    m_screen = screen;
    m_image = {};
    if (screen) {
        connect(screen, &ScreenModel::frameReady, this, &QQuickItem::polish);
        connect(screen, &ScreenModel::pictureChanged, this, &PictureItem::onPicture);
        connect(screen, &ScreenModel::pointerChanged, this, &PictureItem::onPointer);
        connect(screen, &ScreenModel::controlChanged, this, &PictureItem::onPointer);
        connect(screen, &ScreenModel::cursorChanged, this, [this] {
            m_pointerShapeChanged = true;
            onPointer();
        });
    }
    m_pointerShapeChanged = true;
    screenReplaced(old);
    polish();
    update();
    emit screenChanged();
}

qreal PictureItem::pixelRatio() const
{
    return window() ? window()->effectiveDevicePixelRatio() : 1;
}

void PictureItem::setZoom(int percent)
{
    if (percent == m_viewport.zoom()) return;
    m_viewport.setZoom(percent);
    emit zoomChanged();
    placeMoved();
}

void PictureItem::zoomAround(int percent, QPointF position)
{
    if (percent == m_viewport.zoom()) return;
    m_viewport.setZoom(percent, position * pixelRatio());
    emit zoomChanged();
    placeMoved();
}

QRectF PictureItem::visiblePart() const
{
    const QRectF place = m_viewport.place();
    if (place.isEmpty()) return {0, 0, 1, 1};
    const QRectF visible = m_viewport.visible();
    return {(visible.x() - place.x()) / place.width(), (visible.y() - place.y()) / place.height(),
            visible.width() / place.width(), visible.height() / place.height()};
}

void PictureItem::scrollTo(QPointF part)
{
    const QSize place = m_viewport.place().size();
    if (m_viewport.setOffset({static_cast<int>(std::lround(part.x() * place.width())),
                              static_cast<int>(std::lround(part.y() * place.height()))}))
        placeMoved();
}

bool PictureItem::pan(QPoint devicePixels)
{
    if (!m_viewport.pan(devicePixels)) return false;
    placeMoved();
    return true;
}

void PictureItem::placeMoved()
{
    update();
    emit placeChanged();
}

void PictureItem::updateView()
{
    m_viewport.setView(QSize(static_cast<int>(width() * pixelRatio()), static_cast<int>(height() * pixelRatio())));
    placeMoved();
}

// A new framebuffer is black where nothing has come yet; until it is whole the old picture says more.
bool PictureItem::keepsOldPicture(const rfb::Frame& frame)
{
    const bool another = frame.image.constBits() != m_image.constBits();
    if (m_image.isNull() || !another || frame.complete) {
        m_wholeBy.reset();
        return false;
    }
    if (!m_wholeBy) {
        m_wholeBy = QDeadlineTimer(kWholeMax);
        QTimer::singleShot(kWholeMax, this, &QQuickItem::polish);
    }
    return !m_wholeBy->hasExpired();
}

void PictureItem::updatePolish()
{
    if (!m_screen || !isVisible()) return;
    const rfb::Frame frame = m_screen->takeFrame();
    if (frame.image.isNull() || keepsOldPicture(frame)) return;
    m_image = frame.image;
    m_damage += frame.damage;
    if (m_image.size() != m_viewport.desktop()) {
        m_viewport.setDesktop(m_image.size());
        emit placeChanged();
    }
    update();
}

bool PictureItem::showsPointer() const
{
    return m_screen && m_screen->control() != ScreenModel::Control::Mine && m_screen->pointer() &&
           !m_screen->cursor().image.isNull();
}

QSGNode* PictureItem::updatePaintNode(QSGNode* old, UpdatePaintNodeData*)
{
    auto* node = static_cast<LiveNode*>(old);
    const QRect visible = m_viewport.visible();
    if (m_image.isNull() || visible.isEmpty()) {
        delete node;
        return nullptr;
    }
    if (!node) node = new LiveNode(window());
    node->picture()->sync({m_image, m_viewport.place(), visible, m_damage, pixelRatio()});
    m_damage.clear();
    QRectF pointer;
    if (showsPointer()) {
        const rfb::CursorShape& shape = m_screen->cursor();
        const QRect at(m_viewport.viewPoint(*m_screen->pointer()) - shape.hotSpot, shape.image.size());
        if (visible.intersects(at)) pointer = toLogical(at, pixelRatio());
    }
    node->setPointer(window(), m_screen ? m_screen->cursor().image : QImage(), pointer,
                     std::exchange(m_pointerShapeChanged, false));
    return node;
}

void PictureItem::onPointer()
{
    if (!m_image.isNull()) update();
}

void PictureItem::onPicture()
{
    if (m_screen->hasPicture() || m_image.isNull()) return;
    m_image = {};
    m_viewport.setDesktop({});
    placeMoved();
}

void PictureItem::geometryChange(const QRectF& geometry, const QRectF& old)
{
    QQuickItem::geometryChange(geometry, old);
    if (geometry.size() != old.size()) updateView();
}

void PictureItem::itemChange(ItemChange change, const ItemChangeData& value)
{
    QQuickItem::itemChange(change, value);
    if (change == ItemVisibleHasChanged && value.boolValue) polish();
    if (change == ItemDevicePixelRatioHasChanged || change == ItemSceneChange) updateView();
}

} // namespace cocoonbox::app::gui
