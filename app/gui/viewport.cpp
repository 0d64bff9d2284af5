// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/viewport.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cocoonbox::app::gui {

namespace {

constexpr std::array kSteps{50, 75, 100, 125, 150, 200, 250, 300};
// A desktop that would grow by less than this keeps its size: sharp is better than slightly larger.
constexpr double kGrowthMin = 1.25;
constexpr int kPanMax = 24; // a tick

int scaled(int length, double scale)
{
    return std::max(1, static_cast<int>(std::lround(length * scale)));
}

double fittingScale(QSize desktop, QSize view)
{
    const double scale = std::min(static_cast<double>(view.width()) / desktop.width(),
                                  static_cast<double>(view.height()) / desktop.height());
    return scale > 1 && scale < kGrowthMin ? 1 : scale;
}

} // namespace

QSize Viewport::placeSize() const
{
    if (m_desktop.isEmpty() || m_view.isEmpty()) return {0, 0};
    const double scale = m_zoom == kFit ? fittingScale(m_desktop, m_view) : m_zoom / 100.0;
    return {scaled(m_desktop.width(), scale), scaled(m_desktop.height(), scale)};
}

QPoint Viewport::offsetMax() const
{
    const QSize place = placeSize();
    return {std::max(0, place.width() - m_view.width()), std::max(0, place.height() - m_view.height())};
}

QRect Viewport::place() const
{
    const QSize size = placeSize();
    const QSize room = m_view - size;
    return QRect(QPoint(room.width() > 0 ? room.width() / 2 : -m_offset.x(),
                        room.height() > 0 ? room.height() / 2 : -m_offset.y()),
                 size);
}

void Viewport::keepMiddle(QSize oldPlace, QSize oldView)
{
    const QSize now = placeSize();
    if (oldPlace.isEmpty() || now.isEmpty()) {
        setOffset(m_offset);
        return;
    }
    const auto moved = [](int offset, int oldPlaceLength, int oldViewLength, int place, int view) {
        const double middle = oldPlaceLength <= oldViewLength ? 0.5 : (offset + oldViewLength / 2.0) / oldPlaceLength;
        return static_cast<int>(std::lround(middle * place - view / 2.0));
    };
    setOffset({moved(m_offset.x(), oldPlace.width(), oldView.width(), now.width(), m_view.width()),
               moved(m_offset.y(), oldPlace.height(), oldView.height(), now.height(), m_view.height())});
}

void Viewport::setDesktop(QSize size)
{
    const QSize oldPlace = placeSize();
    m_desktop = size;
    keepMiddle(oldPlace, m_view);
}

void Viewport::setView(QSize size)
{
    const QSize oldPlace = placeSize();
    const QSize oldView = m_view;
    m_view = size;
    keepMiddle(oldPlace, oldView);
}

void Viewport::setZoom(int percent)
{
    const QSize oldPlace = placeSize();
    m_zoom = percent == kFit ? kFit : std::clamp(percent, kZoomMin, kZoomMax);
    keepMiddle(oldPlace, m_view);
}

void Viewport::setZoom(int percent, QPointF anchor)
{
    const QRect before = place();
    setZoom(percent);
    const QSize now = placeSize();
    if (before.isEmpty() || now.isEmpty()) return;
    const QPointF part((anchor.x() - before.x()) / before.width(), (anchor.y() - before.y()) / before.height());
    setOffset({static_cast<int>(std::lround(part.x() * now.width() - anchor.x())),
               static_cast<int>(std::lround(part.y() * now.height() - anchor.y()))});
}

int Viewport::shownZoom() const
{
    if (m_zoom != kFit) return m_zoom;
    if (m_desktop.isEmpty() || m_view.isEmpty()) return 100;
    return static_cast<int>(std::lround(100 * fittingScale(m_desktop, m_view)));
}

int Viewport::nextZoom(int direction) const
{
    const int now = shownZoom();
    if (direction > 0) {
        const auto* next = std::ranges::upper_bound(kSteps, now);
        return next == kSteps.end() ? kZoomMax : *next;
    }
    const auto* from = std::ranges::lower_bound(kSteps, now);
    return from == kSteps.begin() ? kZoomMin : *std::prev(from);
}

bool Viewport::isPannable() const
{
    return !offsetMax().isNull();
}

bool Viewport::setOffset(QPoint offset)
{
    const QPoint most = offsetMax();
    const QPoint kept(std::clamp(offset.x(), 0, most.x()), std::clamp(offset.y(), 0, most.y()));
    if (kept == m_offset) return false;
    m_offset = kept;
    return true;
}

bool Viewport::pan(QPoint by)
{
    return setOffset(m_offset + by);
}

QPoint Viewport::desktopPoint(QPointF position) const
{
    const QRect at = place();
    if (at.isEmpty()) return {};
    const auto x = static_cast<int>(std::floor((position.x() - at.x()) * m_desktop.width() / at.width()));
    const auto y = static_cast<int>(std::floor((position.y() - at.y()) * m_desktop.height() / at.height()));
    return {std::clamp(x, 0, m_desktop.width() - 1), std::clamp(y, 0, m_desktop.height() - 1)};
}

QPoint Viewport::viewPoint(QPoint desktop) const
{
    const QRect at = place();
    if (at.isEmpty()) return {};
    return at.topLeft() + QPoint(static_cast<int>(qint64(desktop.x()) * at.width() / m_desktop.width()),
                                 static_cast<int>(qint64(desktop.y()) * at.height() / m_desktop.height()));
}

QPoint edgePan(QPointF position, QSize view, int band)
{
    const auto along = [band](double at, int length) {
        const double depth = at < band ? at - band : at > length - band ? at - (length - band) : 0;
        return static_cast<int>(std::lround(std::clamp(depth / band, -1.0, 1.0) * kPanMax));
    };
    return {along(position.x(), view.width()), along(position.y(), view.height())};
}

} // namespace cocoonbox::app::gui
