// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/icon_item.h"

#include <QPainter>

namespace cocoonbox::app::gui {

namespace {
constexpr double kGrid = 24;
constexpr double kStroke = 1.8;
constexpr int kSizeDefault = 16;
} // namespace

IconItem::IconItem(QQuickItem* parent) : QQuickPaintedItem(parent)
{
    setImplicitSize(kSizeDefault, kSizeDefault);
    setAntialiasing(true);
}

void IconItem::setName(const QString& name)
{
    if (name == m_name) return;
    m_name = name;
    auto [path, filled] = iconDrawing(name);
    m_path = std::move(path);
    m_filled = filled;
    update();
    emit nameChanged();
}

void IconItem::setColor(const QColor& color)
{
    if (color == m_color) return;
    m_color = color;
    update();
    emit colorChanged();
}

void IconItem::paint(QPainter* painter)
{
    painter->setRenderHint(QPainter::Antialiasing);
    painter->scale(width() / kGrid, height() / kGrid);
    painter->setBrush(m_filled ? QBrush(m_color) : QBrush(Qt::NoBrush));
    painter->setPen(m_filled ? QPen(Qt::NoPen) : QPen(m_color, kStroke, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->drawPath(m_path);
}

} // namespace cocoonbox::app::gui
