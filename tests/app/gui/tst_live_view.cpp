// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_view.h"
#include "app/gui/renderer_choice.h"
#include "tests/app/gui/fake_links.h"

#include <QQuickView>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::SessionState;

namespace {

QImage testDesktop()
{
    QImage desktop(320, 200, QImage::Format_RGB32);
    for (int y = 0; y < desktop.height(); ++y)
        for (int x = 0; x < desktop.width(); ++x)
            desktop.setPixel(x, y, qRgb(x & 0xff, y & 0xff, (x * y) & 0xff));
    return desktop;
}

// A window with a live view of a fake screen.
struct Viewer {
    explicit Viewer(QSize size)
    {
        link.desktop = testDesktop();
        view = new LiveView(window.contentItem());
        view->setSize(size);
        view->setScreen(&screen);
        window.resize(size);
        window.show();
        link.sessionState = SessionState::Connected;
        screen.setLink(&link);
    }
    bool takeControl()
    {
        screen.takeOver();
        return QTest::qWaitFor(
            [this] { return screen.control() == ScreenModel::Control::Mine && view->hasActiveFocus(); });
    }

    FakeBoxLink link;
    ScreenModel screen;
    QQuickWindow window;
    LiveView* view = nullptr;
};

} // namespace

class TestLiveView : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        prepareRenderer();
        applyRenderer(Renderer::Software);
    }

    void picturesAreShownPixelForPixelAtFullSize()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.window.grabWindow().convertToFormat(QImage::Format_RGB32), viewer.link.desktop);
        viewer.link.screen->paint(QRect(130, 20, 60, 90), QColor(1, 2, 3));
        QTRY_COMPARE(viewer.window.grabWindow().convertToFormat(QImage::Format_RGB32), viewer.link.screen->desktop());
    }

    void aScaledPictureFollowsItsDamage()
    {
        Viewer viewer({200, 160});
        QTRY_COMPARE(viewer.view->viewport().place(), QRect(0, 17, 200, 125));
        viewer.link.screen->paint(QRect(0, 0, 320, 200), Qt::white);
        viewer.link.screen->paint(QRect(160, 0, 160, 200), Qt::blue);
        QTRY_COMPARE(viewer.window.grabWindow().pixelColor(150, 80), QColor(Qt::blue));
        QCOMPARE(viewer.window.grabWindow().pixelColor(50, 80), QColor(Qt::white));
    }

    void aPictureThatGrowsStaysWhereItsViewIs()
    {
        Viewer viewer({320, 200});
        viewer.window.resize(500, 400);
        QTRY_COMPARE(viewer.window.grabWindow().pixelColor(100, 100), QColor(viewer.link.desktop.pixel(100, 100)));
        viewer.view->setPosition({150, 120}); // as a layout does that comes after the first picture
        viewer.window.grabWindow();
        viewer.view->setSize({320, 240});
        const QPoint inside(150 + 100, 120 + 20 + 100);
        QTRY_COMPARE(viewer.window.grabWindow().pixelColor(inside), QColor(viewer.link.desktop.pixel(100, 100)));
        QCOMPARE(viewer.window.grabWindow().pixelColor(20, 60), QColor(Qt::white));
    }

    void nothingIsDrawnWhenNothingChanged()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.window.grabWindow().convertToFormat(QImage::Format_RGB32), viewer.link.desktop);
        QSignalSpy frames(&viewer.window, &QQuickWindow::afterRendering);
        QSignalSpy ready(&viewer.screen, &ScreenModel::frameReady);
        viewer.link.screen->paint(QRect(0, 0, 5, 5), Qt::red);
        QVERIFY(ready.wait());
        QTRY_VERIFY(frames.size() >= 1);
        for (int more = 0; frames.wait(200); ++more)
            QVERIFY2(more < 3, "the view goes on drawing a still picture");
    }

    void pointMapsToTheDesktopPixelUnderIt_data()
    {
        QTest::addColumn<QPointF>("position");
        QTest::addColumn<QPoint>("pixel");
        QTest::newRow("first pixel") << QPointF(0.2, 50.3) << QPoint(0, 0);
        QTest::newRow("middle") << QPointF(80, 100) << QPoint(160, 100);
        QTest::newRow("last pixel") << QPointF(159.9, 149.9) << QPoint(319, 199);
        QTest::newRow("above the picture") << QPointF(80, 0) << QPoint(160, 0);
        QTest::newRow("outside the item") << QPointF(-50, 900) << QPoint(0, 199);
    }
    void pointMapsToTheDesktopPixelUnderIt()
    {
        QFETCH(QPointF, position);
        QFETCH(QPoint, pixel);
        Viewer viewer({160, 200});
        QTRY_COMPARE(viewer.view->viewport().place(), QRect(0, 50, 160, 100));
        QCOMPARE(viewer.view->desktopPoint(position), pixel);
    }

    void keysAndPointerReachTheBoxOnlyInControl()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QTRY_COMPARE(viewer.view->viewport().place(), QRect(0, 0, 320, 200));
        viewer.view->forceActiveFocus();
        QTest::keyClick(&viewer.window, Qt::Key_X);
        QTest::mouseClick(&viewer.window, Qt::LeftButton, {}, {10, 10});

        QVERIFY(viewer.takeControl());
        QTest::keyClick(&viewer.window, Qt::Key_A);
        QTest::mouseClick(&viewer.window, Qt::LeftButton, {}, {20, 30});

        QTRY_COMPARE(viewer.link.screen->keys(), (QList<FakeScreen::Key>{{'a', true}, {'a', false}}));
        QTRY_VERIFY(viewer.link.screen->pointers().contains({{20, 30}, 1}));
        QTRY_COMPARE(viewer.link.screen->pointers().constLast(), (FakeScreen::Pointer{{20, 30}, 0}));
        for (const auto& pointer : viewer.link.screen->pointers())
            QVERIFY(pointer.position != QPoint(10, 10));
    }

    void shortcutsOfTheWindowGoToTheBoxInControl()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QKeyEvent question(QEvent::ShortcutOverride, Qt::Key_1, Qt::ControlModifier);
        question.ignore();
        QCoreApplication::sendEvent(viewer.view, &question);
        QVERIFY(question.isAccepted());

        viewer.screen.handBack();
        question.ignore();
        QCoreApplication::sendEvent(viewer.view, &question);
        QVERIFY(!question.isAccepted());
    }

    void focusLossReleasesHeldKeys()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_Control);

        viewer.view->setFocus(false);

        QTRY_COMPARE(viewer.link.screen->keys(), (QList<FakeScreen::Key>{{0xffe3, true}, {0xffe3, false}}));
        QCOMPARE(viewer.screen.control(), ScreenModel::Control::Mine);
    }

    void escapeChordHandsBack()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_Control);
        QTest::keyPress(&viewer.window, Qt::Key_Alt);
        QTest::keyPress(&viewer.window, Qt::Key_Shift);
        QCOMPARE(viewer.screen.control(), ScreenModel::Control::Mine);
        QTest::keyRelease(&viewer.window, Qt::Key_Shift);

        QCOMPARE(viewer.screen.control(), ScreenModel::Control::Watching);
        QTRY_COMPARE(viewer.link.screen->keys().size(), qsizetype(6));
        QSet<quint32> held;
        for (const FakeScreen::Key& key : viewer.link.screen->keys())
            if (key.down)
                held.insert(key.keysym);
            else
                held.remove(key.keysym);
        QVERIFY(held.isEmpty());
    }

    void wheelBecomesClicks()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::wheelEvent(&viewer.window, {50, 60}, {0, -120});
        QTRY_VERIFY(viewer.link.screen->pointers().contains({{50, 60}, 16}));
        QTRY_COMPARE(viewer.link.screen->pointers().constLast(), (FakeScreen::Pointer{{50, 60}, 0}));
    }

    void aHiddenViewReleasesInput()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_A);
        viewer.view->setVisible(false);
        QTRY_COMPARE(viewer.link.screen->keys(), (QList<FakeScreen::Key>{{'a', true}, {'a', false}}));
    }
};

QTEST_MAIN(TestLiveView)
#include "tst_live_view.moc"
