// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_statistics.h"
#include "app/gui/live_view.h"
#include "app/gui/renderer_choice.h"
#include "tests/app/gui/fake_links.h"

#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;

namespace {

// A window with a live view of a fake screen that is whole.
struct Viewer {
    Viewer()
    {
        window.resize(200, 150);
        view.setSize({200, 150});
        view.setScreen(&screen);
        window.show();
        link.sessionState = app::client::SessionState::Connected;
        screen.setLink(&link);
        shown = QTest::qWaitFor([this] { return view.counters().framesShown > 0; });
    }

    FakeBoxLink link;
    ScreenModel screen;
    QQuickWindow window;
    LiveView view{window.contentItem()};
    bool shown = false;
};

QString valueOf(const LiveStatistics& statistics, const QString& name)
{
    return statistics.values().value(statistics.names().indexOf(name));
}

double numberOf(const LiveStatistics& statistics, const QString& name)
{
    return valueOf(statistics, name).section(u' ', 0, 0).toDouble();
}

} // namespace

class TestLiveStatistics : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        QLocale::setDefault(QLocale::c());
        applyRenderer(Renderer::Software);
    }

    void numbersAreRates()
    {
        const auto lines = LiveStatistics::linesOf({2, {120, 100, 4'000'000}, 125, 312'500'000, 2'500'000, 5'000});
        QHash<QString, QString> values;
        for (const auto& line : lines)
            values.insert(line.name, line.value);
        QCOMPARE(values.value(QStringLiteral("Frames in")), QStringLiteral("60.0 /s"));
        QCOMPARE(values.value(QStringLiteral("Frames shown")), QStringLiteral("50.0 /s"));
        QCOMPARE(values.value(QStringLiteral("Changed")), QStringLiteral("2.00 Mpixel/s"));
        QCOMPARE(values.value(QStringLiteral("Drawing")), QStringLiteral("2.50 ms a frame"));
        QCOMPARE(values.value(QStringLiteral("Received")), QStringLiteral("10.00 Mbit/s"));
        QCOMPARE(values.value(QStringLiteral("Sent")), QStringLiteral("0.02 Mbit/s"));
    }

    void aStillPictureIsNoDivisionByNothing()
    {
        for (const auto& line : LiveStatistics::linesOf({}))
            QVERIFY2(!line.value.contains(QStringLiteral("nan")) && !line.value.contains(QStringLiteral("inf")),
                     qPrintable(line.value));
    }

    void aLiveViewIsMeasuredWhileItRunsOnly()
    {
        Viewer viewer;
        QVERIFY(viewer.shown);
        LiveStatistics statistics;
        statistics.setView(&viewer.view);
        QVERIFY(statistics.names().isEmpty());

        statistics.setRunning(true);
        QTRY_COMPARE(valueOf(statistics, QStringLiteral("Frames shown")), QStringLiteral("0.0 /s"));
        QVERIFY(statistics.values().first().startsWith(QStringLiteral("64 × 48 at ")));
        QCOMPARE(statistics.values().last(), QStringLiteral("Software"));
        const auto before = viewer.view.counters();
        const qint64 receivedBefore = viewer.screen.traffic().received;
        viewer.link.screen->paint(QRect(0, 0, 20, 20), Qt::red);
        QTRY_VERIFY(numberOf(statistics, QStringLiteral("Frames shown")) > 0);
        QVERIFY(numberOf(statistics, QStringLiteral("Frames in")) > 0);
        QCOMPARE(viewer.view.counters().pixelsChanged - before.pixelsChanged, qint64(20 * 20));
        QVERIFY(viewer.screen.traffic().received - receivedBefore > 20 * 20 * 4);
        QVERIFY(valueOf(statistics, QStringLiteral("Drawing")).endsWith(QStringLiteral(" ms a frame")));

        statistics.setRunning(false);
        QVERIFY(!statistics.isRunning());
        QVERIFY(statistics.names().isEmpty());
    }

    // The panel with the figures is drawn once a second; that is no frame of the box.
    void whatElseIsDrawnIsNoFrameOfTheBox()
    {
        Viewer viewer;
        QVERIFY(viewer.shown);
        LiveStatistics statistics;
        statistics.setView(&viewer.view);
        statistics.setRunning(true);
        connect(&statistics, &LiveStatistics::measured, &viewer.window, &QQuickWindow::update);
        QTRY_VERIFY(valueOf(statistics, QStringLiteral("Frames shown")) == QStringLiteral("0.0 /s") &&
                    valueOf(statistics, QStringLiteral("Drawing")).endsWith(QStringLiteral(" a frame")));
    }

    void anotherBoxStartsFromNothing()
    {
        Viewer viewer;
        QVERIFY(viewer.shown);
        ScreenModel other;
        LiveStatistics statistics;
        statistics.setView(&viewer.view);
        statistics.setRunning(true);
        viewer.view.setScreen(&other); // which has received less
        QTRY_VERIFY(!statistics.values().isEmpty());
        QCOMPARE(numberOf(statistics, QStringLiteral("Received")), 0.0);
    }
};

QTEST_MAIN(TestLiveStatistics)
#include "tst_live_statistics.moc"
