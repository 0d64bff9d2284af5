// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <memory>
#include <optional>
#include <QSqlDatabase>
#include <QVariantList>
#include <type_traits>

class QSqlError;
class QSqlQuery;

// SQL as stores see it, on the database's worker thread. The same text runs on SQLite and PostgreSQL:
// `?` for parameters, TEXT and BIGINT columns, ON CONFLICT, RETURNING; no BLOB, no AUTOINCREMENT, no triggers.
namespace cocoonbox::sql {

enum class Dialect { Sqlite, Postgres };

class Connection;

// One row of an answer; columns count from 0.
class Row {
public:
    explicit Row(const QSqlQuery& query) : m_query(query) {}
    QString text(int column) const;
    qint64 integer(int column) const;
    bool boolean(int column) const { return integer(column) != 0; }
    bool isNull(int column) const;

private:
    const QSqlQuery& m_query;
};

// A prepared statement; values are always bound, never pasted into the text.
//   TRY_ASSIGN(auto rows, Statement(connection, "SELECT name FROM users WHERE user_id = ?").bind(id).all(nameOf));
class Statement {
public:
    Statement(Connection& connection, const char* sql);
    ~Statement();
    Statement(Statement&&) noexcept;

    Statement& bind(const QString& value);
    Statement& bind(qint64 value);
    Statement& bind(bool value) { return bind(qint64{value}); }
    Statement& bind(const char*) = delete;

    // The number of rows changed.
    Result<qint64> run();
    // `map` makes a value of each row. Bounded at 100,000 rows: ResourceExhausted, ROWS_LIMIT.
    template <class Map, class T = std::invoke_result_t<Map, const Row&>>
    Result<QList<T>> all(Map map);
    // The first row, or nothing.
    template <class Map, class T = std::invoke_result_t<Map, const Row&>>
    Result<std::optional<T>> one(Map map);

private:
    Result<void> execute();
    Result<bool> next();
    Row row() const;

    static constexpr qsizetype kRowsMax = 100'000;

    Connection* m_connection;
    std::unique_ptr<QSqlQuery> m_query;
    QString m_sql;
    QVariantList m_values;
};

// One open connection. AlreadyExists: ROW_EXISTS (a unique constraint). Aborted: DATABASE_BUSY. ResourceExhausted:
// DATABASE_FULL. DataLoss: DATABASE_CORRUPT. Unavailable: DATABASE_UNREACHABLE. Internal: DATABASE_ERROR.
class Connection {
public:
    Connection(QSqlDatabase handle, Dialect dialect) : m_handle(std::move(handle)), m_dialect(dialect) {}

    Dialect dialect() const { return m_dialect; }
    // One statement without parameters, for schema and PRAGMA.
    Result<void> execute(const QString& sql);
    Result<void> begin();
    Result<void> commit();
    void rollback();
    QSqlDatabase& handle() { return m_handle; }
    Error errorOf(const QSqlError& error) const;

private:
    QSqlDatabase m_handle;
    Dialect m_dialect;
};

// Rolls back unless committed.
class Transaction {
public:
    static Result<Transaction> begin(Connection& connection);
    Transaction(Transaction&& other) noexcept : m_connection(std::exchange(other.m_connection, nullptr)) {}
    ~Transaction();

    Result<void> commit();

private:
    explicit Transaction(Connection& connection) : m_connection(&connection) {}

    Connection* m_connection;
};

template <class Map, class T>
Result<QList<T>> Statement::all(Map map)
{
    TRY_VOID(execute());
    QList<T> rows;
    for (;;) {
        TRY_ASSIGN(const bool more, next());
        if (!more) return rows;
        if (rows.size() >= kRowsMax)
            return fail(ErrorCode::ResourceExhausted, QStringLiteral("The database's answer is too large."),
                        QStringLiteral("ROWS_LIMIT"));
        rows.append(map(row()));
    }
}

template <class Map, class T>
Result<std::optional<T>> Statement::one(Map map)
{
    TRY_VOID(execute());
    TRY_ASSIGN(const bool found, next());
    if (!found) return std::optional<T>{};
    return std::optional<T>{map(row())};
}

} // namespace cocoonbox::sql
