// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <memory>
#include <QImage>
#include <QList>
#include <QRect>
#include <QSGNode>

class QQuickWindow;

namespace cocoonbox::app::gui {

// What a live view draws now. `place` is where, in device pixels of the item; of the size of the image it is shown
// pixel for pixel. `damage` is in pixels of the image.
struct Picture {
    QImage image;
    QRect place;
    QList<QRect> damage;
    qreal devicePixelRatio = 1;
};

// The scene-graph side of a live view: tiles, of which only damaged ones are drawn or uploaded again.
// Two ways: with the software renderer a tile paints straight from the framebuffer (or from a picture scaled once),
// with the RHI each tile is a texture. Measured: research on the live view, 0.4 to 1.2 ms a frame against 9 to 20.
//
// A transform node although it moves nothing: to what is added below a plain node later on, the software renderer gives
// the place that the plain node had when it was new.
class PictureNode : public QSGTransformNode {
public:
    static std::unique_ptr<PictureNode> create(QQuickWindow* window);
    virtual void sync(const Picture& picture) = 0;
};

} // namespace cocoonbox::app::gui
