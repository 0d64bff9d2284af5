// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/lock_keys.h"

#include <QKeyEvent>
#include <QTest>

using namespace cocoonbox::app::gui;

Q_DECLARE_METATYPE(cocoonbox::app::gui::Locks)

class TestLockKeys : public QObject {
    Q_OBJECT
private slots:
    void onlyWhatDiffersIsTapped_data()
    {
        QTest::addColumn<Locks>("here");
        QTest::addColumn<Locks>("box");
        QTest::addColumn<int>("key");
        QTest::addColumn<QList<quint32>>("taps");
        const QList<quint32> none;
        const QList<quint32> caps{0xffe5};
        QTest::newRow("same") << Locks{true, false} << Locks{true, false} << int(Qt::Key_A) << none;
        QTest::newRow("caps is on here") << Locks{true, false} << Locks{false, false} << int(Qt::Key_A) << caps;
        QTest::newRow("caps is on there") << Locks{false, false} << Locks{true, false} << int(Qt::Key_A) << caps;
        QTest::newRow("both") << Locks{true, true} << Locks{false, false} << int(Qt::Key_A)
                              << QList<quint32>{0xffe5, 0xff7f};
        QTest::newRow("not known here") << Locks{true, {}} << Locks{true, false} << int(Qt::Key_A) << none;
        QTest::newRow("the lock itself") << Locks{true, false} << Locks{false, false} << int(Qt::Key_CapsLock) << none;
    }
    void onlyWhatDiffersIsTapped()
    {
        QFETCH(Locks, here);
        QFETCH(Locks, box);
        QFETCH(int, key);
        QList<quint32> keysyms;
        for (const KeyStroke& tap : locksToTap(here, box, key))
            keysyms.append(tap.keysym);
        QTEST(keysyms, "taps");
    }

    void ledsAreBits()
    {
        QCOMPARE(locksOfLeds(0), (Locks{false, false}));
        QCOMPARE(locksOfLeds(1 | 4), (Locks{true, false}));
        QCOMPARE(locksOfLeds(2), (Locks{false, true}));
    }

    void thePlatformTellsItsOwn()
    {
        const auto event = [](quint32 native) { return QKeyEvent(QEvent::KeyPress, Qt::Key_A, {}, 38, 0x61, native); };
        QCOMPARE(locksHere(event(0x12), KeySource::XkbNative), (Locks{true, true}));
        QCOMPARE(locksHere(event(0), KeySource::XkbNative), (Locks{false, false}));
        QCOMPARE(locksHere(event(1 << 16), KeySource::MacNative), (Locks{true, std::nullopt}));
        QVERIFY(!locksHere(event(0x12), KeySource::QtOnly));
    }
};

QTEST_GUILESS_MAIN(TestLockKeys)
#include "tst_lock_keys.moc"
