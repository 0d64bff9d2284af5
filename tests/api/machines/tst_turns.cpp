// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/turns.h"

#include <QCoroTask>
#include <QTest>

namespace cocoonbox::api::machines {

namespace {

// Writes down when it has its turn, and keeps it until `end` is set.
Task<void> visit(Turns& turns, QString key, QStringList& visits, QString name, Promise<bool> end)
{
    CO_TRY_ASSIGN(const auto turn, co_await turns.take(std::move(key)));
    visits.append(std::move(name));
    co_await end.get();
    co_return {};
}

} // namespace

class TurnsTest final : public QObject {
    Q_OBJECT
private slots:
    void callsForOneKeyRunInTheOrderTheyCame()
    {
        Turns turns(4);
        QStringList visits;
        const QString key = QStringLiteral("box");
        const Promise<bool> first, second, third;
        auto one = visit(turns, key, visits, QStringLiteral("one"), first);
        auto two = visit(turns, key, visits, QStringLiteral("two"), second);
        auto three = visit(turns, key, visits, QStringLiteral("three"), third);

        QCOMPARE(visits, QStringList{QStringLiteral("one")});
        QVERIFY(turns.isTaken(key));
        first.set(true);
        QCOMPARE(visits, (QStringList{QStringLiteral("one"), QStringLiteral("two")}));
        second.set(true);
        third.set(true);
        QCOMPARE(visits.size(), 3);
        QVERIFY(QCoro::waitFor(three));
        QVERIFY(!turns.isTaken(key));
    }

    void callsForDifferentKeysRunSideBySide()
    {
        Turns turns(4);
        QStringList visits;
        const Promise<bool> end;
        const Promise<bool> otherEnd;
        auto one = visit(turns, QStringLiteral("a"), visits, QStringLiteral("one"), end);
        auto two = visit(turns, QStringLiteral("b"), visits, QStringLiteral("two"), otherEnd);

        QCOMPARE(visits.size(), 2);
        end.set(true);
        otherEnd.set(true);
        QVERIFY(QCoro::waitFor(one) && QCoro::waitFor(two));
    }

    void tooManyWaitersAreRefused()
    {
        Turns turns(1);
        QStringList visits;
        const Promise<bool> end, waiterEnd;
        auto holder = visit(turns, {}, visits, QStringLiteral("holder"), end);
        auto waiter = visit(turns, {}, visits, QStringLiteral("waiter"), waiterEnd);

        const auto refused = QCoro::waitFor(turns.take({}));

        QVERIFY(!refused);
        QCOMPARE(refused.error().reason, QStringLiteral("MACHINE_BUSY"));
        end.set(true);
        waiterEnd.set(true);
        QVERIFY(QCoro::waitFor(waiter));
        QVERIFY(!turns.isTaken({}));
    }
};

} // namespace cocoonbox::api::machines

QTEST_GUILESS_MAIN(cocoonbox::api::machines::TurnsTest)
#include "tst_turns.moc"
