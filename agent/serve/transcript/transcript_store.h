// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/transcript/transcript.h"
#include "common/sql/connection.h"

// The transcript's SQL. Every function runs on the database's worker, inside the caller's transaction.
namespace cocoonbox::agent::serve::transcript::store {

// Writes the change and its events. The last offset written comes with the added entries.
struct Written {
    QList<Entry> added;
    qint64 offset = 0;
};
Result<Written> write(sql::Connection& connection, Change change, qint64 nowMs);

Result<std::optional<Agent>> findAgent(sql::Connection& connection, const QString& agentId);
Result<QList<Agent>> agents(sql::Connection& connection);
Result<qint64> agentCount(sql::Connection& connection);
Result<std::optional<Entry>> findEntry(sql::Connection& connection, const QString& agentId, qint64 seq);
Result<QList<Entry>> entriesAfter(sql::Connection& connection, const QString& agentId, qint64 afterSeq, int limit);
// Tool calls that are running or waiting.
Result<QList<Entry>> openToolCalls(sql::Connection& connection);

Result<QList<Event>> eventsAfter(sql::Connection& connection, qint64 offset, int limit);
Result<qint64> lastOffset(sql::Connection& connection);

struct NonceUse {
    QString agentId;
    qint64 seq = 0;
};
Result<std::optional<NonceUse>> findNonce(sql::Connection& connection, const QString& call, const QString& nonce);
Result<void> keepNonce(sql::Connection& connection, const QString& call, const QString& nonce, const NonceUse& use,
                       qint64 nowMs);
Result<void> forgetNoncesBefore(sql::Connection& connection, qint64 atMs);

} // namespace cocoonbox::agent::serve::transcript::store
