// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <memory>
#include <QImage>
#include <QList>
#include <QRect>
#include <QSGNode>

class QQuickWindow;

namespace cocoonbox::app::gui {

// What a live view draws now. `place` is where the whole image is, in device pixels of the item, and `visible` the part
// of that place which is shown; a place of the size of the image is shown pixel for pixel. `damage` is in pixels of the
// image.
struct Picture {
    QImage image;
    QRect place;
    QRect visible;
    QList<QRect> damage;
    qreal devicePixelRatio = 1;
};

// The scene-graph side of a live view: only what is damaged is drawn or uploaded again. Two ways: with the software
// renderer tiles paint straight from the framebuffer (or from a picture scaled once), with the RHI the framebuffer is a
// texture. Measured without a GPU: research on the live view, 0.4 to 1.2 ms a frame against 9 to 20.
//
// A transform node although it moves nothing: to what is added below a plain node later on, the software renderer gives
// the place that the plain node had when it was new.
class PictureNode : public QSGTransformNode {
public:
    static std::unique_ptr<PictureNode> create(QQuickWindow* window);
    virtual void sync(const Picture& picture) = 0;
};

std::unique_ptr<PictureNode> makePaintedPicture(QQuickWindow* window);
std::unique_ptr<PictureNode> makeTexturePicture(QQuickWindow* window);

// Edge by edge, the rest at the right and the bottom; in the order of reading.
QList<QRect> tilesOf(QSize size, int edge);
QRectF toLogical(const QRectF& devicePixels, qreal ratio);

} // namespace cocoonbox::app::gui
