// SPDX-License-Identifier: AGPL-3.0-only
// What the live view puts on the display, pixel by pixel, at the scale of QT_SCALE_FACTOR and by the renderer of
// COCOONBOX_RENDERER. Pictures are kept in build/artefacts.
#include "app/gui/live_view.h"
#include "app/gui/picture_scaler.h"
#include "app/gui/renderer_choice.h"
#include "tests/app/gui/fake_links.h"
#include "tests/app/gui/preview_scenes.h"

#include <QDir>
#include <QQuickWindow>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;

namespace {

QImage opaque(QImage image)
{
    // The fourth byte of a framebuffer's pixel is nothing; what a window without transparency shows is opaque.
    if (image.format() == QImage::Format_RGBA8888_Premultiplied) image.reinterpretAsFormat(QImage::Format_RGBX8888);
    image.setDevicePixelRatio(1);
    return image.convertToFormat(QImage::Format_RGB32);
}

QImage repeated(const QImage& image, int times)
{
    QImage large(image.size() * times, QImage::Format_RGB32);
    for (int y = 0; y < large.height(); ++y)
        for (int x = 0; x < large.width(); ++x)
            large.setPixel(x, y, image.pixel(x / times, y / times));
    return large;
}

QImage scaledTo(const QImage& image, QSize size)
{
    PictureScaler scaler;
    scaler.setSizes(image.size(), size);
    QImage scaled(size, QImage::Format_RGB32);
    scaler.scale(image, scaled, scaled.rect());
    return scaled;
}

double meanDifference(const QImage& a, const QImage& b)
{
    if (a.size() != b.size() || a.isNull()) return 255;
    qint64 sum = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) {
            const QRgb p = a.pixel(x, y);
            const QRgb q = b.pixel(x, y);
            sum += std::abs(qRed(p) - qRed(q)) + std::abs(qGreen(p) - qGreen(q)) + std::abs(qBlue(p) - qBlue(q));
        }
    return static_cast<double>(sum) / (3.0 * a.width() * a.height());
}

bool usesRhi()
{
    return qEnvironmentVariable("COCOONBOX_RENDERER") == QLatin1String("rhi");
}

// A window with a live view at an odd place in it.
struct Viewer {
    explicit Viewer(QSize devicePixels, QPointF corner = {7.3, 11.6})
    {
        window.create();
        const qreal ratio = window.effectiveDevicePixelRatio();
        link.desktop = previewDesktop();
        view = new LiveView(window.contentItem());
        view->setPosition(corner);
        view->setSize(QSizeF(devicePixels) / ratio + QSizeF(1, 1));
        view->setScreen(&screen);
        window.setColor(QColor(40, 44, 52));
        window.resize((QSizeF(devicePixels) / ratio).toSize() + QSize(20, 24));
        window.show();
        link.sessionState = client::SessionState::Connected;
        screen.setLink(&link);
    }
    bool isLive()
    {
        return QTest::qWaitForWindowExposed(&window) &&
               QTest::qWaitFor([this] { return !view->viewport().desktop().isEmpty(); });
    }
    QImage grab() { return opaque(window.grabWindow()); }
    // Where device pixels of the view begin in the grab.
    QPoint corner() const
    {
        return (view->mapToScene({}) * window.effectiveDevicePixelRatio() - view->toDevice({})).toPoint();
    }
    QImage grabVisible() { return grab().copy(view->viewport().visible().translated(corner())); }
    void keep(const char* name)
    {
        const QDir folder(QStringLiteral(COCOONBOX_BINARY_DIR "/artefacts"));
        folder.mkpath(QStringLiteral("."));
        grab().save(folder.filePath(QStringLiteral("live-%1-x%2-%3.png")
                                        .arg(usesRhi() ? QStringLiteral("rhi") : QStringLiteral("software"))
                                        .arg(window.effectiveDevicePixelRatio())
                                        .arg(QLatin1String(name))));
    }

    FakeBoxLink link;
    ScreenModel screen;
    QQuickWindow window;
    LiveView* view = nullptr;
};

} // namespace

class TestLivePicture : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        prepareRenderer();
        applyRenderer(chooseRenderer(qEnvironmentVariable("COCOONBOX_RENDERER")));
    }

    void rendererIsTheOneAskedFor()
    {
        Viewer viewer({400, 300});
        QVERIFY(viewer.isLive());
        viewer.grab();
        const bool software = viewer.window.rendererInterface()->graphicsApi() == QSGRendererInterface::Software;
        QCOMPARE(software, !usesRhi());
    }

    void atFullSizeTheGrabIsTheFramebuffer()
    {
        Viewer viewer({1300, 820});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(100);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        QCOMPARE(viewer.view->viewport().visible().size(), QSize(1280, 800));
        viewer.keep("100");

        viewer.link.screen->paint(QRect(301, 203, 77, 55), QColor(200, 30, 40));
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        viewer.link.screen->paint(QRect(0, 0, 3, 3), QColor(1, 2, 3));
        viewer.link.screen->paint(QRect(1277, 797, 3, 3), QColor(4, 5, 6));
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
    }

    void eachZoomIsSharpOrSmooth_data()
    {
        QTest::addColumn<int>("zoom");
        for (const int zoom : {0, 50, 75, 125, 150, 200, 250, 300})
            QTest::addRow("%d", zoom) << zoom;
    }
    void eachZoomIsSharpOrSmooth()
    {
        QFETCH(int, zoom);
        Viewer viewer({800, 500});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(zoom);
        const QImage desktop = viewer.link.screen->desktop();
        const auto expected = [&] {
            const Viewport& port = viewer.view->viewport();
            const QImage whole = scaledTo(desktop, port.place().size());
            return whole.copy(port.visible().translated(-port.place().topLeft()));
        };
        const bool exact = !usesRhi() || zoom % 100 == 0;
        if (exact && zoom != 0)
            QTRY_COMPARE(viewer.grabVisible(), expected());
        else
            QTRY_VERIFY2(meanDifference(viewer.grabVisible(), expected()) < (usesRhi() ? 6 : 0.01),
                         qPrintable(QString::number(meanDifference(viewer.grabVisible(), expected()))));
        viewer.keep(QByteArray::number(zoom).prepend("zoom-").constData());
    }

    void aPannedPictureFollowsItsDamage()
    {
        Viewer viewer({800, 500});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(200);
        viewer.view->scrollTo({1, 1});
        const auto expected = [&] {
            const Viewport& port = viewer.view->viewport();
            return repeated(viewer.link.screen->desktop(), 2).copy(port.visible().translated(-port.place().topLeft()));
        };
        QCOMPARE(viewer.view->viewport().visible().translated(-viewer.view->viewport().place().topLeft()).bottomRight(),
                 QPoint(2559, 1599));
        QTRY_COMPARE(viewer.grabVisible(), expected());
        viewer.link.screen->paint(QRect(1100, 700, 90, 60), QColor(250, 240, 10));
        QTRY_COMPARE(viewer.grabVisible(), expected());
        viewer.view->scrollTo({0.2, 0.1});
        QTRY_COMPARE(viewer.grabVisible(), expected());
        viewer.keep("panned");
    }

    void theBoxesPointerIsDrawnWhileWatching()
    {
        Viewer viewer({1300, 820});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(100);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        QImage shape(12, 18, QImage::Format_RGB32);
        shape.fill(QColor(255, 0, 200));
        viewer.link.screen->setCursor(shape, {2, 3});
        viewer.screen.showPointer({100, 300});
        QImage expected = viewer.link.screen->desktop();
        for (int y = 0; y < 18; ++y)
            for (int x = 0; x < 12; ++x)
                expected.setPixel(98 + x, 297 + y, shape.pixel(x, y));
        QTRY_COMPARE(viewer.grabVisible(), expected);
        viewer.keep("pointer");

        viewer.screen.takeOver();
        QTRY_COMPARE(viewer.screen.control(), ScreenModel::Control::Mine);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop()); // the display's own pointer shows it now
    }

    void pointsMapToThePixelThatIsSeenThere_data()
    {
        QTest::addColumn<int>("zoom");
        for (const int zoom : {100, 150, 200, 300})
            QTest::addRow("%d", zoom) << zoom;
    }
    void pointsMapToThePixelThatIsSeenThere()
    {
        QFETCH(int, zoom);
        Viewer viewer({800, 500});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(zoom);
        viewer.view->scrollTo({0.31, 0.17});
        const qreal ratio = viewer.window.effectiveDevicePixelRatio();
        const QRect place = viewer.view->viewport().place();
        for (int x = 3; x < 790; x += 41) {
            const QPoint device(x, x / 2);
            // The middle of a pixel of the display, as the view's own point.
            const QPointF point = (QPointF(device) + QPointF(0.5, 0.5) - viewer.view->toDevice({})) / ratio;
            const QPointF in = QPointF(device - place.topLeft()) + QPointF(0.5, 0.5);
            QCOMPARE(viewer.view->desktopPoint(point),
                     QPoint(int(in.x() * 1280 / place.width()), int(in.y() * 800 / place.height())));
        }
    }

    void nothingIsDrawnWhenNothingChanges()
    {
        Viewer viewer({800, 500});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(150);
        viewer.grabVisible();
        QTest::qWait(300);
        QSignalSpy drawn(&viewer.window, &QQuickWindow::afterRendering);
        QTest::qWait(500);
        QCOMPARE(drawn.size(), 0);
        viewer.link.screen->paint(QRect(400, 300, 5, 5), Qt::red);
        QTRY_VERIFY(drawn.size() > 0);
    }

    void noFramesAreTakenWhenNobodyCanSeeThem()
    {
        Viewer viewer({800, 500});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(100);
        viewer.grabVisible();
        viewer.window.hide();
        QTest::qWait(100);
        QSignalSpy told(&viewer.screen, &ScreenModel::frameReady);
        for (int i = 0; i < 10; ++i) {
            viewer.link.screen->paint(QRect(i * 10, 0, 10, 10), Qt::green);
            QTest::qWait(20);
        }
        QVERIFY(told.size() <= 1); // a frame that is taken makes way for the next
        viewer.window.show();
        const QRect part = viewer.view->viewport().visible().translated(-viewer.view->viewport().place().topLeft());
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop().copy(part));
    }

    void theOldPictureStandsUntilTheNewOneIsWhole()
    {
        Viewer viewer({1300, 820});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(100);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        const QImage before = viewer.link.screen->desktop();

        viewer.link.heldPictures = true;
        viewer.link.screen->end();
        QTRY_COMPARE(viewer.link.screensOpened, 2);
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QTest::qWait(100);
        QCOMPARE(viewer.grabVisible(), before);
        viewer.link.screen->paint(QRect(10, 10, 300, 200), QColor(9, 99, 199));
        viewer.link.screen->holdPictures(false);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
    }

    void anotherDesktopSizeIsShownWhenItIsWhole()
    {
        Viewer viewer({1300, 820});
        QVERIFY(viewer.isLive());
        viewer.view->setZoom(100);
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        viewer.link.screen->resize(previewDesktop({1024, 768}));
        QTRY_COMPARE(viewer.view->viewport().desktop(), QSize(1024, 768));
        QTRY_COMPARE(viewer.grabVisible(), viewer.link.screen->desktop());
        viewer.keep("resized");
    }
};

QTEST_MAIN(TestLivePicture)
#include "tst_live_picture.moc"
