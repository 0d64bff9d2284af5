// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_node.h"
#include "app/gui/picture_scaler.h"

#include <algorithm>
#include <QPainter>
#include <QQuickWindow>
#include <QSGRendererInterface>
#include <QSGRenderNode>
#include <vector>

namespace cocoonbox::app::gui {

namespace {

constexpr int kTile = 128; // small changes stay cheap, and a full frame has few tiles

bool touches(const QList<QRect>& damage, const QRect& tile)
{
    return std::ranges::any_of(damage, [&](const QRect& rect) { return rect.intersects(tile); });
}

// What the tiles share: an image that is shown pixel for pixel.
struct Surface {
    QQuickWindow* window = nullptr;
    QImage image;
    qreal ratio = 1;
};

class PaintTile final : public QSGRenderNode {
public:
    // `source` is in the surface's image, `target` in device pixels of the item.
    PaintTile(const Surface& surface, const QRect& source, const QRect& target)
        : m_surface(surface), m_source(source), m_target(target)
    {
    }

    QRectF rect() const override { return toLogical(m_target, m_surface.ratio); }
    RenderingFlags flags() const override { return BoundedRectRendering | OpaqueRendering; }
    StateFlags changedStates() const override { return {}; }
    const QRect& source() const { return m_source; }

    void render(const RenderState* state) override
    {
        const QSGRendererInterface* renderer = m_surface.window->rendererInterface();
        auto* painter =
            static_cast<QPainter*>(renderer->getResource(m_surface.window, QSGRendererInterface::PainterResource));
        if (!painter) return;
        // The clip is in window coordinates, so it is set before the transform.
        if (const QRegion* clip = state->clipRegion(); clip && !clip->isEmpty())
            painter->setClipRegion(*clip, Qt::ReplaceClip);
        painter->setOpacity(inheritedOpacity());
        // In device pixels: at a scale of 1.25 any other way filters or shifts by one.
        const QPointF corner = matrix()->toTransform().map(rect().topLeft()) * m_surface.ratio;
        painter->setTransform(QTransform::fromScale(1 / m_surface.ratio, 1 / m_surface.ratio));
        painter->drawImage(corner.toPoint(), m_surface.image, m_source);
    }

private:
    const Surface& m_surface;
    QRect m_source;
    QRect m_target;
};

class PaintedPicture final : public PictureNode {
public:
    explicit PaintedPicture(QQuickWindow* window) { m_surface.window = window; }
    ~PaintedPicture() override { removeTiles(); }

    void sync(const Picture& picture) override
    {
        const bool moved = picture.place != m_place || picture.visible != m_visible ||
                           !qFuzzyCompare(picture.devicePixelRatio, m_surface.ratio);
        const bool whole = moved || picture.image.size() != m_sourceSize || picture.image.constBits() != m_bits;
        m_sourceSize = picture.image.size();
        m_bits = picture.image.constBits();
        m_place = picture.place;
        m_visible = picture.visible;
        m_surface.ratio = picture.devicePixelRatio;
        const QList<QRect> source = whole ? QList<QRect>{picture.image.rect()} : picture.damage;
        const QList<QRect> changed = isSharp() ? share(picture.image, source) : scale(picture.image, source);
        if (moved || m_tiles.empty()) makeTiles();
        for (PaintTile* tile : m_tiles)
            if (touches(changed, tile->source())) tile->markDirty(QSGNode::DirtyMaterial);
    }

private:
    bool isSharp() const { return m_place.size() == m_sourceSize; }
    // Where the visible part begins in the place.
    QPoint origin() const { return m_visible.topLeft() - m_place.topLeft(); }

    QList<QRect> share(const QImage& image, const QList<QRect>& damage)
    {
        m_surface.image = image;
        return damage;
    }
    QList<QRect> scale(const QImage& image, const QList<QRect>& damage)
    {
        if (m_surface.image.size() != m_visible.size() || m_surface.image.constBits() == image.constBits())
            m_surface.image = QImage(m_visible.size(), QImage::Format_RGB32);
        m_scaler.setSizes(image.size(), m_place.size());
        QList<QRect> changed;
        for (const QRect& rect : damage) {
            const QRect part = m_scaler.targetOf(rect);
            m_scaler.scale(image, m_surface.image, part, origin());
            changed.append(part.translated(-origin()));
        }
        return changed;
    }
    void removeTiles()
    {
        for (PaintTile* tile : m_tiles) {
            removeChildNode(tile);
            delete tile;
        }
        m_tiles.clear();
    }
    void makeTiles()
    {
        removeTiles();
        const QPoint sourceAt = isSharp() ? origin() : QPoint();
        for (const QRect& tile : tilesOf(m_visible.size(), kTile)) {
            m_tiles.push_back(
                new PaintTile(m_surface, tile.translated(sourceAt), tile.translated(m_visible.topLeft())));
            appendChildNode(m_tiles.back());
        }
    }

    Surface m_surface;
    PictureScaler m_scaler;
    std::vector<PaintTile*> m_tiles;
    QSize m_sourceSize;
    const uchar* m_bits = nullptr;
    QRect m_place;
    QRect m_visible;
};

} // namespace

std::unique_ptr<PictureNode> makePaintedPicture(QQuickWindow* window)
{
    return std::make_unique<PaintedPicture>(window);
}

} // namespace cocoonbox::app::gui
