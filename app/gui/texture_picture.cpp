// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/frame_texture.h"
#include "app/gui/picture_node.h"

#include <QQuickWindow>
#include <QSGImageNode>
#include <vector>

namespace cocoonbox::app::gui {

namespace {

constexpr int kPart = 4096; // every device takes textures of this size; a larger desktop is several

// A part's texture holds one pixel more on each side, so that filtering shows no seam between parts.
class TexturePicture final : public PictureNode {
public:
    explicit TexturePicture(QQuickWindow* window) : m_window(window) {}
    ~TexturePicture() override { removeParts(); }

    void sync(const Picture& picture) override
    {
        const bool another = picture.image.size() != m_size;
        const bool whole = another || picture.image.constBits() != m_bits;
        m_size = picture.image.size();
        m_bits = picture.image.constBits();
        if (another) makeParts();
        const QList<QRect> damage = whole ? QList<QRect>{picture.image.rect()} : picture.damage;
        for (const Part& part : m_parts) {
            if (part.texture->setFrame(picture.image, damage)) part.node->markDirty(QSGNode::DirtyMaterial);
            place(part, picture);
        }
    }

private:
    struct Part {
        QRect source; // of the image
        QSGImageNode* node;
        FrameTexture* texture; // the node's
    };
    void removeParts()
    {
        for (const Part& part : m_parts) {
            removeChildNode(part.node);
            delete part.node;
        }
        m_parts.clear();
    }
    void makeParts()
    {
        removeParts();
        for (const QRect& source : tilesOf(m_size, kPart)) {
            auto* texture = new FrameTexture(source.adjusted(-1, -1, 1, 1) & QRect(QPoint(), m_size));
            QSGImageNode* node = m_window->createImageNode();
            node->setTexture(texture);
            node->setOwnsTexture(true);
            m_parts.push_back({source, node, texture});
            appendChildNode(node);
        }
    }
    // Only what is visible is drawn, so that nothing is drawn outside of the item.
    void place(const Part& part, const Picture& picture)
    {
        const double x = static_cast<double>(picture.place.width()) / m_size.width();
        const double y = static_cast<double>(picture.place.height()) / m_size.height();
        const QRectF whole(picture.place.x() + part.source.x() * x, picture.place.y() + part.source.y() * y,
                           part.source.width() * x, part.source.height() * y);
        const QRectF shown = whole & QRectF(picture.visible);
        const QRectF source((shown.x() - picture.place.x()) / x - part.texture->part().x(),
                            (shown.y() - picture.place.y()) / y - part.texture->part().y(), shown.width() / x,
                            shown.height() / y);
        const bool repeats =
            picture.place.width() % m_size.width() == 0 && picture.place.height() % m_size.height() == 0;
        part.node->setRect(toLogical(shown, picture.devicePixelRatio));
        part.node->setSourceRect(source);
        part.node->setFiltering(repeats ? QSGTexture::Nearest : QSGTexture::Linear);
    }

    QQuickWindow* m_window;
    std::vector<Part> m_parts;
    QSize m_size;
    const uchar* m_bits = nullptr;
};

} // namespace

std::unique_ptr<PictureNode> makeTexturePicture(QQuickWindow* window)
{
    return std::make_unique<TexturePicture>(window);
}

} // namespace cocoonbox::app::gui
