// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QPoint>
#include <QRect>
#include <QSize>

namespace cocoonbox::app::gui {

// Which part of a desktop a view shows, and where. Pure geometry in device pixels of the view, so that at 100 % a pixel
// of the desktop is a pixel of the display, whatever the display's scale.
class Viewport {
public:
    static constexpr int kFit = 0;
    static constexpr int kZoomMin = 50;
    static constexpr int kZoomMax = 300;

    // Each keeps the middle of what is seen where it can.
    void setDesktop(QSize size);
    void setView(QSize size);
    // kFit or percent, which is kept within the limits.
    void setZoom(int percent);
    // The same with the desktop's point under `anchor` kept where it is.
    void setZoom(int percent, QPointF anchor);

    QSize desktop() const { return m_desktop; }
    int zoom() const { return m_zoom; }
    // What fitting comes to, or the zoom; percent.
    int shownZoom() const;
    // The next of the usual steps from what is shown; `direction` is 1 or -1.
    int nextZoom(int direction) const;

    // Where the whole desktop is; parts of it may lie outside of the view. Empty when there is nothing to show.
    QRect place() const;
    // The part of the view that the desktop covers.
    QRect visible() const { return place() & QRect(QPoint(), m_view); }
    // Whether a part of the desktop lies outside of the view.
    bool isPannable() const;
    // True when the picture moved. Positive moves what is seen to the right and down.
    bool pan(QPoint by);
    bool setOffset(QPoint offset);
    QPoint offset() const { return m_offset; }

    // The desktop's pixel under a point of the view, kept inside the desktop.
    QPoint desktopPoint(QPointF position) const;
    // The view's pixel where a desktop's pixel begins.
    QPoint viewPoint(QPoint desktop) const;

private:
    QSize placeSize() const;
    QPoint offsetMax() const;
    void keepMiddle(QSize oldPlace, QSize oldView);

    QSize m_desktop;
    QSize m_view;
    int m_zoom = kFit;
    QPoint m_offset; // of the view in the place, where the place is larger
};

// Pixels to pan by for one tick while the pointer rests at `position`: none in the middle, more the nearer the edge.
QPoint edgePan(QPointF position, QSize view, int band);

} // namespace cocoonbox::app::gui
