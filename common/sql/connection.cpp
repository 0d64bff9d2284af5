// SPDX-License-Identifier: AGPL-3.0-only
#include "common/sql/connection.h"

#include <QSqlError>
#include <QSqlQuery>

namespace cocoonbox::sql {

namespace {

struct Meaning {
    ErrorCode code;
    const char* message;
    const char* reason;
};

constexpr Meaning kExists{ErrorCode::AlreadyExists, "That entry exists already.", "ROW_EXISTS"};
constexpr Meaning kBusy{ErrorCode::Aborted, "The database is busy with another change; try again.", "DATABASE_BUSY"};
constexpr Meaning kFull{ErrorCode::ResourceExhausted,
                        "The disk of the database is full; free some space, then try again.", "DATABASE_FULL"};
constexpr Meaning kCorrupt{ErrorCode::DataLoss, "The database is damaged; restore it from a backup.",
                           "DATABASE_CORRUPT"};
constexpr Meaning kUnreachable{ErrorCode::Unavailable,
                               "The database cannot be reached; see that it runs, then try again.",
                               "DATABASE_UNREACHABLE"};
constexpr Meaning kOther{ErrorCode::Internal, "The database refused a statement; the log says which.",
                         "DATABASE_ERROR"};

Meaning sqliteMeaning(const QString& nativeCode, const QString& text)
{
    const int primary = nativeCode.toInt() & 0xff; // the rest of SQLite's extended code only refines it
    switch (primary) {
    case 5:
    case 6: return kBusy;
    case 8:
    case 10:
    case 14: return kUnreachable; // read-only, I/O, cannot open
    case 11:
    case 26: return kCorrupt;
    case 13: return kFull;
    case 19: return text.contains(u"UNIQUE") || text.contains(u"PRIMARY KEY") ? kExists : kOther;
    default: return kOther;
    }
}

// By SQLSTATE (PostgreSQL manual, appendix A). Without one the server said nothing: the connection broke.
Meaning postgresMeaning(const QString& state)
{
    if (state.isEmpty()) return kUnreachable;
    if (state == u"23505") return kExists;
    if (state == u"40001" || state == u"40P01" || state == u"55P03") return kBusy;
    if (state.startsWith(u"53100")) return kFull;
    if (state.startsWith(u"XX001") || state.startsWith(u"XX002")) return kCorrupt;
    if (state.startsWith(u"08") || state.startsWith(u"57P") || state.startsWith(u"53")) return kUnreachable;
    return kOther;
}

} // namespace

QString Row::text(int column) const
{
    return m_query.value(column).toString();
}
qint64 Row::integer(int column) const
{
    return m_query.value(column).toLongLong();
}
bool Row::isNull(int column) const
{
    return m_query.isNull(column);
}

Statement::Statement(Connection& connection, const char* sql)
    : m_connection(&connection), m_query(std::make_unique<QSqlQuery>(connection.handle())),
      m_sql(QString::fromUtf8(sql))
{
    m_query->setForwardOnly(true);
}

Statement::~Statement() = default;
Statement::Statement(Statement&&) noexcept = default;

Statement& Statement::bind(const QString& value)
{
    // A null QString would be bound as SQL NULL.
    m_values.append(value.isNull() ? QVariant(QStringLiteral("")) : QVariant(value));
    return *this;
}

Statement& Statement::bind(qint64 value)
{
    m_values.append(QVariant::fromValue(value));
    return *this;
}

Result<void> Statement::execute()
{
    bool ok = m_query->prepare(m_sql);
    for (qsizetype i = 0; ok && i < m_values.size(); ++i)
        m_query->bindValue(static_cast<int>(i), m_values[i]);
    ok = ok && m_query->exec();
    if (!ok)
        return std::unexpected(m_connection->errorOf(m_query->lastError())
                                   .withDetail(m_query->lastError().text() + QStringLiteral(" in: ") + m_sql));
    return {};
}

Result<bool> Statement::next()
{
    if (m_query->next()) return true;
    if (m_query->lastError().isValid()) return std::unexpected(m_connection->errorOf(m_query->lastError()));
    return false;
}

Row Statement::row() const
{
    return Row(*m_query);
}

Result<qint64> Statement::run()
{
    TRY_VOID(execute());
    return m_query->numRowsAffected();
}

Error Connection::errorOf(const QSqlError& error) const
{
    Meaning meaning = m_dialect == Dialect::Sqlite ? sqliteMeaning(error.nativeErrorCode(), error.text())
                                                   : postgresMeaning(error.nativeErrorCode());
    // Qt's SQLite driver gives this type to failed constraints too.
    const bool isCut = m_dialect == Dialect::Postgres && error.type() == QSqlError::ConnectionError;
    if (isCut || !m_handle.isOpen()) meaning = kUnreachable;
    // The server's last words can arrive before the driver notices the loss: closed, it is opened for the next job.
    if (m_dialect == Dialect::Postgres && meaning.code == ErrorCode::Unavailable) QSqlDatabase(m_handle).close();
    return {meaning.code, QString::fromUtf8(meaning.message), QString::fromLatin1(meaning.reason), error.text(),
            std::source_location::current()};
}

Result<void> Connection::execute(const QString& sql)
{
    QSqlQuery query(m_handle);
    if (!query.exec(sql))
        return std::unexpected(
            errorOf(query.lastError()).withDetail(query.lastError().text() + QStringLiteral(" in: ") + sql));
    return {};
}

Result<void> Connection::begin()
{
    // IMMEDIATE: a writer waits for its turn here, never in the middle.
    return execute(m_dialect == Dialect::Sqlite ? QStringLiteral("BEGIN IMMEDIATE") : QStringLiteral("BEGIN"));
}

Result<void> Connection::commit()
{
    return execute(QStringLiteral("COMMIT"));
}

void Connection::rollback()
{
    // Fails only where the database has rolled back by itself, or is gone and does so.
    static_cast<void>(execute(QStringLiteral("ROLLBACK")));
}

Result<Transaction> Transaction::begin(Connection& connection)
{
    TRY_VOID(connection.begin());
    return Transaction(connection);
}

Transaction::~Transaction()
{
    if (m_connection) m_connection->rollback();
}

Result<void> Transaction::commit()
{
    TRY_VOID(m_connection->commit());
    m_connection = nullptr;
    return {};
}

} // namespace cocoonbox::sql
