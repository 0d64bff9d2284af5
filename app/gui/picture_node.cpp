// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_node.h"

#include "app/gui/picture_scaler.h"

#include <algorithm>
#include <QPainter>
#include <QQuickWindow>
#include <QSGImageNode>
#include <QSGRendererInterface>
#include <QSGRenderNode>
#include <vector>

namespace cocoonbox::app::gui {

namespace {

constexpr int kPaintTile = 128; // small changes stay cheap, and a full frame has few tiles
constexpr int kTextureTile = 256;

std::vector<QRect> tilesOf(QSize size, int edge)
{
    std::vector<QRect> tiles;
    for (int y = 0; y < size.height(); y += edge)
        for (int x = 0; x < size.width(); x += edge)
            tiles.push_back(QRect(x, y, edge, edge) & QRect(QPoint(), size));
    return tiles;
}

bool touches(const QList<QRect>& damage, const QRect& tile)
{
    return std::ranges::any_of(damage, [&](const QRect& rect) { return rect.intersects(tile); });
}

QRectF logical(const QRect& pixels, qreal ratio)
{
    return QRectF(pixels.x() / ratio, pixels.y() / ratio, pixels.width() / ratio, pixels.height() / ratio);
}

// What the paint tiles share: an image that is shown pixel for pixel.
struct Surface {
    QQuickWindow* window = nullptr;
    QImage image;
};

class PaintTile final : public QSGRenderNode {
public:
    PaintTile(const Surface& surface, const QRect& source, const QRectF& target)
        : m_surface(surface), m_source(source), m_target(target)
    {
    }

    QRectF rect() const override { return m_target; }
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
        painter->setTransform(matrix()->toTransform());
        painter->setOpacity(inheritedOpacity());
        painter->drawImage(m_target, m_surface.image, m_source);
    }

private:
    const Surface& m_surface;
    QRect m_source;
    QRectF m_target;
};

class PaintedPictureNode final : public PictureNode {
public:
    explicit PaintedPictureNode(QQuickWindow* window) { m_surface.window = window; }
    ~PaintedPictureNode() override { removeTiles(); }

    void sync(const Picture& picture) override
    {
        const bool moved = picture.place != m_place || picture.devicePixelRatio != m_ratio;
        const bool whole = moved || picture.image.size() != m_sourceSize || picture.image.constBits() != m_bits;
        m_sourceSize = picture.image.size();
        m_bits = picture.image.constBits();
        m_place = picture.place;
        m_ratio = picture.devicePixelRatio;
        const QList<QRect> source = whole ? QList<QRect>{picture.image.rect()} : picture.damage;
        const QList<QRect> changed =
            m_place.size() == m_sourceSize ? share(picture.image, source) : scale(picture.image, source);
        if (moved || m_tiles.empty()) makeTiles();
        for (PaintTile* tile : m_tiles)
            if (touches(changed, tile->source())) tile->markDirty(QSGNode::DirtyMaterial);
    }

private:
    QList<QRect> share(const QImage& image, const QList<QRect>& damage)
    {
        m_surface.image = image;
        return damage;
    }
    QList<QRect> scale(const QImage& image, const QList<QRect>& damage)
    {
        if (m_surface.image.size() != m_place.size() || m_surface.image.constBits() == image.constBits())
            m_surface.image = QImage(m_place.size(), QImage::Format_RGB32);
        m_scaler.setSizes(image.size(), m_place.size());
        QList<QRect> changed;
        for (const QRect& rect : damage) {
            changed.append(m_scaler.targetOf(rect));
            m_scaler.scale(image, m_surface.image, changed.last());
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
        for (const QRect& source : tilesOf(m_place.size(), kPaintTile)) {
            m_tiles.push_back(new PaintTile(m_surface, source, logical(source.translated(m_place.topLeft()), m_ratio)));
            appendChildNode(m_tiles.back());
        }
    }

    Surface m_surface;
    PictureScaler m_scaler;
    std::vector<PaintTile*> m_tiles;
    QSize m_sourceSize;
    const uchar* m_bits = nullptr;
    QRect m_place;
    qreal m_ratio = 0;
};

// A tile's texture holds one pixel more on each side, so that filtering shows no seam between tiles.
class TexturePictureNode final : public PictureNode {
public:
    explicit TexturePictureNode(QQuickWindow* window) : m_window(window) {}

    void sync(const Picture& picture) override
    {
        const bool whole = picture.image.size() != m_size;
        const bool moved = whole || picture.place != m_place || picture.devicePixelRatio != m_ratio;
        m_size = picture.image.size();
        m_place = picture.place;
        m_ratio = picture.devicePixelRatio;
        if (whole) makeTiles();
        const bool sharp = m_place.size() == m_size;
        for (const Tile& tile : m_tiles) {
            if (whole || touches(picture.damage, tile.source)) upload(tile, picture.image);
            if (!moved) continue;
            tile.node->setRect(target(tile.source));
            tile.node->setFiltering(sharp ? QSGTexture::Nearest : QSGTexture::Linear);
        }
    }

private:
    struct Tile {
        QRect source;
        QSGImageNode* node;
    };
    void makeTiles()
    {
        for (const Tile& tile : m_tiles) {
            removeChildNode(tile.node);
            delete tile.node;
        }
        m_tiles.clear();
        for (const QRect& source : tilesOf(m_size, kTextureTile)) {
            QSGImageNode* node = m_window->createImageNode();
            node->setOwnsTexture(true);
            m_tiles.push_back({source, node});
            appendChildNode(node);
        }
    }
    void upload(const Tile& tile, const QImage& image)
    {
        const QRect part = tile.source.adjusted(-1, -1, 1, 1) & image.rect();
        tile.node->setTexture(m_window->createTextureFromImage(image.copy(part), QQuickWindow::TextureIsOpaque));
        tile.node->setSourceRect(tile.source.translated(-part.topLeft()));
    }
    QRectF target(const QRect& source) const
    {
        const qreal x = static_cast<qreal>(m_place.width()) / m_size.width();
        const qreal y = static_cast<qreal>(m_place.height()) / m_size.height();
        return QRectF((m_place.x() + source.x() * x) / m_ratio, (m_place.y() + source.y() * y) / m_ratio,
                      source.width() * x / m_ratio, source.height() * y / m_ratio);
    }

    QQuickWindow* m_window;
    std::vector<Tile> m_tiles;
    QSize m_size;
    QRect m_place;
    qreal m_ratio = 0;
};

} // namespace

std::unique_ptr<PictureNode> PictureNode::create(QQuickWindow* window)
{
    if (window->rendererInterface()->graphicsApi() == QSGRendererInterface::Software)
        return std::make_unique<PaintedPictureNode>(window);
    return std::make_unique<TexturePictureNode>(window);
}

} // namespace cocoonbox::app::gui
