// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_statistics.h"

#include <algorithm>
#include <chrono>
#include <QLocale>
#include <QSGRendererInterface>
#include <utility>

namespace cocoonbox::app::gui {

namespace {

using namespace std::chrono_literals;

qint64 nowNs()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}

QString number(double value, int decimals = 1)
{
    return QLocale().toString(value, 'f', decimals);
}

QString rendererName(QSGRendererInterface::GraphicsApi api)
{
    switch (api) {
    case QSGRendererInterface::Software: return LiveStatistics::tr("Software");
    case QSGRendererInterface::OpenGL: return QStringLiteral("OpenGL");
    case QSGRendererInterface::Vulkan: return QStringLiteral("Vulkan");
    case QSGRendererInterface::Metal: return QStringLiteral("Metal");
    case QSGRendererInterface::Direct3D11:
    case QSGRendererInterface::Direct3D12: return QStringLiteral("Direct3D");
    default: return LiveStatistics::tr("Unknown");
    }
}

} // namespace

LiveStatistics::LiveStatistics(QObject* parent) : QObject(parent)
{
    m_timer.setInterval(1s);
    connect(&m_timer, &QTimer::timeout, this, &LiveStatistics::measure);
}

LiveStatistics::~LiveStatistics()
{
    m_timer.stop();
    watchWindow();
}

void LiveStatistics::setView(PictureItem* view)
{
    if (view == m_view) return;
    if (m_view) m_view->disconnect(this);
    m_view = view;
    if (m_view) {
        connect(m_view, &QQuickItem::windowChanged, this, &LiveStatistics::watchWindow);
        connect(m_view, &PictureItem::screenChanged, this, &LiveStatistics::startOver);
    }
    watchWindow();
    startOver();
    emit viewChanged();
}

void LiveStatistics::setRunning(bool running)
{
    if (running == isRunning()) return;
    if (running)
        m_timer.start();
    else
        m_timer.stop();
    watchWindow();
    startOver();
    m_names.clear();
    m_values.clear();
    emit runningChanged();
    emit measured();
}

void LiveStatistics::startOver()
{
    m_last = totals();
    m_since.start();
}

// Both signals come on the thread that renders, which may go on while this object goes: they hold what they write to.
void LiveStatistics::watchWindow()
{
    for (const QMetaObject::Connection& connection : std::exchange(m_connections, {}))
        disconnect(connection);
    m_window = isRunning() && m_view ? m_view->window() : nullptr;
    if (!m_window) return;
    const auto begin = [drawing = m_drawing] { drawing->begunNs = nowNs(); };
    const auto end = [drawing = m_drawing] {
        drawing->totalNs += nowNs() - drawing->begunNs;
        ++drawing->frames;
    };
    m_connections = {connect(m_window, &QQuickWindow::beforeRendering, m_window, begin, Qt::DirectConnection),
                     connect(m_window, &QQuickWindow::afterRendering, m_window, end, Qt::DirectConnection)};
}

LiveStatistics::Sample LiveStatistics::totals() const
{
    Sample totals;
    totals.drawingNs = m_drawing->totalNs;
    totals.windowsDrawn = m_drawing->frames;
    if (!m_view) return totals;
    totals.picture = m_view->counters();
    if (const ScreenModel* screen = m_view->screen()) {
        totals.bytesReceived = screen->traffic().received;
        totals.bytesSent = screen->traffic().sent;
    }
    return totals;
}

QList<LiveStatistics::Line> LiveStatistics::linesOf(const Sample& sample)
{
    const double seconds = std::max(sample.seconds, 1e-3);
    const auto rate = [seconds](qint64 count) { return static_cast<double>(count) / seconds; };
    const auto megabits = [&rate](qint64 bytes) { return number(rate(bytes) * 8 / 1e6, 2); };
    QString drawing = tr("nothing drawn");
    if (sample.windowsDrawn > 0) {
        const double ms = static_cast<double>(sample.drawingNs) / 1e6 / static_cast<double>(sample.windowsDrawn);
        drawing = tr("%1 ms a frame").arg(number(ms, 2));
    }
    return {
        {tr("Frames in"), tr("%1 /s").arg(number(rate(sample.picture.framesTaken)))},
        {tr("Frames shown"), tr("%1 /s").arg(number(rate(sample.picture.framesShown)))},
        {tr("Changed"), tr("%1 Mpixel/s").arg(number(rate(sample.picture.pixelsChanged) / 1e6, 2))},
        {tr("Drawing"), drawing},
        {tr("Received"), tr("%1 Mbit/s").arg(megabits(sample.bytesReceived))},
        {tr("Sent"), tr("%1 Mbit/s").arg(megabits(sample.bytesSent))},
    };
}

void LiveStatistics::measure()
{
    const Sample now = totals();
    const Sample sample{static_cast<double>(m_since.nsecsElapsed()) / 1e9,
                        {now.picture.framesTaken - m_last.picture.framesTaken,
                         now.picture.framesShown - m_last.picture.framesShown,
                         now.picture.pixelsChanged - m_last.picture.pixelsChanged},
                        now.windowsDrawn - m_last.windowsDrawn,
                        now.drawingNs - m_last.drawingNs,
                        now.bytesReceived - m_last.bytesReceived,
                        now.bytesSent - m_last.bytesSent};
    m_since.start();
    m_last = now;
    tell(linesOf(sample));
}

void LiveStatistics::tell(QList<Line> lines)
{
    if (m_view && m_window) {
        const QSize desktop = m_view->viewport().desktop();
        const QString picture = tr("%1 × %2 at %3 %");
        lines.prepend({tr("Picture"), picture.arg(desktop.width()).arg(desktop.height()).arg(m_view->shownZoom())});
        lines.append({tr("Renderer"), rendererName(m_window->rendererInterface()->graphicsApi())});
    }
    m_names.clear();
    m_values.clear();
    for (const Line& line : lines) {
        m_names.append(line.name);
        m_values.append(line.value);
    }
    emit measured();
}

} // namespace cocoonbox::app::gui
