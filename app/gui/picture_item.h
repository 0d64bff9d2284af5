// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/screen_model.h"
#include "app/gui/viewport.h"

#include <optional>
#include <QDeadlineTimer>
#include <QQuickItem>

namespace cocoonbox::app::gui {

// Shows a box's screen: as large as fits, or in percent of its size and panned. No input; see LiveView.
//
// - Nothing is drawn when nothing changed, and no frames are taken while nobody can see them.
// - The last picture stays while the screen is reached again, and until the new one is whole.
// - While nobody here holds the screen, the box's pointer is drawn where the box says it is.
class PictureItem : public QQuickItem {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(cocoonbox::app::gui::ScreenModel* screen READ screen WRITE setScreen NOTIFY screenChanged FINAL)
    Q_PROPERTY(int zoom READ zoom WRITE setZoom NOTIFY zoomChanged FINAL)
    Q_PROPERTY(int shownZoom READ shownZoom NOTIFY placeChanged FINAL)
    Q_PROPERTY(QRectF visiblePart READ visiblePart NOTIFY placeChanged FINAL)
public:
    // A picture that does not become whole within this time is shown as it is.
    static constexpr std::chrono::milliseconds kWholeMax{1000};

    explicit PictureItem(QQuickItem* parent = nullptr);

    ScreenModel* screen() const { return m_screen; }
    void setScreen(ScreenModel* screen);
    int zoom() const { return m_viewport.zoom(); } // 0: fits; else percent
    void setZoom(int percent);
    int shownZoom() const { return m_viewport.shownZoom(); }
    // Of the desktop, in parts of its width and height.
    QRectF visiblePart() const;

    Q_INVOKABLE int nextZoom(int direction) const { return m_viewport.nextZoom(direction); }
    // Moves the visible part so that it begins there; as `visiblePart`.
    Q_INVOKABLE void scrollTo(QPointF part);

    // Since it was made.
    struct Counters {
        qint64 framesTaken = 0; // with a change in them
        qint64 framesShown = 0; // of those; several that come between two refreshes are shown as one
        qint64 pixelsChanged = 0;
    };
    const Counters& counters() const { return m_counters; }

    const Viewport& viewport() const { return m_viewport; }
    // The desktop pixel under a point of the item, kept inside the desktop.
    QPoint desktopPoint(QPointF position) const { return m_viewport.desktopPoint(toDevice(position)); }
    // A point of the item in device pixels of what is drawn, which begins at a whole one.
    QPointF toDevice(QPointF position) const { return position * pixelRatio() - m_inset; }

signals:
    void screenChanged();
    void zoomChanged();
    void placeChanged();

protected:
    QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;
    void updatePolish() override;
    void geometryChange(const QRectF& geometry, const QRectF& old) override;
    void itemChange(ItemChange change, const ItemChangeData& value) override;

    virtual void screenReplaced(ScreenModel* old) { Q_UNUSED(old) }
    qreal pixelRatio() const;
    bool pan(QPoint devicePixels);
    void zoomAround(int percent, QPointF position);

private:
    void onPicture();
    void onPointer();
    void watchPlace();
    void updateView();
    void placeMoved();
    bool keepsOldPicture(const rfb::Frame& frame);
    bool showsPointer() const;

    QPointer<ScreenModel> m_screen;
    Viewport m_viewport;
    QPointF m_inset; // device pixels from the item's corner to the next whole one
    QList<QMetaObject::Connection> m_ancestors;
    QImage m_image;
    QList<QRect> m_damage;                   // since the last sync
    std::optional<QDeadlineTimer> m_wholeBy; // while a new picture is not whole
    bool m_pointerShapeChanged = false;
    Counters m_counters;
};

} // namespace cocoonbox::app::gui
