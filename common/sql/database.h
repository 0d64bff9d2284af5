// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"
#include "common/sql/connection.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <QUrl>
#include <thread>

namespace cocoonbox::sql {

// "sqlite:/path/file.db", or "postgresql://user@host:port/name" ("postgresql:///name?host=/socket/dir&user=user" for
// a unix socket; the password comes from PGPASSFILE, never from here).
struct DatabaseOptions {
    QString url;
    bool syncEveryCommit = false; // SQLite: survive a power cut without losing the last commits, at a cost a commit
};

// One database with one worker thread that owns its connection; jobs run in the order they were given, at most 4,096
// waiting (ResourceExhausted: DATABASE_BUSY). SQLite: WAL, foreign keys on, file mode 0600. A lost PostgreSQL
// connection fails the job it interrupts (DATABASE_UNREACHABLE) and is made again for the next one.
// Domain thread, but for the jobs themselves. Destroying it runs what was given, then closes.
class Database final {
public:
    // Unavailable: DATABASE_UNREACHABLE. InvalidArgument: DATABASE_URL_INVALID.
    static Task<std::unique_ptr<Database>> open(DatabaseOptions options);
    ~Database();
    Database(const Database&) = delete;

    // `fn`: Result<T>(Connection&), run on the worker thread; it must own or copy all that it captures.
    template <class Fn, class R = std::invoke_result_t<Fn, Connection&>>
    QCoro::Task<R> run(Fn fn)
    {
        const Promise<R> promise;
        const bool queued = enqueue([fn = std::move(fn), promise](Result<Connection*> connection) mutable {
            auto result = std::make_shared<R>(connection ? fn(**connection) : std::unexpected(connection.error()));
            postToDomain([promise, result] { promise.set(std::move(*result)); });
        });
        if (!queued)
            co_return fail(ErrorCode::ResourceExhausted,
                           QStringLiteral("The database has too much to do; try again in a moment."),
                           QStringLiteral("DATABASE_BUSY"));
        co_return co_await promise.get();
    }

    // The same inside one transaction: committed when `fn` succeeds, rolled back when it does not.
    template <class Fn, class R = std::invoke_result_t<Fn, Connection&>>
    QCoro::Task<R> transact(Fn fn)
    {
        return run([fn = std::move(fn)](Connection& connection) mutable -> R {
            TRY_ASSIGN(Transaction transaction, Transaction::begin(connection));
            R result = fn(connection);
            if (!result) return result;
            TRY_VOID(transaction.commit());
            return result;
        });
    }

    Dialect dialect() const { return m_dialect; }

private:
    using Job = std::move_only_function<void(Result<Connection*>)>;

    Database(DatabaseOptions options, Dialect dialect);
    bool enqueue(Job job);
    void work(std::stop_token stop);

    static constexpr size_t kJobsMax = 4096;

    const DatabaseOptions m_options;
    const Dialect m_dialect;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<Job> m_jobs;
    std::jthread m_worker; // last: it uses all of the above
};

} // namespace cocoonbox::sql
