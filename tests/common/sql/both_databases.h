// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/sql/database.h"
#include "tests/support/postgres_server.h"

#include <QCoroTask>
#include <QTest>

namespace cocoonbox::testing {

// Every test of this folder runs on SQLite and on a real PostgreSQL.
class BothDatabases {
public:
    QString problem() const { return m_postgres.problem(); }
    PostgresServer& postgres() { return m_postgres; }

    static void addRows()
    {
        QTest::addColumn<bool>("isPostgres");
        QTest::newRow("sqlite") << false;
        QTest::newRow("postgres") << true;
    }
    // Of an empty database.
    QString newUrl(bool isPostgres)
    {
        if (isPostgres) return m_postgres.newDatabase();
        return QStringLiteral("sqlite:") + m_dir.filePath(QStringLiteral("%1.db").arg(++m_files));
    }
    static std::unique_ptr<sql::Database> open(const QString& url)
    {
        auto database = QCoro::waitFor(sql::Database::open({url}));
        if (!database) qFatal("%s %s", qPrintable(database.error().message), qPrintable(database.error().detail));
        return std::move(*database);
    }

private:
    QTemporaryDir m_dir;
    PostgresServer m_postgres;
    int m_files = 0;
};

inline Result<void> execute(sql::Database& database, const QString& text)
{
    return QCoro::waitFor(database.run([text](sql::Connection& connection) { return connection.execute(text); }));
}

} // namespace cocoonbox::testing
