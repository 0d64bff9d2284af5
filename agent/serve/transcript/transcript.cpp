// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/transcript/transcript.h"

#include "agent/serve/transcript/transcript_store.h"
#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/sql/migrations.h"

#include <chrono>
#include <QLoggingCategory>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::transcript {

namespace {

Q_LOGGING_CATEGORY(transcriptLog, "cocoonbox.agent.transcript", QtInfoMsg)

constexpr qint64 kNonceLifetimeMs = std::chrono::milliseconds(std::chrono::days(7)).count();
constexpr qsizetype kNonceBytesMax = 64;
constexpr int kPageDefault = 200;
constexpr int kPageStep = 50;
constexpr qsizetype kPageBytesMax =
    2 * 1024 * 1024; // well under a message's 4 MiB, though text may take 3 bytes a unit

Result<void> checkNonce(const QString& nonce)
{
    if (!nonce.isEmpty() && nonce.toUtf8().size() <= kNonceBytesMax) return {};
    return fail(ErrorCode::InvalidArgument, u"A client nonce has 1 to 64 bytes."_s, u"NONCE_INVALID"_s);
}

Result<void> checkPrompt(const QString& prompt)
{
    if (prompt.trimmed().isEmpty())
        return fail(ErrorCode::InvalidArgument, u"The prompt is empty. Say what the agent should do."_s,
                    u"PROMPT_EMPTY"_s);
    if (prompt.toUtf8().size() > limits::kPromptBytesMax)
        return fail(
            ErrorCode::InvalidArgument,
            u"The prompt is longer than 256 KiB. Put the text into a file under /workspace and name the file."_s,
            u"PROMPT_TOO_LONG"_s);
    return {};
}

std::unexpected<Error> agentUnknown()
{
    return fail(ErrorCode::NotFound, u"This box has no such agent. List the agents and choose one of them."_s,
                u"AGENT_UNKNOWN"_s);
}

QString titleFrom(const QString& prompt)
{
    const QString firstLine = prompt.trimmed().section(u'\n', 0, 0).simplified();
    if (firstLine.size() <= kTitleCharsMax) return firstLine;
    QString title = firstLine.first(kTitleCharsMax - 1);
    if (title.back().isHighSurrogate()) title.chop(1);
    return title + u'…';
}

qsizetype sizeOf(const Entry& entry)
{
    const qsizetype text = entry.text.size();
    return entry.toolCall ? text + entry.toolCall->output.size() + entry.toolCall->argumentsJson.size() : text;
}

Entry endedByRestart(const Agent& agent)
{
    return Entry{.seq = 0,
                 .agentId = agent.agentId,
                 .turnId = agent.turnId,
                 .kind = EntryKind::Error,
                 .round = 0,
                 .text =
                     u"The agent was restarted while it worked on this, so the turn ended unfinished. What was done "
                     "so far is kept. Ask again to go on."_s,
                 .toolCall = {},
                 .atMs = 0};
}

Result<qint64> endLeftOversIn(sql::Connection& connection, qint64 nowMs)
{
    TRY_ASSIGN(const QList<Entry> open, store::openToolCalls(connection));
    TRY_ASSIGN(const QList<Agent> agents, store::agents(connection));
    for (Entry entry : open) {
        if (!entry.toolCall) continue;
        entry.toolCall->state = ToolState::Cancelled;
        entry.toolCall->endedAtMs = nowMs;
        if (!entry.toolCall->output.isEmpty()) entry.toolCall->output += u'\n';
        entry.toolCall->output += u"[The agent was restarted before this ended; it may have had an effect.]"_s;
        TRY_VOID(store::write(connection, {.added = {}, .changed = {entry}, .agent = {}}, nowMs));
    }
    for (Agent agent : agents) {
        if (agent.state == AgentState::Idle) continue;
        Change change{.added = {endedByRestart(agent)}, .changed = {}, .agent = {}};
        agent.state = AgentState::Idle;
        agent.turnId.clear();
        change.agent = agent;
        TRY_VOID(store::write(connection, std::move(change), nowMs));
    }
    TRY_VOID(store::forgetNoncesBefore(connection, nowMs - kNonceLifetimeMs));
    return store::lastOffset(connection);
}

struct Created {
    Agent agent;
    qint64 offset = 0; // 0: it was there
};

Result<Created> createAgentIn(sql::Connection& connection, const QString& nonce, const QString& title, qint64 nowMs)
{
    TRY_ASSIGN(const auto used, store::findNonce(connection, u"create"_s, nonce));
    if (used) {
        TRY_ASSIGN(const auto existing, store::findAgent(connection, used->agentId));
        if (!existing) return agentUnknown();
        return Created{*existing, 0};
    }
    TRY_ASSIGN(const qint64 count, store::agentCount(connection));
    if (count >= kAgentsMax)
        return fail(ErrorCode::ResourceExhausted, u"A box has at most 64 agents. Go on with one that is there."_s,
                    u"AGENT_LIMIT"_s);
    Agent agent{.agentId = newId(u"agt_"),
                .title = title,
                .state = AgentState::Idle,
                .turnId = {},
                .createdAtMs = nowMs,
                .changedAtMs = nowMs};
    TRY_ASSIGN(const store::Written written,
               store::write(connection, {.added = {}, .changed = {}, .agent = agent}, nowMs));
    TRY_VOID(store::keepNonce(connection, u"create"_s, nonce, {agent.agentId, 0}, nowMs));
    return Created{agent, written.offset};
}

struct Sent {
    SentPrompt prompt;
    qint64 offset = 0;
};

Result<Sent> sendPromptIn(sql::Connection& connection, const QString& agentId, const QString& prompt,
                          const QString& nonce, qint64 nowMs)
{
    TRY_ASSIGN(auto found, store::findAgent(connection, agentId));
    if (!found) return agentUnknown();
    const QString call = u"send:"_s + agentId;
    TRY_ASSIGN(const auto used, store::findNonce(connection, call, nonce));
    if (used) {
        TRY_ASSIGN(const auto entry, store::findEntry(connection, agentId, used->seq));
        if (entry) return Sent{{*entry, true}, 0};
    }
    if (found->state != AgentState::Idle)
        return fail(ErrorCode::FailedPrecondition,
                    u"The agent still works on the last prompt. Wait for it, or cancel it first."_s, u"TURN_RUNNING"_s);
    Agent agent = *std::move(found);
    agent.state = AgentState::Working;
    agent.turnId = newId(u"trn_");
    if (agent.title.isEmpty()) agent.title = titleFrom(prompt);
    const Entry entry{.seq = 0,
                      .agentId = agentId,
                      .turnId = agent.turnId,
                      .kind = EntryKind::Prompt,
                      .round = 0,
                      .text = prompt,
                      .toolCall = {},
                      .atMs = 0};
    TRY_ASSIGN(store::Written written,
               store::write(connection, {.added = {entry}, .changed = {}, .agent = agent}, nowMs));
    TRY_VOID(store::keepNonce(connection, call, nonce, {agentId, written.added.first().seq}, nowMs));
    return Sent{{written.added.first(), false}, written.offset};
}

Result<Page> pageIn(sql::Connection& connection, const QString& agentId, qint64 afterSeq, int limit)
{
    TRY_ASSIGN(const auto agent, store::findAgent(connection, agentId));
    if (!agent) return agentUnknown();
    Page page;
    qsizetype bytes = 0;
    while (true) {
        const int want = std::min(kPageStep, limit - static_cast<int>(page.entries.size()));
        // One more than wanted tells whether there are more.
        TRY_ASSIGN(QList<Entry> entries, store::entriesAfter(connection, agentId, afterSeq, want + 1));
        const bool more = entries.size() > want;
        if (more) entries.removeLast();
        for (Entry& entry : entries) {
            bytes += sizeOf(entry);
            if (bytes > kPageBytesMax && !page.entries.isEmpty()) return page.hasMore = true, page;
            afterSeq = entry.seq;
            page.entries.append(std::move(entry));
        }
        page.hasMore = more;
        if (!more || page.entries.size() >= limit) return page;
    }
}

} // namespace

Transcript::Transcript(sql::Database& database, const Clock& clock) : m_database(database), m_clock(clock) {}

Task<void> Transcript::open()
{
    CO_TRY_VOID(co_await sql::migrate(m_database, {{u"agent"_s, u":/cocoonbox/agent"_s}}));
    CO_TRY_VOID(co_await endLeftOvers());
    co_return {};
}

Task<void> Transcript::endLeftOvers()
{
    auto work = [now = m_clock.nowMs()](sql::Connection& connection) { return endLeftOversIn(connection, now); };
    CO_TRY_ASSIGN(m_lastOffset, co_await m_database.transact(std::move(work)));
    qCInfo(transcriptLog) << "the transcript is open";
    co_return {};
}

void Transcript::advance(qint64 offset)
{
    if (offset <= m_lastOffset) return;
    m_lastOffset = offset;
    emit advanced(offset);
}

Task<Agent> Transcript::createAgent(QString nonce, QString title)
{
    CO_TRY_VOID(checkNonce(nonce));
    if (title.size() > kTitleCharsMax)
        co_return fail(ErrorCode::InvalidArgument, u"A title has at most 120 characters."_s, u"TITLE_TOO_LONG"_s);
    auto work = [nonce, title, now = m_clock.nowMs()](sql::Connection& connection) {
        return createAgentIn(connection, nonce, title, now);
    };
    CO_TRY_ASSIGN(const Created created, co_await m_database.transact(std::move(work)));
    advance(created.offset);
    co_return created.agent;
}

Task<QList<Agent>> Transcript::agents()
{
    auto work = [](sql::Connection& connection) { return store::agents(connection); };
    co_return co_await m_database.run(std::move(work));
}

Task<Agent> Transcript::agent(QString agentId)
{
    auto work = [agentId](sql::Connection& connection) { return store::findAgent(connection, agentId); };
    CO_TRY_ASSIGN(auto found, co_await m_database.run(std::move(work)));
    if (!found) co_return agentUnknown();
    co_return *std::move(found);
}

Task<SentPrompt> Transcript::sendPrompt(QString agentId, QString prompt, QString nonce)
{
    CO_TRY_VOID(checkNonce(nonce));
    CO_TRY_VOID(checkPrompt(prompt));
    auto work = [agentId, prompt, nonce, now = m_clock.nowMs()](sql::Connection& connection) {
        return sendPromptIn(connection, agentId, prompt, nonce, now);
    };
    CO_TRY_ASSIGN(Sent sent, co_await m_database.transact(std::move(work)));
    advance(sent.offset);
    co_return std::move(sent.prompt);
}

Task<Page> Transcript::page(QString agentId, qint64 afterSeq, int limit)
{
    const int bounded = limit <= 0 ? kPageDefault : std::min(limit, kPageMax);
    auto work = [agentId, afterSeq, bounded](sql::Connection& connection) {
        return pageIn(connection, agentId, afterSeq, bounded);
    };
    co_return co_await m_database.run(std::move(work));
}

Task<std::optional<Entry>> Transcript::entry(QString agentId, qint64 seq)
{
    auto work = [agentId, seq](sql::Connection& connection) { return store::findEntry(connection, agentId, seq); };
    co_return co_await m_database.run(std::move(work));
}

Task<QList<Entry>> Transcript::apply(Change change)
{
    auto work = [change = std::move(change), now = m_clock.nowMs()](sql::Connection& connection) {
        return store::write(connection, change, now);
    };
    CO_TRY_ASSIGN(store::Written written, co_await m_database.transact(std::move(work)));
    advance(written.offset);
    co_return std::move(written.added);
}

Task<QList<Event>> Transcript::eventsAfter(qint64 offset, int limit)
{
    auto work = [offset, limit](sql::Connection& connection) { return store::eventsAfter(connection, offset, limit); };
    co_return co_await m_database.run(std::move(work));
}

} // namespace cocoonbox::agent::serve::transcript
