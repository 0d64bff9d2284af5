// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QColor>
#include <QPainterPath>
#include <QQuickPaintedItem>

namespace cocoonbox::app::gui {

// One of our icons: strokes on a 24 × 24 grid, drawn in one colour at whatever size the item has. Unknown names draw
// nothing. The drawings stand in icon_paths.cpp.
class IconItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_NAMED_ELEMENT(Icon)
    Q_PROPERTY(QString name READ name WRITE setName NOTIFY nameChanged FINAL)
    Q_PROPERTY(QColor color READ color WRITE setColor NOTIFY colorChanged FINAL)
public:
    explicit IconItem(QQuickItem* parent = nullptr);

    QString name() const { return m_name; }
    void setName(const QString& name);
    QColor color() const { return m_color; }
    void setColor(const QColor& color);

    void paint(QPainter* painter) override;

signals:
    void nameChanged();
    void colorChanged();

private:
    QString m_name;
    QColor m_color = Qt::black;
    QPainterPath m_path;
    bool m_filled = false;
};

struct IconDrawing {
    QPainterPath path;
    bool filled = false;
};
// Empty for an unknown name.
IconDrawing iconDrawing(const QString& name);
QStringList iconNames();

} // namespace cocoonbox::app::gui
