// SPDX-License-Identifier: AGPL-3.0-only
#include "common/sql/migrations.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QMap>

namespace cocoonbox::sql {

namespace {

struct Migration {
    QString part;
    qint64 number = 0;
    QString name;
    QString sha256;
    QString sql;
};

using Applied = QMap<std::pair<QString, qint64>, QString>; // (part, number) to SHA-256

Result<QList<Migration>> load(const MigrationSet& set)
{
    QList<Migration> migrations;
    const QDir directory(set.directory);
    const QStringList names = directory.entryList({QStringLiteral("*.sql")}, QDir::Files, QDir::Name);
    for (const QString& name : names) {
        const qint64 expected = migrations.size() + 1;
        if (name.left(4).toLongLong() != expected || name.mid(4, 1) != u"_")
            return fail(ErrorCode::FailedPrecondition,
                        QStringLiteral("Schema change %1 of %2 is out of order: number %3 was expected.")
                            .arg(name, set.part)
                            .arg(expected),
                        QStringLiteral("MIGRATION_GAP"));
        QFile file(directory.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            return fail(ErrorCode::Internal, QStringLiteral("Schema change %1 is not in this program.").arg(name));
        const QByteArray sql = file.readAll();
        const QByteArray hash = QCryptographicHash::hash(sql, QCryptographicHash::Sha256).toHex();
        migrations.append({set.part, expected, name, QString::fromLatin1(hash), QString::fromUtf8(sql)});
    }
    if (migrations.isEmpty())
        return fail(ErrorCode::FailedPrecondition, QStringLiteral("There are no schema changes for %1.").arg(set.part),
                    QStringLiteral("MIGRATION_GAP"));
    return migrations;
}

// Held until the transaction ends, so that two processes that start at once take turns. SQLite's BEGIN IMMEDIATE does
// the same by itself.
Result<Transaction> beginAlone(Connection& connection)
{
    TRY_ASSIGN(Transaction transaction, Transaction::begin(connection));
    if (connection.dialect() == Dialect::Postgres) {
        TRY_VOID(connection.execute(QStringLiteral("SELECT pg_advisory_xact_lock(4773213)")));
    }
    return transaction;
}

Result<void> ensureTable(Connection& connection)
{
    TRY_ASSIGN(Transaction transaction, beginAlone(connection));
    TRY_VOID(connection.execute(QStringLiteral(
        "CREATE TABLE IF NOT EXISTS schema_migrations (part TEXT NOT NULL, number BIGINT NOT NULL, name TEXT NOT NULL, "
        "sha256 TEXT NOT NULL, applied_at_ms BIGINT NOT NULL, PRIMARY KEY (part, number))")));
    return transaction.commit();
}

Result<Applied> readApplied(Connection& connection)
{
    Applied applied;
    const auto add = [&applied](const Row& row) {
        applied.insert({row.text(0), row.integer(1)}, row.text(2));
        return 0;
    };
    TRY_VOID(Statement(connection, "SELECT part, number, sha256 FROM schema_migrations").all(add));
    return applied;
}

Result<void> checkHistory(const Applied& applied, const QList<Migration>& migrations)
{
    QMap<std::pair<QString, qint64>, const Migration*> known;
    for (const Migration& migration : migrations)
        known.insert({migration.part, migration.number}, &migration);
    for (const auto& [key, sha256] : applied.asKeyValueRange()) {
        const Migration* migration = known.value(key);
        if (!migration)
            return fail(ErrorCode::FailedPrecondition,
                        QStringLiteral("The database was made by a newer cocoonbox (it has schema change %1 of %2). "
                                       "Install that version again, or restore a backup.")
                            .arg(key.second)
                            .arg(key.first),
                        QStringLiteral("DATABASE_NEWER"));
        if (migration->sha256 != sha256)
            return fail(ErrorCode::FailedPrecondition,
                        QStringLiteral("Schema change %1 differs from the one this database was made with; put the "
                                       "original back and write the difference as a new change.")
                            .arg(migration->name),
                        QStringLiteral("MIGRATION_EDITED"));
    }
    return {};
}

Result<void> applyOne(Connection& connection, const Migration& migration)
{
    TRY_ASSIGN(Transaction transaction, beginAlone(connection));
    TRY_ASSIGN(const Applied applied, readApplied(connection));
    if (applied.contains({migration.part, migration.number})) return {};
    for (const QString& sql : splitStatements(migration.sql))
        TRY_VOID(connection.execute(sql).transform_error([&migration](Error error) {
            return std::move(error).withContext(QStringLiteral("schema change %1").arg(migration.name));
        }));
    TRY_VOID(Statement(connection, "INSERT INTO schema_migrations (part, number, name, sha256, applied_at_ms) "
                                   "VALUES (?, ?, ?, ?, ?)")
                 .bind(migration.part)
                 .bind(migration.number)
                 .bind(migration.name)
                 .bind(migration.sha256)
                 .bind(QDateTime::currentMSecsSinceEpoch())
                 .run());
    return transaction.commit();
}

Result<void> apply(Connection& connection, const QList<MigrationSet>& sets)
{
    QList<Migration> migrations;
    for (const MigrationSet& set : sets) {
        TRY_ASSIGN(const QList<Migration> loaded, load(set));
        migrations += loaded;
    }
    TRY_VOID(ensureTable(connection));
    TRY_ASSIGN(const Applied applied, readApplied(connection));
    TRY_VOID(checkHistory(applied, migrations));
    for (const Migration& migration : migrations)
        if (!applied.contains({migration.part, migration.number})) {
            TRY_VOID(applyOne(connection, migration));
        }
    return {};
}

} // namespace

Task<void> migrate(Database& database, QList<MigrationSet> sets)
{
    return database.run([sets = std::move(sets)](Connection& connection) { return apply(connection, sets); });
}

QStringList splitStatements(QStringView sql)
{
    QStringList statements;
    QString current;
    bool inQuotes = false;
    const auto finish = [&] {
        if (const QString statement = current.trimmed(); !statement.isEmpty()) statements.append(statement);
        current.clear();
    };
    for (qsizetype i = 0; i < sql.size(); ++i) {
        const QChar c = sql[i];
        if (c == u'\'') inQuotes = !inQuotes;
        if (!inQuotes && c == u'-' && i + 1 < sql.size() && sql[i + 1] == u'-') {
            const qsizetype end = sql.indexOf(u'\n', i);
            i = end < 0 ? sql.size() : end;
            current += u' ';
        } else if (!inQuotes && c == u';') {
            finish();
        } else {
            current += c;
        }
    }
    finish();
    return statements;
}

} // namespace cocoonbox::sql
