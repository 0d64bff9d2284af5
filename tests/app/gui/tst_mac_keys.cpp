// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/mac_keys.h"

#include <QKeyEvent>
#include <QTest>

using namespace cocoonbox::app::gui;

namespace {

constexpr quint32 kControl = 0xffe3;
constexpr quint32 kRightControl = 0xffe4;
constexpr quint32 kAlt = 0xffe9;
constexpr quint32 kThirdLevel = 0xfe03;
constexpr quint32 kSuper = 0xffeb;

QKeyEvent press(int key, Qt::KeyboardModifiers modifiers, quint32 macCode, const QString& text = {})
{
    return QKeyEvent(QEvent::KeyPress, key, modifiers, 1, macCode, 0, text);
}

} // namespace

class TestMacKeys : public QObject {
    Q_OBJECT
private slots:
    void modifiersAreWhatTheProfileSays_data()
    {
        QTest::addColumn<int>("profile");
        QTest::addColumn<quint32>("command");
        QTest::addColumn<quint32>("control");
        QTest::addColumn<quint32>("option");
        QTest::newRow("command is Ctrl") << int(MacKeys::CommandIsControl) << kControl << kRightControl << kAlt;
        QTest::newRow("command is Super") << int(MacKeys::CommandIsSuper) << kSuper << kControl << kAlt;
        QTest::newRow("option types") << int(MacKeys::OptionTypes) << kAlt << kControl << kThirdLevel;
    }
    void modifiersAreWhatTheProfileSays()
    {
        QFETCH(int, profile);
        const auto keys = static_cast<MacKeys>(profile);
        const auto keysym = [keys](int key) { return macKeyStroke(press(key, {}, 0), keys)->keysym; };
        QTEST(keysym(Qt::Key_Control), "command"); // Qt's name for Command
        QTEST(keysym(Qt::Key_Meta), "control");
        QTEST(keysym(Qt::Key_Alt), "option");
        QCOMPARE(keysym(Qt::Key_Shift), quint32(0xffe1));
    }

    // Cmd+C must never type a "c", nor what Option makes of it.
    void lettersWithCommandAreLetters_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<quint32>("macCode");
        QTest::addColumn<QString>("text");
        QTest::addColumn<quint32>("keysym");
        QTest::addColumn<quint32>("xt");
        QTest::newRow("copy") << int(Qt::Key_C) << quint32(0x08) << QStringLiteral("c") << quint32('c')
                              << quint32(0x2e);
        QTest::newRow("paste") << int(Qt::Key_V) << quint32(0x09) << QString() << quint32('v') << quint32(0x2f);
        QTest::newRow("cut") << int(Qt::Key_X) << quint32(0x07) << QStringLiteral("≈") << quint32('x') << quint32(0x2d);
        QTest::newRow("all") << int(Qt::Key_A) << quint32(0x00) << QString() << quint32('a') << quint32(0x1e);
        QTest::newRow("undo") << int(Qt::Key_Z) << quint32(0x06) << QString() << quint32('z') << quint32(0x2c);
        QTest::newRow("tab") << int(Qt::Key_Tab) << quint32(0x30) << QStringLiteral("\t") << quint32(0xff09)
                             << quint32(0x0f);
    }
    void lettersWithCommandAreLetters()
    {
        QFETCH(int, key);
        QFETCH(quint32, macCode);
        QFETCH(QString, text);
        QFETCH(quint32, keysym);
        QFETCH(quint32, xt);
        for (const auto keys : {MacKeys::CommandIsControl, MacKeys::CommandIsSuper, MacKeys::OptionTypes})
            QCOMPARE(macKeyStroke(press(key, Qt::ControlModifier, macCode, text), keys), (KeyStroke{keysym, xt}));
    }

    void optionTypesOnlyWhereItIsSaidTo()
    {
        const QKeyEvent event = press(Qt::Key_L, Qt::AltModifier, 0x25, QStringLiteral("@")); // German keyboard
        QCOMPARE(macKeyStroke(event, MacKeys::OptionTypes)->keysym, quint32('@'));
        QCOMPARE(macKeyStroke(event, MacKeys::CommandIsControl)->keysym, quint32('l'));
    }

    void plainKeysTypeWhatTheMacTypes()
    {
        QCOMPARE(macKeyStroke(press(Qt::Key_Y, {}, 0x06, QStringLiteral("y")), MacKeys::CommandIsControl),
                 (KeyStroke{'y', 0x2c})); // the German "y" is where the American "z" is
        QCOMPARE(macKeyStroke(press(Qt::Key_Exclam, Qt::ShiftModifier, 0x12, QStringLiteral("!")),
                              MacKeys::CommandIsControl),
                 (KeyStroke{'!', 0x02}));
        QCOMPARE(macKeyStroke(press(Qt::Key_Delete, {}, 0x75), MacKeys::CommandIsControl), (KeyStroke{0xffff, 0xd3}));
        QVERIFY(!macKeyStroke(press(Qt::Key_unknown, {}, 0xfe), MacKeys::CommandIsControl));
    }

    void keysAreToldApartByTheMacsOwnCode()
    {
        const QKeyEvent a = press(Qt::Key_A, {}, 0x00, QStringLiteral("a"));
        const QKeyEvent s = press(Qt::Key_S, {}, 0x01, QStringLiteral("s"));
        const QKeyEvent bigA = press(Qt::Key_A, Qt::ShiftModifier, 0x00, QStringLiteral("A"));
        QVERIFY(keyId(a, KeySource::MacNative) != keyId(s, KeySource::MacNative));
        QCOMPARE(keyId(a, KeySource::MacNative), keyId(bigA, KeySource::MacNative));
        QVERIFY(isCommandKey(press(Qt::Key_Control, {}, 0x37)));
    }
};

QTEST_GUILESS_MAIN(TestMacKeys)
#include "tst_mac_keys.moc"
