// SPDX-License-Identifier: AGPL-3.0-only
#include "common/sql/database.h"

#include <atomic>
#include <fcntl.h>
#include <QFile>
#include <QSqlError>
#include <QUrl>
#include <QUrlQuery>
#include <unistd.h>

namespace cocoonbox::sql {

namespace {

QString newConnectionName()
{
    static std::atomic<int> counter = 0;
    return QStringLiteral("cocoonbox-%1").arg(++counter);
}

Result<Dialect> dialectOf(const QUrl& url)
{
    if (url.scheme() == u"sqlite" && !url.path().isEmpty()) return Dialect::Sqlite;
    if (url.scheme() == u"postgresql" && url.path().size() > 1) return Dialect::Postgres;
    return fail(ErrorCode::InvalidArgument,
                QStringLiteral("\"%1\" is no database; write sqlite:/path/file.db or postgresql://user@host/name.")
                    .arg(url.toDisplayString()),
                QStringLiteral("DATABASE_URL_INVALID"));
}

QSqlDatabase makeHandle(const QUrl& url, Dialect dialect, const QString& name)
{
    if (dialect == Dialect::Sqlite) {
        QSqlDatabase handle = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        handle.setDatabaseName(url.path());
        handle.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=5000"));
        return handle;
    }
    QSqlDatabase handle = QSqlDatabase::addDatabase(QStringLiteral("QPSQL"), name);
    const QUrlQuery query(url);
    const QString socketDir = query.queryItemValue(QStringLiteral("host"), QUrl::FullyDecoded);
    handle.setHostName(socketDir.isEmpty() ? url.host() : socketDir);
    if (url.port() > 0) handle.setPort(url.port());
    handle.setUserName(url.userName().isEmpty() ? query.queryItemValue(QStringLiteral("user")) : url.userName());
    handle.setDatabaseName(url.path().mid(1));
    handle.setConnectOptions(QStringLiteral("connect_timeout=5"));
    return handle;
}

// SQLite gives its -wal and -shm files the mode of the database, so that is made first.
void makePrivateFile(const QString& path)
{
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0) ::close(fd);
}

Result<void> configure(Connection& connection, const DatabaseOptions& options)
{
    if (connection.dialect() == Dialect::Postgres) return connection.execute(QStringLiteral("SET lock_timeout = '5s'"));
    TRY_VOID(connection.execute(QStringLiteral("PRAGMA journal_mode = WAL")));
    TRY_VOID(connection.execute(QStringLiteral("PRAGMA synchronous = %1")
                                    .arg(options.syncEveryCommit ? QStringLiteral("FULL") : QStringLiteral("NORMAL"))));
    TRY_VOID(connection.execute(QStringLiteral("PRAGMA trusted_schema = OFF")));
    return connection.execute(QStringLiteral("PRAGMA foreign_keys = ON"));
}

Result<void> openConnection(Connection& connection, const DatabaseOptions& options)
{
    QSqlDatabase& handle = connection.handle();
    if (connection.dialect() == Dialect::Sqlite) makePrivateFile(handle.databaseName());
    handle.close();
    if (!handle.open()) return std::unexpected(connection.errorOf(handle.lastError()));
    Result<void> configured = configure(connection, options);
    if (!configured) handle.close();
    return configured;
}

} // namespace

Database::Database(DatabaseOptions options, Dialect dialect)
    : m_options(std::move(options)), m_dialect(dialect), m_worker([this](std::stop_token stop) { work(stop); })
{
}

Database::~Database() = default;

Task<std::unique_ptr<Database>> Database::open(DatabaseOptions options)
{
    CO_TRY_ASSIGN(const Dialect dialect, dialectOf(QUrl(options.url)));
    std::unique_ptr<Database> database(new Database(std::move(options), dialect));
    CO_TRY_VOID(co_await database->run([](Connection&) { return Result<void>{}; }));
    co_return std::move(database);
}

bool Database::enqueue(Job job)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_jobs.size() >= kJobsMax) return false;
        m_jobs.push_back(std::move(job));
    }
    m_changed.notify_one();
    return true;
}

void Database::work(std::stop_token stop)
{
    const QString name = newConnectionName();
    {
        Connection connection(makeHandle(QUrl(m_options.url), m_dialect, name), m_dialect);
        for (;;) {
            Job job;
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, stop, [this] { return !m_jobs.empty(); });
                if (m_jobs.empty()) break;
                job = std::move(m_jobs.front());
                m_jobs.pop_front();
            }
            // PostgreSQL's driver answers whether its connection still stands.
            const Result<void> opened =
                connection.handle().isOpen() ? Result<void>{} : openConnection(connection, m_options);
            job(opened ? Result<Connection*>(&connection) : std::unexpected(opened.error()));
        }
        connection.handle().close();
    }
    QSqlDatabase::removeDatabase(name);
}

} // namespace cocoonbox::sql
