// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_item.h"

#include "app/gui/picture_node.h"

#include <cmath>
#include <QQuickWindow>
#include <QSGImageNode>

namespace cocoonbox::app::gui {

namespace {

constexpr double kWhole = 1e-3; // device pixels this near to a whole one are it

// The picture, and the pointer over it when there is one.
class LiveNode final : public QSGTransformNode {
public:
    explicit LiveNode(QQuickWindow* window) : m_picture(PictureNode::create(window).release())
    {
        appendChildNode(m_picture);
    }

    void moveTo(QPointF corner)
    {
        QMatrix4x4 matrix;
        matrix.translate(static_cast<float>(corner.x()), static_cast<float>(corner.y()));
        if (matrix != this->matrix()) setMatrix(matrix);
    }
    PictureNode* picture() { return m_picture; }

    void setPointer(QQuickWindow* window, const QImage& shape, const QRectF& rect, bool shapeChanged)
    {
        if (rect.isEmpty()) {
            if (m_pointer) removeChildNode(m_pointer);
            delete std::exchange(m_pointer, nullptr);
            return;
        }
        const bool isNew = !m_pointer;
        if (isNew) m_pointer = window->createImageNode();
        if (isNew || shapeChanged) {
            m_pointer->setOwnsTexture(true);
            m_pointer->setTexture(window->createTextureFromImage(shape, QQuickWindow::TextureHasAlphaChannel));
            m_pointer->setSourceRect(QRectF(QPointF(), shape.size()));
        }
        m_pointer->setRect(rect);
        if (isNew) appendChildNode(m_pointer); // the software renderer looks into it at once
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
    m_viewport.setZoom(percent, toDevice(position));
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

// Where the item is in the window decides where whole pixels begin, and only its ancestors know when that changes.
void PictureItem::watchPlace()
{
    for (const QMetaObject::Connection& connection : std::exchange(m_ancestors, {}))
        disconnect(connection);
    for (QQuickItem* item = parentItem(); item; item = item->parentItem()) {
        m_ancestors.append(connect(item, &QQuickItem::xChanged, this, &PictureItem::updateView));
        m_ancestors.append(connect(item, &QQuickItem::yChanged, this, &PictureItem::updateView));
    }
    updateView();
}

void PictureItem::placeMoved()
{
    update();
    emit placeChanged();
}

void PictureItem::updateView()
{
    const QPointF corner = mapToScene({}) * pixelRatio();
    // Some slack, or a corner that is whole but for rounding loses a pixel.
    m_inset = QPointF(std::ceil(corner.x() - kWhole), std::ceil(corner.y() - kWhole)) - corner;
    const QSizeF room = QSizeF(width(), height()) * pixelRatio();
    m_viewport.setView(QSize(static_cast<int>(std::floor(room.width() - m_inset.x() + kWhole)),
                             static_cast<int>(std::floor(room.height() - m_inset.y() + kWhole))));
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
    if (!frame.damage.isEmpty()) ++m_counters.framesTaken;
    for (const QRect& rect : frame.damage)
        m_counters.pixelsChanged += qint64(rect.width()) * rect.height();
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
    node->moveTo(m_inset / pixelRatio());
    node->picture()->sync({m_image, m_viewport.place(), visible, m_damage, pixelRatio()});
    if (!m_damage.isEmpty()) ++m_counters.framesShown;
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
    if (geometry != old) updateView();
}

void PictureItem::itemChange(ItemChange change, const ItemChangeData& value)
{
    QQuickItem::itemChange(change, value);
    if (change == ItemVisibleHasChanged && value.boolValue) polish();
    if (change == ItemSceneChange || change == ItemParentHasChanged) watchPlace();
    if (change == ItemDevicePixelRatioHasChanged) updateView();
}

} // namespace cocoonbox::app::gui
