// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/transcript/transcript_store.h"

namespace cocoonbox::agent::serve::transcript::store {

namespace {

using sql::Connection;
using sql::Row;
using sql::Statement;

Agent agentOf(const Row& row, int at = 0)
{
    return {.agentId = row.text(at),
            .title = row.text(at + 1),
            .state = static_cast<AgentState>(row.integer(at + 2)),
            .turnId = row.text(at + 3),
            .createdAtMs = row.integer(at + 4),
            .changedAtMs = row.integer(at + 5)};
}

Entry entryOf(const Row& row, int at = 0)
{
    Entry entry{.seq = row.integer(at + 1),
                .agentId = row.text(at),
                .turnId = row.text(at + 2),
                .kind = static_cast<EntryKind>(row.integer(at + 3)),
                .round = static_cast<int>(row.integer(at + 4)),
                .text = row.text(at + 5),
                .toolCall = {},
                .atMs = row.integer(at + 6)};
    if (entry.kind != EntryKind::ToolCall) return entry;
    entry.toolCall = ToolCall{.callId = row.text(at + 7),
                              .tool = row.text(at + 8),
                              .summary = row.text(at + 9),
                              .argumentsJson = row.text(at + 10).toUtf8(),
                              .state = static_cast<ToolState>(row.integer(at + 11)),
                              .output = row.text(at + 12),
                              .startedAtMs = row.integer(at + 13),
                              .endedAtMs = row.integer(at + 14)};
    return entry;
}

#define AGENT_COLUMNS "a.agent_id, a.title, a.state, a.turn_id, a.created_at_ms, a.changed_at_ms"
#define ENTRY_COLUMNS                                                                                                  \
    "e.agent_id, e.seq, e.turn_id, e.kind, e.round, e.text, e.at_ms, e.call_id, e.tool, e.tool_summary, "              \
    "e.tool_arguments, e.tool_state, e.tool_output, e.tool_started_ms, e.tool_ended_ms"
constexpr int kAgentColumns = 6;

// A null QString would be bound as NULL.
QString present(const QString& text)
{
    return text.isNull() ? QStringLiteral("") : text;
}

// Adds the event; of the "changed" events of one subject only the newest stays.
Result<qint64> addEvent(Connection& connection, EventKind kind, const QString& agentId, qint64 seq, qint64 nowMs)
{
    TRY_ASSIGN(const qint64 last, lastOffset(connection));
    const qint64 offset = last + 1;
    TRY_VOID(
        Statement(connection, "INSERT INTO events (event_offset, at_ms, kind, agent_id, seq) VALUES (?, ?, ?, ?, ?)")
            .bind(offset)
            .bind(nowMs)
            .bind(qint64(kind))
            .bind(agentId)
            .bind(seq)
            .run());
    if (kind == EventKind::EntryAdded) return offset;
    TRY_VOID(
        Statement(connection, "DELETE FROM events WHERE agent_id = ? AND seq = ? AND kind = ? AND event_offset < ?")
            .bind(agentId)
            .bind(seq)
            .bind(qint64(kind))
            .bind(offset)
            .run());
    return offset;
}

Result<qint64> nextSeq(Connection& connection, const QString& agentId)
{
    TRY_ASSIGN(const auto last, Statement(connection, "SELECT COALESCE(MAX(seq), 0) FROM entries WHERE agent_id = ?")
                                    .bind(agentId)
                                    .one([](const Row& row) { return row.integer(0); }));
    return last.value_or(0) + 1;
}

Result<void> insertEntry(Connection& connection, const Entry& entry)
{
    const ToolCall call = entry.toolCall.value_or(ToolCall{});
    const qint64 toolState = entry.toolCall ? qint64(call.state) : 0;
    TRY_VOID(Statement(connection,
                       "INSERT INTO entries (agent_id, seq, turn_id, kind, round, text, at_ms, call_id, tool, "
                       "tool_summary, tool_arguments, tool_state, tool_output, tool_started_ms, tool_ended_ms) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                 .bind(entry.agentId)
                 .bind(entry.seq)
                 .bind(present(entry.turnId))
                 .bind(qint64(entry.kind))
                 .bind(qint64(entry.round))
                 .bind(present(entry.text))
                 .bind(entry.atMs)
                 .bind(present(call.callId))
                 .bind(present(call.tool))
                 .bind(present(call.summary))
                 .bind(present(QString::fromUtf8(call.argumentsJson)))
                 .bind(toolState)
                 .bind(present(call.output))
                 .bind(call.startedAtMs)
                 .bind(call.endedAtMs)
                 .run());
    return {};
}

// Only what can change of an entry: its text and the progress of its tool call.
Result<void> updateEntry(Connection& connection, const Entry& entry)
{
    const ToolCall call = entry.toolCall.value_or(ToolCall{});
    TRY_VOID(Statement(connection, "UPDATE entries SET text = ?, tool_state = ?, tool_output = ?, tool_started_ms = ?, "
                                   "tool_ended_ms = ? WHERE agent_id = ? AND seq = ?")
                 .bind(present(entry.text))
                 .bind(entry.toolCall ? qint64(call.state) : 0)
                 .bind(present(call.output))
                 .bind(call.startedAtMs)
                 .bind(call.endedAtMs)
                 .bind(entry.agentId)
                 .bind(entry.seq)
                 .run());
    return {};
}

Result<void> upsertAgent(Connection& connection, const Agent& agent)
{
    TRY_VOID(Statement(connection,
                       "INSERT INTO agents (agent_id, title, state, turn_id, created_at_ms, changed_at_ms) "
                       "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (agent_id) DO UPDATE SET title = excluded.title, "
                       "state = excluded.state, turn_id = excluded.turn_id, changed_at_ms = excluded.changed_at_ms")
                 .bind(agent.agentId)
                 .bind(present(agent.title))
                 .bind(qint64(agent.state))
                 .bind(present(agent.turnId))
                 .bind(agent.createdAtMs)
                 .bind(agent.changedAtMs)
                 .run());
    return {};
}

} // namespace

Result<Written> write(Connection& connection, Change change, qint64 nowMs)
{
    Written written;
    // The agent first: a new agent's row must be there before its entries' rows.
    if (change.agent) {
        Agent& agent = *change.agent;
        if (agent.createdAtMs == 0) agent.createdAtMs = nowMs;
        agent.changedAtMs = nowMs;
        TRY_VOID(upsertAgent(connection, agent));
    }
    for (Entry& entry : change.added) {
        TRY_ASSIGN(entry.seq, nextSeq(connection, entry.agentId));
        if (entry.atMs == 0) entry.atMs = nowMs;
        TRY_VOID(insertEntry(connection, entry));
        TRY_ASSIGN(written.offset, addEvent(connection, EventKind::EntryAdded, entry.agentId, entry.seq, nowMs));
    }
    for (const Entry& entry : std::as_const(change.changed)) {
        TRY_VOID(updateEntry(connection, entry));
        TRY_ASSIGN(written.offset, addEvent(connection, EventKind::EntryChanged, entry.agentId, entry.seq, nowMs));
    }
    // Told last: a viewer that learns that a turn is over has its entries by then.
    if (change.agent) {
        TRY_ASSIGN(written.offset, addEvent(connection, EventKind::AgentChanged, change.agent->agentId, 0, nowMs));
    }
    written.added = std::move(change.added);
    return written;
}

Result<std::optional<Agent>> findAgent(Connection& connection, const QString& agentId)
{
    return Statement(connection, "SELECT " AGENT_COLUMNS " FROM agents a WHERE a.agent_id = ?")
        .bind(present(agentId))
        .one([](const Row& row) { return agentOf(row); });
}

Result<QList<Agent>> agents(Connection& connection)
{
    return Statement(connection,
                     "SELECT " AGENT_COLUMNS " FROM agents a ORDER BY a.changed_at_ms DESC, a.agent_id DESC")
        .all([](const Row& row) { return agentOf(row); });
}

Result<qint64> agentCount(Connection& connection)
{
    TRY_ASSIGN(const auto count,
               Statement(connection, "SELECT COUNT(*) FROM agents").one([](const Row& row) { return row.integer(0); }));
    return count.value_or(0);
}

Result<std::optional<Entry>> findEntry(Connection& connection, const QString& agentId, qint64 seq)
{
    return Statement(connection, "SELECT " ENTRY_COLUMNS " FROM entries e WHERE e.agent_id = ? AND e.seq = ?")
        .bind(present(agentId))
        .bind(seq)
        .one([](const Row& row) { return entryOf(row); });
}

Result<QList<Entry>> entriesAfter(Connection& connection, const QString& agentId, qint64 afterSeq, int limit)
{
    return Statement(connection, "SELECT " ENTRY_COLUMNS " FROM entries e WHERE e.agent_id = ? AND e.seq > ? "
                                 "ORDER BY e.seq LIMIT ?")
        .bind(present(agentId))
        .bind(afterSeq)
        .bind(qint64(limit))
        .all([](const Row& row) { return entryOf(row); });
}

Result<QList<Entry>> openToolCalls(Connection& connection)
{
    return Statement(connection, "SELECT " ENTRY_COLUMNS " FROM entries e WHERE e.kind = 3 AND e.tool_state IN (1, 2) "
                                 "ORDER BY e.agent_id, e.seq")
        .all([](const Row& row) { return entryOf(row); });
}

Result<QList<Event>> eventsAfter(Connection& connection, qint64 offset, int limit)
{
    return Statement(connection, "SELECT v.event_offset, v.at_ms, v.kind, " AGENT_COLUMNS ", " ENTRY_COLUMNS " "
                                 "FROM events v JOIN agents a ON a.agent_id = v.agent_id "
                                 "LEFT JOIN entries e ON e.agent_id = v.agent_id AND e.seq = v.seq "
                                 "WHERE v.event_offset > ? ORDER BY v.event_offset LIMIT ?")
        .bind(offset)
        .bind(qint64(limit))
        .all([](const Row& row) {
            Event event{.offset = row.integer(0),
                        .atMs = row.integer(1),
                        .kind = static_cast<EventKind>(row.integer(2)),
                        .agent = {},
                        .entry = {}};
            if (event.kind == EventKind::AgentChanged)
                event.agent = agentOf(row, 3);
            else
                event.entry = entryOf(row, 3 + kAgentColumns);
            return event;
        });
}

Result<qint64> lastOffset(Connection& connection)
{
    TRY_ASSIGN(const auto last,
               Statement(connection, "SELECT COALESCE(MAX(event_offset), 0) FROM events").one([](const Row& row) {
                   return row.integer(0);
               }));
    return last.value_or(0);
}

Result<std::optional<NonceUse>> findNonce(Connection& connection, const QString& call, const QString& nonce)
{
    return Statement(connection, "SELECT agent_id, seq FROM nonces WHERE call = ? AND nonce = ?")
        .bind(call)
        .bind(nonce)
        .one([](const Row& row) { return NonceUse{row.text(0), row.integer(1)}; });
}

Result<void> keepNonce(Connection& connection, const QString& call, const QString& nonce, const NonceUse& use,
                       qint64 nowMs)
{
    TRY_VOID(Statement(connection, "INSERT INTO nonces (call, nonce, agent_id, seq, at_ms) VALUES (?, ?, ?, ?, ?)")
                 .bind(call)
                 .bind(nonce)
                 .bind(use.agentId)
                 .bind(use.seq)
                 .bind(nowMs)
                 .run());
    return {};
}

Result<void> forgetNoncesBefore(Connection& connection, qint64 atMs)
{
    TRY_VOID(Statement(connection, "DELETE FROM nonces WHERE at_ms < ?").bind(atMs).run());
    return {};
}

} // namespace cocoonbox::agent::serve::transcript::store
