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
};

QTEST_GUILESS_MAIN(TestScreenModel)
#include "tst_screen_model.moc"
