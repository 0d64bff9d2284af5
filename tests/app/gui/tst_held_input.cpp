// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/held_input.h"

#include <QTest>

using namespace cocoonbox::app::gui;

namespace {
constexpr KeyStroke kSmallA{'a', 30};
constexpr KeyStroke kBigA{'A', 30};
constexpr KeyStroke kShift{0xffe1, 42};
} // namespace

Q_DECLARE_METATYPE(std::optional<cocoonbox::app::gui::chord::Key>)

class TestHeldInput : public QObject {
    Q_OBJECT
private slots:
    void keyComesUpWithTheKeysymItWentDownWith()
    {
        HeldInput held;
        held.press(50, kShift);
        QCOMPARE(held.press(38, kBigA), (KeyAction{kBigA, true}));

        held.release(50); // Shift goes first: the platform now calls the key "a"

        QCOMPARE(held.release(38), (KeyAction{kBigA, false}));
        QVERIFY(held.isIdle());
    }

    void repeatGoesDownAgainAndUpOnce()
    {
        HeldInput held;
        held.press(38, kSmallA);
        QCOMPARE(held.press(38, kSmallA), (KeyAction{kSmallA, true}));
        QVERIFY(held.release(38));
        QVERIFY(!held.release(38));
    }

    void releaseOfAKeyPressedElsewhereIsNothing()
    {
        HeldInput held;
        QVERIFY(!held.release(38));
    }

    void releaseAllLeavesNothingHeld()
    {
        HeldInput held;
        held.press(50, kShift);
        held.press(38, kSmallA);
        held.setButton(Qt::LeftButton, true);

        QCOMPARE(held.releaseAll(), (QList<KeyAction>{{kSmallA, false}, {kShift, false}}));
        QVERIFY(held.isIdle());
    }

    void heldKeysAreBounded()
    {
        HeldInput held;
        for (quint32 key = 0; key < HeldInput::kHeldKeysMax; ++key)
            QVERIFY(held.press(key, kSmallA));
        QVERIFY(!held.press(1000, kSmallA));
    }

    void buttonsAreRfbBits()
    {
        HeldInput held;
        QCOMPARE(held.setButton(Qt::LeftButton, true), quint16(1));
        QCOMPARE(held.setButton(Qt::RightButton, true), quint16(1 | 4));
        QCOMPARE(held.setButton(Qt::LeftButton, false), quint16(4));
        QCOMPARE(held.setButton(Qt::BackButton, true), quint16(4 | 128));
        QCOMPARE(held.setButton(Qt::TaskButton, true), quint16(4 | 128));
    }

    void aButtonWhoseReleaseWasLostComesUp()
    {
        HeldInput held;
        held.setButton(Qt::LeftButton, true);
        held.setButton(Qt::RightButton, true);
        QVERIFY(!held.keepButtons(Qt::LeftButton | Qt::RightButton));
        QVERIFY(held.keepButtons(Qt::RightButton));
        QCOMPARE(held.buttons(), quint16(4));
    }

    void oneNotchIsOneClick()
    {
        WheelClicks wheel;
        QCOMPARE(wheel.add({0, 120}), QList<quint16>{8});
        QCOMPARE(wheel.add({0, -240}), (QList<quint16>{16, 16}));
        QCOMPARE(wheel.add({120, 0}), QList<quint16>{32});
    }

    void smallStepsOfATouchpadAddUp()
    {
        WheelClicks wheel;
        QCOMPARE(wheel.add({0, 50}), QList<quint16>{});
        QCOMPARE(wheel.add({0, 50}), QList<quint16>{});
        QCOMPARE(wheel.add({0, 50}), QList<quint16>{8});
        QCOMPARE(wheel.add({0, -30}), QList<quint16>{});
        QCOMPARE(wheel.add({0, -120}), QList<quint16>{16});
    }

    void aNewGestureBeginsAtNothing()
    {
        WheelClicks wheel;
        QCOMPARE(wheel.add({0, 110}), QList<quint16>{});
        wheel.reset();
        QCOMPARE(wheel.add({0, 20}), QList<quint16>{});
    }

    void wheelsOfAllKindsTellOneUnit()
    {
        QCOMPARE(wheelDelta({0, 120}, {0, 300}, false), QPoint(0, 120));
        QCOMPARE(wheelDelta({}, {3, -15}, false), QPoint(24, -120));
        QCOMPARE(wheelDelta({120, 0}, {}, true), QPoint(0, 120)); // Alt on X11
    }

    void aBrokenWheelDoesNotFlood()
    {
        WheelClicks wheel;
        QCOMPARE(wheel.add({0, 1'000'000}).size(), qsizetype(WheelClicks::kClicksMax));
    }

    void chordIsThreeModifiersAndNothingElse_data()
    {
        QTest::addColumn<QList<int>>("pressed");
        QTest::addColumn<bool>("handsBack");
        QTest::newRow("ctrl alt shift") << QList<int>{Qt::Key_Control, Qt::Key_Alt, Qt::Key_Shift} << true;
        QTest::newRow("another order") << QList<int>{Qt::Key_Shift, Qt::Key_Control, Qt::Key_Alt} << true;
        QTest::newRow("alt after shift is meta on X11")
            << QList<int>{Qt::Key_Shift, Qt::Key_Control, Qt::Key_Meta} << true;
        QTest::newRow("two only") << QList<int>{Qt::Key_Control, Qt::Key_Alt} << false;
        QTest::newRow("a shortcut of the box")
            << QList<int>{Qt::Key_Control, Qt::Key_Alt, Qt::Key_Shift, Qt::Key_T} << false;
        QTest::newRow("a key first") << QList<int>{Qt::Key_T, Qt::Key_Control, Qt::Key_Alt, Qt::Key_Shift} << true;
    }
    void chordIsThreeModifiersAndNothingElse()
    {
        QFETCH(QList<int>, pressed);
        QFETCH(bool, handsBack);
        EscapeChord chord;
        for (const int key : pressed)
            chord.press(key);
        QCOMPARE(chord.release(pressed.last()), handsBack);
    }

    void keysWithTheChordHeldAreTheApps_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<quint32>("xt");
        QTest::addColumn<std::optional<chord::Key>>("is");
        const auto row = [](const char* name, int key, quint32 xt, std::optional<chord::Key> is) {
            QTest::newRow(name) << key << xt << is;
        };
        row("f11", Qt::Key_F11, 0x57, chord::Key::FullScreen);
        row("0 on a German keyboard", Qt::Key_Equal, 0x0b, chord::Key::Fit);
        row("1", Qt::Key_Exclam, 0x02, chord::Key::FullSize);
        row("1 without a scan code", Qt::Key_Exclam, 0, chord::Key::FullSize);
        row("plus of the keypad", Qt::Key_Plus, 0x4e, chord::Key::ZoomIn);
        row("minus", Qt::Key_Underscore, 0x0c, chord::Key::ZoomOut);
        row("s", Qt::Key_S, 0x1f, chord::Key::Statistics);
        row("v", Qt::Key_V, 0x2f, chord::Key::TypeClipboard);
        row("any other is the box's", Qt::Key_T, 0x14, std::nullopt);
        row("delete is the box's", Qt::Key_Delete, 0xd3, std::nullopt);
    }
    void keysWithTheChordHeldAreTheApps()
    {
        QFETCH(int, key);
        QFETCH(quint32, xt);
        QFETCH(std::optional<chord::Key>, is);
        EscapeChord chord;
        QVERIFY(!chord.press(key, xt));
        for (const int modifier : {Qt::Key_Control, Qt::Key_Alt, Qt::Key_Shift})
            QVERIFY(!chord.press(modifier));
        QCOMPARE(chord.press(key, xt), is);
        QCOMPARE(chord.press(key, xt), is); // again, with the three still held
        QVERIFY(!chord.release(key) && !chord.release(Qt::Key_Shift));
    }
};

QTEST_GUILESS_MAIN(TestHeldInput)
#include "tst_held_input.moc"
