// SPDX-License-Identifier: AGPL-3.0-only
#include "common/sql/migrations.h"
#include "tests/common/sql/both_databases.h"

#include <QFile>

using namespace cocoonbox;
using namespace cocoonbox::sql;
using namespace cocoonbox::testing;

namespace {

// A folder that stands for a part's resources.
class Folder {
public:
    void write(const QString& name, const QByteArray& sql)
    {
        QFile file(m_dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(sql);
    }
    MigrationSet set(const QString& part = QStringLiteral("part")) const { return {part, m_dir.path()}; }

private:
    QTemporaryDir m_dir;
};

QString reasonOf(Database& database, const QList<MigrationSet>& sets)
{
    const Result<void> result = QCoro::waitFor(migrate(database, sets));
    return result ? QStringLiteral("OK") : result.error().reason;
}

const QString kFirst = QStringLiteral("0001_first.sql");
const QString kSecond = QStringLiteral("0002_second.sql");
const QByteArray kMakeT = "-- a table; with a comment's quote\nCREATE TABLE t (n BIGINT);\nINSERT INTO t VALUES (1);\n";

} // namespace

class TestMigrations : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY2(m_databases.problem().isEmpty(), qPrintable(m_databases.problem())); }

    void eachIsAppliedOnce_data() { BothDatabases::addRows(); }
    void eachIsAppliedOnce()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        Folder folder;
        folder.write(kFirst, kMakeT);
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("OK"));
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("OK"));
        folder.write(kSecond, "INSERT INTO t VALUES (2);");
        Folder other;
        other.write(kFirst, "CREATE TABLE u (n BIGINT);");
        QCOMPARE(reasonOf(*database, {folder.set(), other.set(QStringLiteral("other"))}), QStringLiteral("OK"));
        const auto rows = QCoro::waitFor(database->run([](Connection& connection) {
            return Statement(connection, "SELECT n FROM t ORDER BY n").all([](const Row& row) {
                return row.integer(0);
            });
        }));
        QCOMPARE(rows.value(), (QList<qint64>{1, 2}));
        QVERIFY(execute(*database, QStringLiteral("INSERT INTO u VALUES (1)")));
    }

    void anEditedOneRefuses_data() { BothDatabases::addRows(); }
    void anEditedOneRefuses()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        Folder folder;
        folder.write(kFirst, kMakeT);
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("OK"));
        folder.write(kFirst, kMakeT + " ");
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("MIGRATION_EDITED"));
    }

    void aNewerDatabaseRefuses_data() { BothDatabases::addRows(); }
    void aNewerDatabaseRefuses()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        Folder newer;
        newer.write(kFirst, kMakeT);
        newer.write(kSecond, "INSERT INTO t VALUES (2);");
        QCOMPARE(reasonOf(*database, {newer.set()}), QStringLiteral("OK"));
        Folder older;
        older.write(kFirst, kMakeT);
        QCOMPARE(reasonOf(*database, {older.set()}), QStringLiteral("DATABASE_NEWER"));
    }

    void aFailingOneLeavesNothingOfItself_data() { BothDatabases::addRows(); }
    void aFailingOneLeavesNothingOfItself()
    {
        QFETCH(bool, isPostgres);
        const auto database = BothDatabases::open(m_databases.newUrl(isPostgres));
        Folder folder;
        folder.write(kFirst, kMakeT);
        folder.write(kSecond, "CREATE TABLE v (n BIGINT); INSERT INTO t VALUES (2); SELEC;");
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("DATABASE_ERROR"));
        QVERIFY(!execute(*database, QStringLiteral("SELECT n FROM v")));
        folder.write(kSecond, "CREATE TABLE v (n BIGINT);");
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("OK"));
    }

    void twoThatStartTogetherMigrateOnce_data() { BothDatabases::addRows(); }
    void twoThatStartTogetherMigrateOnce()
    {
        QFETCH(bool, isPostgres);
        const QString url = m_databases.newUrl(isPostgres);
        Folder folder;
        folder.write(kFirst, kMakeT);
        const auto one = BothDatabases::open(url);
        const auto two = BothDatabases::open(url);
        auto first = migrate(*one, {folder.set()});
        auto second = migrate(*two, {folder.set()});
        const Result<void> firstResult = QCoro::waitFor(first);
        const Result<void> secondResult = QCoro::waitFor(second);
        QVERIFY2(firstResult, qPrintable(firstResult ? QString() : firstResult.error().detail));
        QVERIFY2(secondResult, qPrintable(secondResult ? QString() : secondResult.error().detail));
        const auto count = QCoro::waitFor(one->run([](Connection& connection) {
            return Statement(connection, "SELECT COUNT(*) FROM t").one([](const Row& row) { return row.integer(0); });
        }));
        QCOMPARE(count->value(), 1);
    }

    void numbersFollowEachOther()
    {
        const auto database = BothDatabases::open(m_databases.newUrl(false));
        Folder folder;
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("MIGRATION_GAP"));
        folder.write(kSecond, kMakeT);
        QCOMPARE(reasonOf(*database, {folder.set()}), QStringLiteral("MIGRATION_GAP"));
    }

    void statementsAreSplitOutsideQuotesAndComments()
    {
        QCOMPARE(splitStatements(u"A 'x;''y--' ; -- it's; one\n\nB;;\n C -- end"),
                 (QStringList{QStringLiteral("A 'x;''y--'"), QStringLiteral("B"), QStringLiteral("C")}));
        QCOMPARE(splitStatements(u" -- nothing"), QStringList());
    }

private:
    BothDatabases m_databases;
};

QTEST_GUILESS_MAIN(TestMigrations)
#include "tst_migrations.moc"
