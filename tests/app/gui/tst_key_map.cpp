// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/key_map.h"

#include <QKeyEvent>
#include <QTest>

using namespace cocoonbox::app::gui;

class TestKeyMap : public QObject {
    Q_OBJECT
private slots:
    void qtKeyBecomesKeysym_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("modifiers");
        QTest::addColumn<quint32>("keysym");
        const auto row = [](const char* name, int key, const char* text, int modifiers, quint32 keysym) {
            QTest::newRow(name) << key << QString::fromUtf8(text) << modifiers << keysym;
        };
        row("a", Qt::Key_A, "a", Qt::NoModifier, 'a');
        row("shift a", Qt::Key_A, "A", Qt::ShiftModifier, 'A');
        row("ctrl c has a control character as text", Qt::Key_C, "\x03", Qt::ControlModifier, 'c');
        row("ctrl shift c", Qt::Key_C, "\x03", Qt::ControlModifier | Qt::ShiftModifier, 'C');
        row("digit", Qt::Key_7, "7", Qt::NoModifier, '7');
        row("keypad digit", Qt::Key_7, "7", Qt::KeypadModifier, 0xffb7);
        row("keypad enter", Qt::Key_Enter, "\r", Qt::KeypadModifier, 0xff8d);
        row("keypad arrow", Qt::Key_Left, "", Qt::KeypadModifier, 0xff96);
        row("return", Qt::Key_Return, "\r", Qt::NoModifier, 0xff0d);
        row("tab", Qt::Key_Tab, "\t", Qt::NoModifier, 0xff09);
        row("shift tab", Qt::Key_Backtab, "", Qt::ShiftModifier, 0xff09);
        row("escape", Qt::Key_Escape, "\x1b", Qt::NoModifier, 0xff1b);
        row("space", Qt::Key_Space, " ", Qt::NoModifier, ' ');
        row("delete", Qt::Key_Delete, "\x7f", Qt::NoModifier, 0xffff);
        row("f12", Qt::Key_F12, "", Qt::NoModifier, 0xffc9);
        row("control", Qt::Key_Control, "", Qt::NoModifier, 0xffe3);
        row("altgr", Qt::Key_AltGr, "", Qt::NoModifier, 0xfe03);
        row("super", Qt::Key_Meta, "", Qt::NoModifier, 0xffeb);
        row("u umlaut is Latin-1", Qt::Key_Udiaeresis, "ü", Qt::NoModifier, 0xfc);
        row("euro sign is Unicode", Qt::Key_unknown, "€", Qt::NoModifier, 0x010020ac);
        row("cyrillic", Qt::Key_unknown, "ж", Qt::NoModifier, 0x01000436);
        row("outside the first plane", Qt::Key_unknown, "🙂", Qt::NoModifier, 0x0101f642);
        row("volume up", Qt::Key_VolumeUp, "", Qt::NoModifier, 0x1008ff13);
        row("nothing", Qt::Key_unknown, "", Qt::NoModifier, 0);
        row("two characters at once are not a key", Qt::Key_unknown, "ab", Qt::NoModifier, 0);
    }
    void qtKeyBecomesKeysym()
    {
        QFETCH(int, key);
        QFETCH(QString, text);
        QFETCH(int, modifiers);
        QFETCH(quint32, keysym);
        QCOMPARE(keysymOfQtKey(key, text, Qt::KeyboardModifiers(modifiers)), keysym);
    }

    void evdevBecomesXtCode_data()
    {
        QTest::addColumn<quint32>("evdev");
        QTest::addColumn<quint32>("xt");
        const auto row = [](const char* name, quint32 evdev, quint32 xt) { QTest::newRow(name) << evdev << xt; };
        row("reserved", 0, 0);
        row("escape", 1, 0x01);
        row("a", 30, 0x1e);
        row("keypad dot, the last of the first block", 83, 0x53);
        row("less, the key beside left shift", 86, 0x56);
        row("f11", 87, 0x57);
        row("keypad enter is extended", 96, 0x9c);
        row("right control", 97, 0x9d);
        row("right alt", 100, 0xb8);
        row("up", 103, 0xc8);
        row("delete", 111, 0xd3);
        row("left meta", 125, 0xdb);
        row("menu", 127, 0xdd);
        row("yen", 124, 0x7d);
        row("unknown", 240, 0);
    }
    void evdevBecomesXtCode()
    {
        QFETCH(quint32, evdev);
        QFETCH(quint32, xt);
        QCOMPARE(xtCodeOfEvdev(evdev), xt);
    }

    void nativeFieldsAreTakenWhereTheyMeanKeysyms()
    {
        const QKeyEvent event(QEvent::KeyPress, Qt::Key_A, Qt::NoModifier, 38, 0x61, 0, QStringLiteral("a"));

        QCOMPARE(keyStroke(event, KeySource::XkbNative), (KeyStroke{0x61, 30}));
        QCOMPARE(keyStroke(event, KeySource::QtOnly), (KeyStroke{'a', 0}));
    }

    void deadKeyHasItsOwnKeysym()
    {
        const QKeyEvent event(QEvent::KeyPress, Qt::Key_Dead_Acute, Qt::NoModifier, 21, 0xfe51, 0);

        QCOMPARE(keyStroke(event, KeySource::XkbNative), (KeyStroke{0xfe51, 13}));
    }

    void namelessKeyIsNothing()
    {
        const QKeyEvent event(QEvent::KeyPress, Qt::Key_unknown, Qt::NoModifier);

        QVERIFY(!keyStroke(event, KeySource::QtOnly));
    }
};

QTEST_GUILESS_MAIN(TestKeyMap)
#include "tst_key_map.moc"
