// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/common/sql/both_databases.h"

#include <csignal>
#include <QFileInfo>

using namespace cocoonbox;
using namespace cocoonbox::sql;
using namespace cocoonbox::testing;

namespace {

constexpr char kCrashAt[] = "COCOONBOX_TEST_CRASH_AT";
constexpr int kTransferSteps = 6;

qint64 sumOf(Database& database)
{
    return QCoro::waitFor(database.run([](Connection& connection) {
               return Statement(connection, "SELECT CAST(SUM(amount) AS BIGINT) FROM accounts").one([](const Row& row) {
                   return row.integer(0);
               });
           }))
        .value()
        .value();
}

// Moves money in small steps inside one transaction, and dies without a word after step `crashAt`.
Result<void> transferAndCrash(Connection& connection, int crashAt)
{
    TRY_ASSIGN(Transaction transaction, Transaction::begin(connection));
    for (int step = 0; step < kTransferSteps; ++step) {
        const bool takes = step % 2 == 0;
        TRY_VOID(Statement(connection, takes ? "UPDATE accounts SET amount = amount - 10 WHERE name = ?"
                                             : "UPDATE accounts SET amount = amount + 10 WHERE name = ?")
                     .bind(takes ? QStringLiteral("a") : QStringLiteral("b"))
                     .run());
        if (step == crashAt) ::raise(SIGKILL);
    }
    TRY_VOID(transaction.commit());
    ::raise(SIGKILL);
    return {};
}

int runCrashingChild(const QString& url, int crashAt)
{
    const auto database = BothDatabases::open(url);
    const auto result = QCoro::waitFor(
        database->run([crashAt](Connection& connection) { return transferAndCrash(connection, crashAt); }));
    qWarning("%s", qPrintable(result.error().detail));
    return 1;
}

} // namespace

class TestSql : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY2(m_databases.problem().isEmpty(), qPrintable(m_databases.problem())); }

    void valuesComeBackAsTheyWere_data() { BothDatabases::addRows(); }
    void valuesComeBackAsTheyWere()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        QVERIFY(execute(*database,
                        QStringLiteral("CREATE TABLE t (k TEXT PRIMARY KEY, n BIGINT NOT NULL, s TEXT NOT NULL)")));
        const QString hostile = QStringLiteral("'; DROP TABLE t; -- \" \\ ? $1 ü 🦋");
        const qint64 large = 1'700'000'000'123;
        const auto back =
            QCoro::waitFor(database->run([=](Connection& connection) -> Result<std::optional<QVariantList>> {
                TRY_ASSIGN(const qint64 rows, Statement(connection, "INSERT INTO t (k, n, s) VALUES (?, ?, ?)")
                                                  .bind(hostile)
                                                  .bind(large)
                                                  .bind(QString())
                                                  .run());
                if (rows != 1) return fail(ErrorCode::Internal, QStringLiteral("rows"));
                return Statement(connection, "SELECT k, n, s FROM t WHERE k = ?").bind(hostile).one([](const Row& row) {
                    return QVariantList{row.text(0), row.integer(1), row.text(2), row.isNull(2)};
                });
            }));
        QVERIFY2(back, qPrintable(back ? QString() : back.error().detail));
        QCOMPARE(back->value(), (QVariantList{hostile, large, QString(), false}));
    }

    void errorsHaveTheirMeaning_data() { BothDatabases::addRows(); }
    void errorsHaveTheirMeaning()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        QVERIFY(execute(*database, QStringLiteral("CREATE TABLE parents (k TEXT PRIMARY KEY)")));
        QVERIFY(
            execute(*database,
                    QStringLiteral("CREATE TABLE children (k TEXT REFERENCES parents (k), c TEXT CHECK (c = 'x'))")));
        QVERIFY(execute(*database, QStringLiteral("INSERT INTO parents VALUES ('a')")));
        const auto reasonOf = [&database](const char* text) {
            return execute(*database, QString::fromLatin1(text)).error().reason;
        };
        QCOMPARE(reasonOf("INSERT INTO parents VALUES ('a')"), QStringLiteral("ROW_EXISTS"));
        QCOMPARE(reasonOf("INSERT INTO children VALUES ('b', 'x')"), QStringLiteral("DATABASE_ERROR"));
        QCOMPARE(reasonOf("INSERT INTO children VALUES ('a', 'y')"), QStringLiteral("DATABASE_ERROR"));
        QCOMPARE(reasonOf("SELEC"), QStringLiteral("DATABASE_ERROR"));
    }

    void aFailedTransactionLeavesNothing_data() { BothDatabases::addRows(); }
    void aFailedTransactionLeavesNothing()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        QVERIFY(execute(*database, QStringLiteral("CREATE TABLE t (n BIGINT PRIMARY KEY)")));
        const auto insert = [](Connection& connection, qint64 n) {
            return Statement(connection, "INSERT INTO t (n) VALUES (?)").bind(n).run();
        };
        const auto failed = QCoro::waitFor(database->transact([insert](Connection& connection) -> Result<void> {
            TRY_VOID(insert(connection, 1));
            TRY_VOID(insert(connection, 1));
            return {};
        }));
        QCOMPARE(failed.error().code, ErrorCode::AlreadyExists);
        QVERIFY(QCoro::waitFor(database->transact([insert](Connection& connection) { return insert(connection, 2); })));
        const auto rows = QCoro::waitFor(database->run([](Connection& connection) {
            return Statement(connection, "SELECT n FROM t ORDER BY n").all([](const Row& row) {
                return row.integer(0);
            });
        }));
        QCOMPARE(rows.value(), QList<qint64>{2});
    }

    void jobsRunInOrderAndAreAllDoneAtTheEnd_data() { BothDatabases::addRows(); }
    void jobsRunInOrderAndAreAllDoneAtTheEnd()
    {
        QFETCH(bool, isPostgres);
        const QString url = m_databases.newUrl(isPostgres);
        {
            const auto database = BothDatabases::open(url);
            QVERIFY(execute(*database, QStringLiteral("CREATE TABLE t (n BIGINT PRIMARY KEY)")));
            for (qint64 i = 1; i <= 100; ++i)
                database->run([i](Connection& connection) {
                    return Statement(connection,
                                     "INSERT INTO t (n) SELECT COALESCE(MAX(n), 0) + 1 FROM t HAVING COUNT(*) = ?")
                        .bind(i - 1)
                        .run();
                });
        }
        const auto database = BothDatabases::open(url);
        const auto count = QCoro::waitFor(database->run([](Connection& connection) {
            return Statement(connection, "SELECT MAX(n) FROM t").one([](const Row& row) { return row.integer(0); });
        }));
        QCOMPARE(count->value(), 100);
    }

    void aKilledProcessLeavesAConsistentDatabase_data()
    {
        QTest::addColumn<bool>("isPostgres");
        QTest::addColumn<int>("crashAt");
        for (const bool isPostgres : {false, true})
            for (int step = 0; step <= kTransferSteps; ++step)
                QTest::addRow("%s, step %d", isPostgres ? "postgres" : "sqlite", step) << isPostgres << step;
    }
    void aKilledProcessLeavesAConsistentDatabase()
    {
        QFETCH(bool, isPostgres);
        QFETCH(int, crashAt);
        const QString url = m_databases.newUrl(isPostgres);
        {
            const auto database = BothDatabases::open(url);
            QVERIFY(execute(*database,
                            QStringLiteral("CREATE TABLE accounts (name TEXT PRIMARY KEY, amount BIGINT NOT NULL)")));
            QVERIFY(execute(*database, QStringLiteral("INSERT INTO accounts VALUES ('a', 100), ('b', 0)")));
        }
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QString::fromLatin1(kCrashAt), QString::number(crashAt));
        child.setProcessEnvironment(environment);
        child.setProcessChannelMode(QProcess::ForwardedChannels);
        child.start(QCoreApplication::applicationFilePath(), {url});
        QVERIFY(child.waitForFinished(20'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);

        const auto database = BothDatabases::open(url);
        QCOMPARE(sumOf(*database), 100);
        const bool committed = crashAt >= kTransferSteps;
        const auto amount = QCoro::waitFor(database->run([](Connection& connection) {
            return Statement(connection, "SELECT amount FROM accounts WHERE name = 'a'").one([](const Row& row) {
                return row.integer(0);
            });
        }));
        QCOMPARE(amount->value(), committed ? 70 : 100);
    }

    void aServerThatComesBackIsUsedAgain()
    {
        const auto database = BothDatabases::open(m_databases.newUrl(true));
        QVERIFY(execute(*database, QStringLiteral("CREATE TABLE t (n BIGINT)")));
        m_databases.postgres().crashAndRestart();
        QVERIFY2(m_databases.problem().isEmpty(), qPrintable(m_databases.problem()));
        const auto cut = execute(*database, QStringLiteral("SELECT 1"));
        QCOMPARE(cut.error().reason, QStringLiteral("DATABASE_UNREACHABLE"));
        QVERIFY(execute(*database, QStringLiteral("INSERT INTO t VALUES (1)")));
    }

    void aDatabaseThatIsNotThereIsSaid()
    {
        const auto reasonOf = [](const QString& url) { return QCoro::waitFor(Database::open({url})).error().reason; };
        QCOMPARE(reasonOf(QStringLiteral("sqlite:/nonexistent/x.db")), QStringLiteral("DATABASE_UNREACHABLE"));
        QCOMPARE(reasonOf(QStringLiteral("postgresql:///x?host=/nonexistent&user=x")),
                 QStringLiteral("DATABASE_UNREACHABLE"));
        QCOMPARE(reasonOf(QStringLiteral("mysql:///x")), QStringLiteral("DATABASE_URL_INVALID"));
    }

    void theSqliteFileIsPrivate()
    {
        const QString url = m_databases.newUrl(false);
        const auto database = BothDatabases::open(url);
        QVERIFY(execute(*database, QStringLiteral("CREATE TABLE t (n BIGINT)")));
        for (const char* suffix : {"", "-wal"})
            QCOMPARE(QFileInfo(url.mid(7) + QLatin1StringView(suffix)).permissions() & 0x077, QFile::Permissions());
    }

private:
    BothDatabases m_databases;
};

int main(int argc, char* argv[])
{
    QCoreApplication app(argc, argv);
    if (qEnvironmentVariableIsSet(kCrashAt))
        return runCrashingChild(app.arguments().at(1), qEnvironmentVariableIntValue(kCrashAt));
    TestSql test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_sql.moc"
