// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/icon_item.h"

#include <algorithm>
#include <array>

namespace cocoonbox::app::gui {

namespace {

struct IconSource {
    const char* name;
    const char* drawing;
};

// The language of the drawings, on a 24 × 24 grid: `M x y` move, `L x y` line, `C x1 y1 x2 y2 x y` curve, `Z` close,
// `A cx cy r start sweep` arc in degrees counter-clockwise from three o'clock, `R x y w h r` rounded rectangle,
// `F` first: filled instead of stroked.
constexpr auto kIcons = std::to_array<IconSource>({
    {"alert", "M 12 4 L 21 19.5 L 3 19.5 Z M 12 10 L 12 14 M 12 16.8 L 12 16.9"},
    {"arrow-up", "M 12 19 L 12 5 M 6 11 L 12 5 L 18 11"},
    {"box", "M 12 3 L 20 7.5 L 20 16.5 L 12 21 L 4 16.5 L 4 7.5 Z M 4 7.5 L 12 12 L 20 7.5 M 12 12 L 12 21"},
    {"chat", "M 4 5 L 20 5 L 20 16.5 L 11 16.5 L 7 20 L 7 16.5 L 4 16.5 Z"},
    {"check", "M 5 12.5 L 10 17.5 L 19.5 7"},
    {"chevron-down", "M 6 9.5 L 12 15.5 L 18 9.5"},
    {"chevron-right", "M 9.5 6 L 15.5 12 L 9.5 18"},
    {"clock", "A 12 12 8.5 0 360 M 12 7 L 12 12 L 15.5 14"},
    {"cross", "M 6 6 L 18 18 M 18 6 L 6 18"},
    {"dot", "F A 12 12 4 0 360"},
    {"dots", "F A 5.5 12 1.7 0 360 A 12 12 1.7 0 360 A 18.5 12 1.7 0 360"},
    {"download", "M 12 4 L 12 14.5 M 7 10 L 12 15 L 17 10 M 4.5 19.5 L 19.5 19.5"},
    {"exit", "M 14 4.5 L 5 4.5 L 5 19.5 L 14 19.5 M 10 12 L 20 12 M 16.5 8.5 L 20 12 L 16.5 15.5"},
    {"file", "M 6 3.5 L 14 3.5 L 18.5 8 L 18.5 20.5 L 6 20.5 Z M 14 3.5 L 14 8 L 18.5 8"},
    {"folder", "M 3.5 18.5 L 3.5 5.5 L 9.5 5.5 L 11.5 8 L 20.5 8 L 20.5 18.5 Z"},
    {"gauge", "A 12 14 8.5 -20 220 M 12 14 L 16 8.5"},
    {"keyboard", "R 3 6 18 12 1.5 M 7 10 L 7 10.1 M 11 10 L 11 10.1 M 15 10 L 15 10.1 M 8 14.2 L 16 14.2"},
    {"maximize", "M 9 4.5 L 4.5 4.5 L 4.5 9 M 15 4.5 L 19.5 4.5 L 19.5 9 M 4.5 15 L 4.5 19.5 L 9 19.5 "
                 "M 19.5 15 L 19.5 19.5 L 15 19.5"},
    {"minimize", "M 9 4.5 L 9 9 L 4.5 9 M 15 4.5 L 15 9 L 19.5 9 M 4.5 15 L 9 15 L 9 19.5 "
                 "M 19.5 15 L 15 15 L 15 19.5"},
    {"moon", "M 20 14.2 C 18.9 14.7 17.7 15 16.4 15 C 12 15 8.9 11.6 8.9 7.5 C 8.9 6.2 9.2 5 9.8 3.9 "
             "C 6.3 4.9 3.8 8.1 3.8 11.9 C 3.8 16.6 7.5 20.3 12.1 20.3 C 15.7 20.3 18.9 17.8 20 14.2 Z"},
    {"pencil", "M 4.5 19.5 L 5.5 15 L 15.8 4.7 L 19.3 8.2 L 9 18.5 Z M 13.3 7.2 L 16.8 10.7"},
    {"person", "A 12 8 4 0 360 M 4.5 20 C 5.5 15.8 8.5 14.5 12 14.5 C 15.5 14.5 18.5 15.8 19.5 20"},
    {"plus", "M 12 5 L 12 19 M 5 12 L 19 12"},
    {"pointer", "M 5.5 4 L 18.5 11.5 L 12.5 13.2 L 9.6 19 Z"},
    {"power", "M 12 3.5 L 12 11.5 A 12 13 7.5 55 -290"},
    {"screen", "R 3.5 4.5 17 12 1.5 M 8.5 20 L 15.5 20 M 12 16.5 L 12 20"},
    {"search", "A 10.5 10.5 6 0 360 M 15 15 L 20 20"},
    {"spark", "M 12 3.5 L 14 10 L 20.5 12 L 14 14 L 12 20.5 L 10 14 L 3.5 12 L 10 10 Z"},
    {"stop", "F R 6.5 6.5 11 11 2"},
    {"sun", "A 12 12 4 0 360 M 12 3 L 12 4.5 M 12 19.5 L 12 21 M 3 12 L 4.5 12 M 19.5 12 L 21 12 M 5.6 5.6 L 6.7 6.7 "
            "M 17.3 17.3 L 18.4 18.4 M 5.6 18.4 L 6.7 17.3 M 17.3 6.7 L 18.4 5.6"},
    {"trash",
     "M 4.5 6.5 L 19.5 6.5 M 9 6.5 L 9 4 L 15 4 L 15 6.5 M 6.5 6.5 L 7.5 20 L 16.5 20 L 17.5 6.5 M 10 10.5 L 10 16 "
     "M 14 10.5 L 14 16"},
    {"upload", "M 12 15 L 12 4.5 M 7 9 L 12 4 L 17 9 M 4.5 19.5 L 19.5 19.5"},
    {"terminal", "M 5 7 L 10 12 L 5 17 M 12.5 17 L 19 17"},
    {"sliders", "M 4 8 L 7 8 A 9 8 2 180 360 M 11 8 L 20 8 M 4 16 L 13 16 A 15 16 2 180 360 M 17 16 L 20 16"},
});

// The table is ours, so a bad drawing is a bug that the icon test finds.
IconDrawing drawingOf(const char* source)
{
    IconDrawing icon;
    const QStringList words = QString::fromLatin1(source).split(u' ');
    qsizetype at = 0;
    const auto number = [&] { return at < words.size() ? words.at(at++).toDouble() : 0; };
    const auto point = [&] {
        const double x = number();
        return QPointF(x, number());
    };
    while (at < words.size()) {
        const QChar command = words.at(at++).at(0);
        if (command == u'F') icon.filled = true;
        if (command == u'M') icon.path.moveTo(point());
        if (command == u'L') icon.path.lineTo(point());
        if (command == u'Z') icon.path.closeSubpath();
        if (command == u'C') {
            const QPointF first = point();
            const QPointF second = point();
            icon.path.cubicTo(first, second, point());
        }
        if (command == u'A') {
            const QPointF centre = point();
            const double radius = number();
            const double start = number();
            const QRectF circle(centre - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius));
            icon.path.arcMoveTo(circle, start);
            icon.path.arcTo(circle, start, number());
        }
        if (command == u'R') {
            const QPointF corner = point();
            const QPointF size = point();
            const double radius = number();
            icon.path.addRoundedRect(QRectF(corner, QSizeF(size.x(), size.y())), radius, radius);
        }
    }
    return icon;
}

} // namespace

IconDrawing iconDrawing(const QString& name)
{
    const auto found =
        std::ranges::find_if(kIcons, [&](const IconSource& icon) { return name == QLatin1String(icon.name); });
    return found == kIcons.end() ? IconDrawing() : drawingOf(found->drawing);
}

QStringList iconNames()
{
    QStringList names;
    for (const IconSource& icon : kIcons)
        names.append(QString::fromLatin1(icon.name));
    return names;
}

} // namespace cocoonbox::app::gui
