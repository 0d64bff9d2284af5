// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/screen_model.h"
#include "tests/app/gui/fake_links.h"

#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::SessionState;
using Control = ScreenModel::Control;
using Picture = ScreenModel::Picture;

class TestScreenModel : public QObject {
    Q_OBJECT

    static void goLive(ScreenModel& model, FakeBoxLink& link)
    {
        model.setLabel(QStringLiteral("Mira"));
        model.setLink(&link);
        link.say(SessionState::Connected);
        QTRY_COMPARE(model.picture(), Picture::Live);
    }
    static void takeControl(ScreenModel& model)
    {
        model.takeOver();
        QTRY_COMPARE(model.control(), Control::Mine);
    }

private slots:
    void pictureComesWhenTheBoxIsConnected()
    {
        FakeBoxLink link;
        ScreenModel model;
        model.setLink(&link);
        QCOMPARE(model.picture(), Picture::Off);
        link.say(SessionState::Connecting, QStringLiteral("Trying."));
        QCOMPARE(model.picture(), Picture::Connecting);
        QCOMPARE(link.screensOpened, 0);

        link.say(SessionState::Connected);

        QTRY_COMPARE(model.picture(), Picture::Live);
        QCOMPARE(model.desktopSize(), QSize(64, 48));
    }

    void watchingSendsNoInput()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);

        model.sendKey('a', 30, true);
        model.sendPointer({3, 4}, 1);
        takeControl(model);
        model.sendPointer({5, 6}, 0);

        QTRY_COMPARE(link.screen->pointers(), (QList<FakeScreen::Pointer>{{{5, 6}, 0}}));
        QVERIFY(link.screen->keys().isEmpty());
    }

    void handBackReleasesWhatIsHeld()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        takeControl(model);
        model.sendKey(0xffe3, 29, true);
        model.sendPointer({9, 9}, 1);

        model.handBack();

        QCOMPARE(model.control(), Control::Watching);
        QVERIFY(!link.holding);
        QTRY_COMPARE(link.screen->keys(), (QList<FakeScreen::Key>{{0xffe3, true}, {0xffe3, false}}));
        QTRY_COMPARE(link.screen->pointers().constLast().buttons, 0);
    }

    void losingTheScreenEndsControlAndSaysWhy()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        takeControl(model);

        link.loseScreen(QStringLiteral("Jonas has taken the screen."));

        QCOMPARE(model.control(), Control::Watching);
        QCOMPARE(model.controlError(), QStringLiteral("Jonas has taken the screen."));
        model.sendKey('a', 30, true);
        link.holding = true;
        emit link.batonChanged();
        model.sendKey('b', 48, true); // the first key that may pass, and so the first to arrive
        QTRY_VERIFY(!link.screen->keys().isEmpty());
        QCOMPARE(link.screen->keys().constFirst().keysym, quint32('b'));
    }

    void aScreenThatIsHeldIsTakenOnlyOnPurpose()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        link.sayBaton(QStringLiteral("Jonas"));
        QCOMPARE(model.control(), Control::Theirs);
        QCOMPARE(model.holder(), QStringLiteral("Jonas"));

        model.takeOver();
        QTRY_COMPARE(model.controlError(), QStringLiteral("Jonas holds the screen."));
        QCOMPARE(model.control(), Control::Theirs);

        model.takeOver(true);
        QTRY_COMPARE(model.control(), Control::Mine);
        QVERIFY(model.controlError().isEmpty());
    }

    void lastPictureStandsWhileTheScreenIsReachedAgain()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        QSignalSpy changed(&model, &ScreenModel::pictureChanged);

        link.screen->end();

        QTRY_COMPARE(model.picture(), Picture::Lost);
        QVERIFY(model.hasPicture());
        QTRY_COMPARE(model.picture(), Picture::Live);
        QCOMPARE(link.screensOpened, 2);
    }

    void pictureGoesWhenTheBoxSleeps()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);

        model.setLink(nullptr);

        QCOMPARE(model.picture(), Picture::Off);
        QVERIFY(!model.hasPicture());
    }

    void framesComeWithTheirDamage()
    {
        FakeBoxLink link;
        link.desktop.fill(Qt::black);
        ScreenModel model;
        QSignalSpy ready(&model, &ScreenModel::frameReady);
        goLive(model, link);
        QTRY_VERIFY(!ready.isEmpty());
        QCOMPARE(model.takeFrame().image, link.screen->desktop());

        link.screen->paint(QRect(8, 4, 16, 8), Qt::red);

        QImage seen;
        QTRY_VERIFY((seen = model.takeFrame().image, seen.pixelColor(10, 6) == QColor(Qt::red)));
        QCOMPARE(seen, link.screen->desktop());
    }

    void theAgentAtWorkIsTheOneInControl()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        model.setAgentAtWork(QStringLiteral("Collect the train times"));
        QCOMPARE(model.control(), Control::Agent);
        QCOMPARE(model.holder(), QStringLiteral("Collect the train times"));
        link.sayBaton(QStringLiteral("Jonas"));
        QCOMPARE(model.control(), Control::Theirs);
        model.takeOver(true);
        QTRY_COMPARE(model.control(), Control::Mine);
        model.handBack();
        QCOMPARE(model.control(), Control::Agent);
        model.setAgentAtWork({});
        QCOMPARE(model.control(), Control::Watching);
    }

    void thePictureIsBackTwoSecondsAfterTheNetwork_data()
    {
        QTest::addColumn<int>("outageMs");
        QTest::newRow("a blink") << 50;
        QTest::newRow("longer than every pause") << 3000;
    }
    void thePictureIsBackTwoSecondsAfterTheNetwork()
    {
        QFETCH(int, outageMs);
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        link.reachable = false;
        link.screen->end();
        QTRY_COMPARE(model.picture(), Picture::Lost);
        QTest::qWait(outageMs);
        QCOMPARE(model.picture(), Picture::Lost);
        QVERIFY(model.hasPicture());
        link.reachable = true;
        QElapsedTimer back;
        back.start();
        QTRY_COMPARE_WITH_TIMEOUT(model.picture(), Picture::Live, 5000);
        QVERIFY2(back.elapsed() < 2000, qPrintable(QString::number(back.elapsed())));
    }

    void aBoxThatRestartsKeepsThePictureUntilItIsBack()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        takeControl(model);
        link.holding = false;
        link.batonNow = {};
        link.say(SessionState::Connecting, QStringLiteral("The box does not answer."));
        emit link.batonChanged();
        QCOMPARE(model.picture(), Picture::Lost);
        QCOMPARE(model.control(), Control::Watching);
        QVERIFY(model.hasPicture());
        link.desktop = QImage(80, 60, QImage::Format_RGB32);
        link.say(SessionState::Connected);
        QTRY_COMPARE(model.picture(), Picture::Live);
        QCOMPARE(model.desktopSize(), QSize(80, 60));
    }

    void anotherDesktopSizeComesWithoutALoss()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        QSignalSpy changed(&model, &ScreenModel::pictureChanged);
        link.screen->resize(QImage(100, 70, QImage::Format_RGB32));
        QTRY_COMPARE(model.desktopSize(), QSize(100, 70));
        QCOMPARE(model.picture(), Picture::Live);
        QCOMPARE(link.screensOpened, 1);
    }

    void thePointerIsForgottenWithTheConnection()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        model.showPointer({10, 20});
        QCOMPARE(model.pointer(), QPoint(10, 20));
        link.screen->end();
        QTRY_VERIFY(!model.pointer());
    }

    void keysBehindATextArriveBehindIt()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        takeControl(model);
        link.slow = true;
        model.sendText(QStringLiteral("你好"));
        model.sendKey(0xff0d, 28, true);
        model.sendKey(0xff0d, 28, false);
        QTest::qWait(50);
        QVERIFY(link.screen->keys().isEmpty());
        link.goOn();
        QTRY_COMPARE(link.screen->keys(), (QList<FakeScreen::Key>{{0xff0d, true}, {0xff0d, false}}));
        QCOMPARE(link.texts, QStringList{QStringLiteral("你好")});
    }

    void aTextThatIsRefusedIsSaidUntilOneGoesIn()
    {
        FakeBoxLink link;
        ScreenModel model;
        goLive(model, link);
        takeControl(model);
        link.nextError = Error{ErrorCode::FailedPrecondition, QStringLiteral("No window takes text."), {}, {}, {}};
        model.sendText(QStringLiteral("x"));
        QTRY_COMPARE(model.controlError(), QStringLiteral("No window takes text."));
        model.sendText(QStringLiteral("y"));
        QTRY_VERIFY(model.controlError().isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestScreenModel)
#include "tst_screen_model.moc"
