// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/picture_node.h"

#include <QQuickWindow>
#include <QSGRendererInterface>

namespace cocoonbox::app::gui {

std::unique_ptr<PictureNode> PictureNode::create(QQuickWindow* window)
{
    const bool software = window->rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
    return software ? makePaintedPicture(window) : makeTexturePicture(window);
}

QList<QRect> tilesOf(QSize size, int edge)
{
    QList<QRect> tiles;
    for (int y = 0; y < size.height(); y += edge)
        for (int x = 0; x < size.width(); x += edge)
            tiles.append(QRect(x, y, edge, edge) & QRect(QPoint(), size));
    return tiles;
}

QRectF toLogical(const QRectF& devicePixels, qreal ratio)
{
    return {devicePixels.topLeft() / ratio, devicePixels.size() / ratio};
}

} // namespace cocoonbox::app::gui
