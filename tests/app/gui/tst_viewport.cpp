// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/viewport.h"

#include <QTest>

using namespace cocoonbox::app::gui;

namespace {

constexpr QSize kDesktop(1280, 800);

Viewport makeViewport(QSize view, int zoom)
{
    Viewport viewport;
    viewport.setDesktop(kDesktop);
    viewport.setView(view);
    viewport.setZoom(zoom);
    return viewport;
}

} // namespace

class TestViewport : public QObject {
    Q_OBJECT
private slots:
    void pictureFitsWithoutDistortion_data()
    {
        QTest::addColumn<QSize>("view");
        QTest::addColumn<QRect>("place");
        QTest::newRow("exact") << QSize(1280, 800) << QRect(0, 0, 1280, 800);
        QTest::newRow("half") << QSize(640, 400) << QRect(0, 0, 640, 400);
        QTest::newRow("high") << QSize(640, 800) << QRect(0, 200, 640, 400);
        QTest::newRow("a little larger stays sharp") << QSize(1380, 900) << QRect(50, 50, 1280, 800);
        QTest::newRow("much larger grows") << QSize(2560, 1600) << QRect(0, 0, 2560, 1600);
        QTest::newRow("nothing") << QSize(0, 400) << QRect(0, 0, 0, 0);
    }
    void pictureFitsWithoutDistortion()
    {
        QFETCH(QSize, view);
        QFETCH(QRect, place);
        const Viewport viewport = makeViewport(view, Viewport::kFit);
        QCOMPARE(viewport.place().size(), place.size());
        if (!place.isEmpty()) QCOMPARE(viewport.place(), place);
        QVERIFY(!viewport.isPannable());
    }

    void zoomIsOfTheDesktopNotOfTheView_data()
    {
        QTest::addColumn<int>("zoom");
        QTest::addColumn<QSize>("size");
        QTest::newRow("half") << 50 << QSize(640, 400);
        QTest::newRow("pixel for pixel") << 100 << QSize(1280, 800);
        QTest::newRow("three times") << 300 << QSize(3840, 2400);
        QTest::newRow("below the limit") << 10 << QSize(640, 400);
        QTest::newRow("above the limit") << 900 << QSize(3840, 2400);
    }
    void zoomIsOfTheDesktopNotOfTheView()
    {
        QFETCH(int, zoom);
        QFETCH(QSize, size);
        QCOMPARE(makeViewport({1000, 700}, zoom).place().size(), size);
    }

    void aLargerPictureIsPannedToItsEdgesAndNoFurther()
    {
        Viewport viewport = makeViewport({1000, 600}, 100);
        QVERIFY(viewport.isPannable());
        QCOMPARE(viewport.place().topLeft(), QPoint(-140, -100)); // the middle is seen first
        QVERIFY(viewport.pan({-5000, -5000}));
        QCOMPARE(viewport.place().topLeft(), QPoint(0, 0));
        QVERIFY(!viewport.pan({-1, 0}));
        QVERIFY(viewport.pan({5000, 5000}));
        QCOMPARE(viewport.place().bottomRight(), QPoint(999, 599));
        QCOMPARE(viewport.visible(), QRect(0, 0, 1000, 600));
    }

    void zoomingKeepsWhatIsUnderThePointer()
    {
        Viewport viewport = makeViewport({1000, 600}, 100);
        const QPointF anchor(700, 200);
        const QPoint before = viewport.desktopPoint(anchor);
        viewport.setZoom(200, anchor);
        const QPoint after = viewport.desktopPoint(anchor);
        QVERIFY2((after - before).manhattanLength() <= 2, qPrintable(QString::number((after - before).x())));
    }

    void zoomingAndResizingKeepTheMiddle()
    {
        Viewport viewport = makeViewport({1000, 600}, 200);
        viewport.setOffset({300, 500});
        const QPoint before = viewport.desktopPoint({500, 300});
        viewport.setZoom(300);
        QVERIFY((viewport.desktopPoint({500, 300}) - before).manhattanLength() <= 2);
        viewport.setView({600, 400});
        QVERIFY((viewport.desktopPoint({300, 200}) - before).manhattanLength() <= 2);
    }

    void stepsGoFromWhatIsShown_data()
    {
        QTest::addColumn<QSize>("view");
        QTest::addColumn<int>("zoom");
        QTest::addColumn<int>("larger");
        QTest::addColumn<int>("smaller");
        QTest::newRow("fits at 64 %") << QSize(820, 600) << 0 << 75 << 50;
        QTest::newRow("pixel for pixel") << QSize(820, 600) << 100 << 125 << 75;
        QTest::newRow("largest") << QSize(820, 600) << 300 << 300 << 250;
        QTest::newRow("smallest") << QSize(820, 600) << 50 << 75 << 50;
    }
    void stepsGoFromWhatIsShown()
    {
        QFETCH(QSize, view);
        QFETCH(int, zoom);
        const Viewport viewport = makeViewport(view, zoom);
        QTEST(viewport.nextZoom(1), "larger");
        QTEST(viewport.nextZoom(-1), "smaller");
    }

    void everyPixelIsUnderThePointThatShowsIt_data()
    {
        QTest::addColumn<int>("zoom");
        for (const int zoom : {100, 200, 300})
            QTest::addRow("%d %%", zoom) << zoom;
    }
    void everyPixelIsUnderThePointThatShowsIt()
    {
        QFETCH(int, zoom);
        Viewport viewport = makeViewport({777, 555}, zoom);
        viewport.setOffset({101, 57});
        for (int x = 0; x < kDesktop.width(); x += 7) {
            const QPoint pixel(x, x % kDesktop.height());
            QCOMPARE(viewport.desktopPoint(viewport.viewPoint(pixel)), pixel);
        }
    }

    void pointsOutsideAreKeptOnTheDesktop()
    {
        const Viewport viewport = makeViewport({1400, 900}, 100);
        QCOMPARE(viewport.desktopPoint({-50, 2000}), QPoint(0, 799));
        QCOMPARE(viewport.desktopPoint({59.9, 49.9}), QPoint(0, 0));
        QCOMPARE(viewport.desktopPoint({1339.9, 849.9}), QPoint(1279, 799));
    }

    void onlyTheEdgesPan()
    {
        const QSize view(400, 300);
        QCOMPARE(edgePan({200, 150}, view, 24), QPoint(0, 0));
        QVERIFY(edgePan({1, 150}, view, 24).x() < 0);
        QVERIFY(edgePan({399, 150}, view, 24).x() > 0);
        QVERIFY(edgePan({200, 299}, view, 24).y() > 0);
        QVERIFY(std::abs(edgePan({20, 150}, view, 24).x()) < std::abs(edgePan({2, 150}, view, 24).x()));
        QCOMPARE(edgePan({-500, 150}, view, 24), edgePan({0, 150}, view, 24));
    }
};

QTEST_GUILESS_MAIN(TestViewport)
#include "tst_viewport.moc"
