// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/live_view.h"
#include "app/gui/renderer_choice.h"
#include "tests/app/gui/fake_links.h"

#include <QInputMethodEvent>
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

    // The focus may go before the key comes (a new tab by Ctrl+T): then the key is nobody's.
    void aKeyAfterTheFocusHasGoneIsNotHeld()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        viewer.view->setFocus(false);
        QKeyEvent late(QEvent::KeyPress, Qt::Key_Control, Qt::NoModifier);
        QCoreApplication::sendEvent(viewer.view, &late);
        QTest::mouseClick(&viewer.window, Qt::LeftButton, {}, {20, 30}); // takes the focus again
        QTest::keyClick(&viewer.window, Qt::Key_B);
        QTRY_COMPARE(viewer.link.screen->keys(), (QList<FakeScreen::Key>{{'b', true}, {'b', false}}));
    }

    void focusThatComesBackFindsNothingHeld()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_Alt);
        viewer.view->setFocus(false);
        QVERIFY(!viewer.view->takesKeys());
        viewer.view->forceActiveFocus();
        QVERIFY(viewer.view->takesKeys());
        QTest::keyRelease(&viewer.window, Qt::Key_Alt);
        QTest::keyClick(&viewer.window, Qt::Key_A);
        QTRY_COMPARE(viewer.link.screen->keys(),
                     (QList<FakeScreen::Key>{{0xffe9, true}, {0xffe9, false}, {'a', true}, {'a', false}}));
    }

    void aLostConnectionAndALostScreenReleaseEverything_data()
    {
        QTest::addColumn<bool>("connection");
        QTest::newRow("another viewer took it") << false;
        QTest::newRow("the box is not reached") << true;
    }
    void aLostConnectionAndALostScreenReleaseEverything()
    {
        QFETCH(bool, connection);
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_Shift);
        QTest::mousePress(&viewer.window, Qt::LeftButton, {}, {20, 30});
        const auto first = viewer.link.screen;
        if (connection) {
            viewer.link.holding = false;
            viewer.link.batonNow = {};
            viewer.link.say(SessionState::Connecting, QStringLiteral("Trying."));
            emit viewer.link.batonChanged();
            viewer.link.say(SessionState::Connected);
            QTRY_COMPARE(viewer.link.screensOpened, 2);
        } else {
            viewer.link.loseScreen(QStringLiteral("Jonas has taken the screen."));
            QTRY_COMPARE(first->keys(), (QList<FakeScreen::Key>{{0xffe1, true}, {0xffe1, false}}));
            QTRY_COMPARE(first->pointers().constLast().buttons, 0);
        }
        QCOMPARE(viewer.screen.control(), ScreenModel::Control::Watching);
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyClick(&viewer.window, Qt::Key_A); // no Shift is left over
        QTRY_COMPARE(viewer.link.screen->keys().last(), (FakeScreen::Key{'a', false}));
        QTest::mouseRelease(&viewer.window, Qt::LeftButton, {}, {20, 30});
    }

    void aButtonWhoseReleaseIsLostComesUpWithTheNextMove()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QMouseEvent press(QEvent::MouseButtonPress, QPointF(20, 30), QPointF(20, 30), Qt::LeftButton, Qt::LeftButton,
                          {});
        QCoreApplication::sendEvent(viewer.view, &press); // and no release, as when a screenshot tool takes it
        QTRY_COMPARE(viewer.link.screen->pointers().constLast().buttons, 1);
        QHoverEvent hover(QEvent::HoverMove, QPointF(40, 30), QPointF(40, 30), QPointF(20, 30));
        QCoreApplication::sendEvent(viewer.view, &hover);
        QTRY_COMPARE(viewer.link.screen->pointers().constLast(), (FakeScreen::Pointer{{40, 30}, 0}));
    }

    void backAndForwardAreButtons_data()
    {
        QTest::addColumn<Qt::MouseButton>("button");
        QTest::addColumn<int>("bit");
        QTest::newRow("middle") << Qt::MiddleButton << 2;
        QTest::newRow("right") << Qt::RightButton << 4;
        QTest::newRow("back") << Qt::BackButton << 128;
        QTest::newRow("forward") << Qt::ForwardButton << 256;
    }
    void backAndForwardAreButtons()
    {
        QFETCH(Qt::MouseButton, button);
        QFETCH(int, bit);
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        viewer.link.screen->offerMoreButtons();
        viewer.link.screen->setCursor(QImage(4, 4, QImage::Format_RGB32), {0, 0});
        QTRY_VERIFY(!viewer.screen.cursor().image.isNull()); // what was offered before has come, too
        QVERIFY(viewer.takeControl());
        QTest::mouseClick(&viewer.window, button, {}, {20, 30});
        QTRY_VERIFY(viewer.link.screen->pointers().contains({{20, 30}, bit}));
        QTRY_COMPARE(viewer.link.screen->pointers().constLast().buttons, 0);
    }

    void touchpadStepsAddUpToOneClick()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        for (int i = 0; i < 8; ++i)
            QTest::wheelEvent(&viewer.window, {50, 60}, {30, -15}, {}, {}, Qt::ScrollUpdate);
        QTRY_COMPARE(viewer.link.screen->pointers().constLast().buttons, 0);
        int down = 0;
        int left = 0;
        for (const auto& pointer : viewer.link.screen->pointers()) {
            down += pointer.buttons == 16;
            left += pointer.buttons == 32;
        }
        QCOMPARE(down, 1);
        QCOMPARE(left, 2);
    }

    void whatAnInputMethodCommitsIsTextAndNotKeys()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(!(viewer.view->flags() & QQuickItem::ItemAcceptsInputMethod));
        QVERIFY(viewer.takeControl());
        QVERIFY(viewer.view->flags() & QQuickItem::ItemAcceptsInputMethod);

        QInputMethodEvent composing(QStringLiteral("nih"), {});
        QCoreApplication::sendEvent(viewer.view, &composing);
        QCOMPARE(viewer.view->composed(), QStringLiteral("nih"));
        QInputMethodEvent commit;
        commit.setCommitString(QStringLiteral("你好🙂"));
        QCoreApplication::sendEvent(viewer.view, &commit);
        QTRY_COMPARE(viewer.link.texts, QStringList{QStringLiteral("你好🙂")});
        QVERIFY(viewer.view->composed().isEmpty());
        QVERIFY(viewer.link.screen->keys().isEmpty());
    }

    void nothingIsCommittedWhileWatching()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QInputMethodEvent commit;
        commit.setCommitString(QStringLiteral("secret"));
        QCoreApplication::sendEvent(viewer.view, &commit);
        viewer.screen.sendText(QStringLiteral("secret"));
        QVERIFY(viewer.takeControl());
        viewer.screen.sendText(QStringLiteral("open"));
        QTRY_COMPARE(viewer.link.texts, QStringList{QStringLiteral("open")});
    }

    void textIsNotMadeAShortcutByAModifierThatIsHeld()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QTest::keyPress(&viewer.window, Qt::Key_Control);
        viewer.screen.sendText(QStringLiteral("v"));
        QTRY_COMPARE(viewer.link.screen->keys(), (QList<FakeScreen::Key>{{0xffe3, true}, {0xffe3, false}}));
    }

    void keysWithTheChordAreTheApps()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QVERIFY(viewer.takeControl());
        QSignalSpy pressed(viewer.view, &LiveView::chordKeyPressed);
        for (const Qt::Key key : {Qt::Key_Control, Qt::Key_Alt, Qt::Key_Shift})
            QTest::keyPress(&viewer.window, key);
        QTest::keyClick(&viewer.window, Qt::Key_F11);
        QTest::keyClick(&viewer.window, Qt::Key_Plus);
        for (const Qt::Key key : {Qt::Key_Shift, Qt::Key_Alt, Qt::Key_Control})
            QTest::keyRelease(&viewer.window, key);
        QCOMPARE(pressed.size(), 2);
        QCOMPARE(pressed.at(0).first().value<chord::Key>(), chord::Key::FullScreen);
        QCOMPARE(pressed.at(1).first().value<chord::Key>(), chord::Key::ZoomIn);
        QCOMPARE(viewer.screen.control(), ScreenModel::Control::Mine);
        QTRY_COMPARE(viewer.link.screen->keys().size(), qsizetype(6)); // the three, down and up, and nothing else
    }

    void keysForTheBoxCanBeSentByName()
    {
        Viewer viewer({320, 200});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        viewer.screen.pressTogether({0xffe9, 0xff09});
        QVERIFY(viewer.takeControl());
        viewer.screen.pressTogether({0xffe9, 0xff09});
        QTRY_COMPARE(viewer.link.screen->keys(),
                     (QList<FakeScreen::Key>{{0xffe9, true}, {0xff09, true}, {0xff09, false}, {0xffe9, false}}));
    }

    void aLargerPictureIsDraggedWhileWatching()
    {
        Viewer viewer({160, 100});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        viewer.view->setZoom(100);
        QTRY_VERIFY(viewer.view->viewport().isPannable());
        const QPoint before = viewer.view->viewport().offset();
        QTest::mousePress(&viewer.window, Qt::LeftButton, {}, {80, 50});
        QTest::mouseMove(&viewer.window, {60, 45});
        QTest::mouseRelease(&viewer.window, Qt::LeftButton, {}, {60, 45});
        QCOMPARE(viewer.view->viewport().offset(), before + QPoint(20, 5));
        QTest::keyClick(&viewer.window, Qt::Key_Left); // the drag took the focus
        QCOMPARE(viewer.view->viewport().offset(), before + QPoint(20 - 64, 5));
        QTest::wheelEvent(&viewer.window, {80, 50}, {0, -20});
        QCOMPARE(viewer.view->viewport().offset(), before + QPoint(20 - 64, 15));
        QVERIFY(viewer.link.screen->pointers().isEmpty());
    }

    void ctrlAndTheWheelZoomWhileWatching()
    {
        Viewer viewer({160, 100});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        QSignalSpy wanted(viewer.view, &LiveView::zoomWanted);
        QTest::wheelEvent(&viewer.window, {80, 50}, {0, 120}, {}, Qt::ControlModifier);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(viewer.view->zoom(), 75);
    }

    void thePointerPansAtTheEdgeInControl()
    {
        Viewer viewer({160, 100});
        QTRY_COMPARE(viewer.screen.picture(), ScreenModel::Picture::Live);
        viewer.view->setZoom(100);
        QVERIFY(viewer.takeControl());
        QTest::mouseMove(&viewer.window, {80, 50});
        const QPoint before = viewer.view->viewport().offset();
        QTest::mouseMove(&viewer.window, {158, 50});
        QTRY_COMPARE(viewer.view->viewport().offset(), QPoint(160, before.y())); // as far as it goes
        QTRY_COMPARE(viewer.link.screen->pointers().constLast().position.x(), 318);
    }
};

QTEST_MAIN(TestLiveView)
#include "tst_live_view.moc"
