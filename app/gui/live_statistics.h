// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/picture_item.h"

#include <atomic>
#include <memory>
#include <QElapsedTimer>
#include <QPointer>
#include <QQuickWindow>
#include <QTimer>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// What the live view does and costs, told once a second while it runs; costs nothing while it does not. The panel that
// shows it is drawn once a second too: that is in the time of drawing, and not in the frames of the picture.
class LiveStatistics : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(cocoonbox::app::gui::PictureItem* view READ view WRITE setView NOTIFY viewChanged FINAL)
    Q_PROPERTY(bool running READ isRunning WRITE setRunning NOTIFY runningChanged FINAL)
    Q_PROPERTY(QStringList names READ names NOTIFY measured FINAL)
    Q_PROPERTY(QStringList values READ values NOTIFY measured FINAL)
public:
    // What happened within a time.
    struct Sample {
        double seconds = 0;
        PictureItem::Counters picture;
        qint64 windowsDrawn = 0; // of the whole window; the picture may be unchanged in it
        qint64 drawingNs = 0;    // within these
        qint64 bytesReceived = 0;
        qint64 bytesSent = 0;
    };
    struct Line {
        QString name;
        QString value;
    };
    static QList<Line> linesOf(const Sample& sample);

    explicit LiveStatistics(QObject* parent = nullptr);
    ~LiveStatistics() override;

    PictureItem* view() const { return m_view; }
    void setView(PictureItem* view);
    bool isRunning() const { return m_timer.isActive(); }
    void setRunning(bool running);
    QStringList names() const { return m_names; }
    QStringList values() const { return m_values; }

signals:
    void viewChanged();
    void runningChanged();
    void measured();

private:
    // Of the thread that renders.
    struct Drawing {
        std::atomic<qint64> begunNs = 0;
        std::atomic<qint64> totalNs = 0;
        std::atomic<qint64> frames = 0;
    };
    Sample totals() const;
    void startOver();
    void measure();
    void tell(QList<Line> lines);
    void watchWindow();

    QPointer<PictureItem> m_view;
    QPointer<QQuickWindow> m_window;
    std::shared_ptr<Drawing> m_drawing = std::make_shared<Drawing>();
    QList<QMetaObject::Connection> m_connections;
    QTimer m_timer;
    QElapsedTimer m_since;
    Sample m_last; // totals at the last measurement
    QStringList m_names;
    QStringList m_values;
};

} // namespace cocoonbox::app::gui
