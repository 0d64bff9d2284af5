// SPDX-License-Identifier: AGPL-3.0-only
// The store's SQL on SQLite and on a real PostgreSQL.
#include "api/boxes/box_store.h"
#include "tests/support/postgres_server.h"

#include <QCoroTask>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::api::boxes;

namespace {

Box sample()
{
    Box box;
    box.boxId = QStringLiteral("box_1");
    box.ownerId = QStringLiteral("usr_1");
    box.name = QStringLiteral("main");
    box.state = BoxState::Running;
    box.flavor = QStringLiteral("small");
    box.image = QStringLiteral("image:1");
    box.machineId = QStringLiteral("m1");
    box.wakeId = QStringLiteral("w1");
    box.operationId = QStringLiteral("op_1");
    box.createdAtMs = 1'700'000'000'001;
    box.stateChangedAtMs = 1'700'000'000'002;
    box.wokenAtMs = 1'700'000'000'003;
    return box;
}

} // namespace

class TestBoxStore : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY2(m_postgres.problem().isEmpty(), qPrintable(m_postgres.problem())); }

    void boxesAndOperationsAreKept_data() { rows(); }
    void boxesAndOperationsAreKept()
    {
        QFETCH(bool, isPostgres);
        open(isPostgres);
        const BoxStore store(*m_database);
        Box box = sample();
        QVERIFY(QCoro::waitFor(store.saveWithOperation(box, 5)));
        QCOMPARE(QCoro::waitFor(store.boxes()).value(), QList<Box>{box});
        box.state = BoxState::Failed;
        box.failure = QStringLiteral("It broke.");
        box.machineId.clear();
        QVERIFY(QCoro::waitFor(store.save(box)));
        box.machineId = QStringLiteral("");
        QCOMPARE(QCoro::waitFor(store.boxes()).value(), QList<Box>{box});
        QCOMPARE(QCoro::waitFor(store.openOperations()).value().size(), 1);
        QVERIFY(QCoro::waitFor(store.remove(box.boxId)));
        QVERIFY(QCoro::waitFor(store.boxes()).value().isEmpty());
    }

    void eventsAreNumberedAndEndOnce_data() { rows(); }
    void eventsAreNumberedAndEndOnce()
    {
        QFETCH(bool, isPostgres);
        open(isPostgres);
        const BoxStore store(*m_database);
        const QString owner = QStringLiteral("usr_1");
        const QString operation = QStringLiteral("op_1");
        QVERIFY(QCoro::waitFor(store.saveWithOperation(sample(), 5)));
        for (const Phase phase : {Phase::Creating, Phase::Waking, Phase::Done, Phase::Failed, Phase::Waking})
            QVERIFY(QCoro::waitFor(store.append(operation, {0, phase, QStringLiteral("so"), 6})));
        const auto events = QCoro::waitFor(store.eventsAfter(owner, operation, 1)).value().value();
        QCOMPARE(events.size(), 2);
        QCOMPARE(events[0].number, 2);
        QCOMPARE(events[1].number, 3);
        QCOMPARE(events[1].phase, Phase::Done);
        QVERIFY(QCoro::waitFor(store.openOperations()).value().isEmpty());
        QVERIFY(!QCoro::waitFor(store.eventsAfter(QStringLiteral("usr_2"), operation, 0)).value());
        QVERIFY(QCoro::waitFor(store.append(QStringLiteral("op_none"), {0, Phase::Done, {}, 6})));

        QVERIFY(QCoro::waitFor(store.forgetOperations(6)));
        QVERIFY(QCoro::waitFor(store.eventsAfter(owner, operation, 0)).value());
        QVERIFY(QCoro::waitFor(store.forgetOperations(7)));
        QVERIFY(!QCoro::waitFor(store.eventsAfter(owner, operation, 0)).value());
    }

    void aNameIsUniqueForItsOwner_data() { rows(); }
    void aNameIsUniqueForItsOwner()
    {
        QFETCH(bool, isPostgres);
        open(isPostgres);
        const BoxStore store(*m_database);
        QVERIFY(QCoro::waitFor(store.save(sample())));
        Box second = sample();
        second.boxId = QStringLiteral("box_2");
        QCOMPARE(QCoro::waitFor(store.save(second)).error().reason, QStringLiteral("ROW_EXISTS"));
        second.ownerId = QStringLiteral("usr_2");
        QVERIFY(QCoro::waitFor(store.save(second)));
    }

private:
    static void rows()
    {
        QTest::addColumn<bool>("isPostgres");
        QTest::newRow("sqlite") << false;
        QTest::newRow("postgres") << true;
    }
    void open(bool isPostgres)
    {
        const QString url = isPostgres ? m_postgres.newDatabase()
                                       : QStringLiteral("sqlite:") + m_dir.filePath(QString::number(++m_files));
        auto database = QCoro::waitFor(sql::Database::open({url}));
        QVERIFY2(database, qPrintable(database ? QString() : database.error().detail));
        m_database = std::move(*database);
        const auto migrated = QCoro::waitFor(sql::migrate(*m_database, {BoxStore::migrations()}));
        QVERIFY2(migrated, qPrintable(migrated ? QString() : migrated.error().detail));
    }

    QTemporaryDir m_dir;
    testing::PostgresServer m_postgres;
    std::unique_ptr<sql::Database> m_database;
    int m_files = 0;
};

QTEST_GUILESS_MAIN(TestBoxStore)
#include "tst_box_store.moc"
