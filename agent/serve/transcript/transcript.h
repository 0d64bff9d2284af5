// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/transcript/entry.h"
#include "common/async/task.h"
#include "common/base/clock.h"

#include <QObject>

namespace cocoonbox::sql {
class Database;
}

// The transcript: agents, their entries, and the durable events that tell of every change. One process writes it.
//
// Invariants: every change and its events are one transaction; offsets and an agent's seqs grow by one and are never
// given twice; an agent has a turn id exactly while it is not idle; no tool call is running or waiting outside its
// agent's running turn. Of several "changed" events of one entry or agent only the newest is kept: it carries the
// present state, so a reader misses nothing and the table stays within two events an entry.
// Tables: agents, entries, events, nonces (agent/migrations). Limits: 64 agents, nonces are kept for 7 days.
namespace cocoonbox::agent::serve::transcript {

inline constexpr int kAgentsMax = 64;
inline constexpr int kTitleCharsMax = 120;
inline constexpr int kPageMax = 1000;

struct Page {
    QList<Entry> entries;
    bool hasMore = false;
};
struct SentPrompt {
    Entry prompt;
    bool isRepeat = false; // this nonce was sent before; nothing was written
};
// What one transaction writes. Added entries get their seq; changed ones replace the entry of their seq.
struct Change {
    QList<Entry> added;
    QList<Entry> changed;
    std::optional<Agent> agent;
};

class Transcript final : public QObject {
    Q_OBJECT
public:
    Transcript(sql::Database& database, const Clock& clock);

    // Brings the schema up to date, then ends what an earlier process left open: its turns get an ERROR entry, its
    // tool calls become CANCELLED.
    Task<void> open();

    // ResourceExhausted: AGENT_LIMIT. InvalidArgument: NONCE_INVALID, TITLE_TOO_LONG.
    Task<Agent> createAgent(QString nonce, QString title);
    Task<QList<Agent>> agents();        // newest change first
    Task<Agent> agent(QString agentId); // NotFound: AGENT_UNKNOWN
    // Writes the prompt and makes the agent Working. FailedPrecondition: TURN_RUNNING. InvalidArgument: PROMPT_EMPTY,
    // PROMPT_TOO_LONG, NONCE_INVALID.
    Task<SentPrompt> sendPrompt(QString agentId, QString prompt, QString nonce);
    Task<Page> page(QString agentId, qint64 afterSeq, int limit); // oldest first; limit 0: 200
    Task<std::optional<Entry>> entry(QString agentId, qint64 seq);

    // The added entries with their seqs. Times that are 0 become now.
    Task<QList<Entry>> apply(Change change);

    Task<QList<Event>> eventsAfter(qint64 offset, int limit);
    qint64 lastOffset() const { return m_lastOffset; }

signals:
    // Events up to `offset` can be read.
    void advanced(qint64 offset);

private:
    void advance(qint64 offset);
    Task<void> endLeftOvers();

    sql::Database& m_database;
    const Clock& m_clock;
    qint64 m_lastOffset = 0;
};

} // namespace cocoonbox::agent::serve::transcript
