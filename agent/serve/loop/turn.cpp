// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/loop/turn.h"

#include "agent/serve/loop/call_text.h"
#include "agent/toolhost/port/tool_table.h"
#include "common/base/ids.h"
#include "common/base/limits.h"

#include <QFile>
#include <QLoggingCategory>
#include <QTimer>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::loop {

namespace {

Q_LOGGING_CATEGORY(loopLog, "cocoonbox.agent.loop", QtInfoMsg)

using toolhost::port::ToolKind;
using transcript::Agent;
using transcript::AgentState;
using transcript::Change;
using transcript::Entry;
using transcript::EntryKind;
using transcript::ToolState;

constexpr qint64 kEntriesLookedBack = 1000;
constexpr auto kConcludeRetry = std::chrono::seconds(2);
constexpr auto kHandBackPatience = std::chrono::seconds(2);
constexpr int kScreenTriesMax = 16; // people who take over again and again in the same moment
constexpr qsizetype kShownBytesMax = limits::kToolOutputBytesMax;

QString systemPrompt()
{
    static const QString prompt = [] {
        QFile file(u":/cocoonbox/agent/system_prompt.md"_s);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }();
    return prompt;
}

QList<wires::ToolDefinition> toolDefinitions()
{
    QList<wires::ToolDefinition> tools;
    for (const toolhost::port::ToolSpec& tool : toolhost::port::toolTable())
        tools.append({QString::fromLatin1(tool.name), QString::fromUtf8(tool.description), tool.parameters});
    return tools;
}

bool isScreenAction(const QString& tool)
{
    const toolhost::port::ToolSpec* spec = toolhost::port::findTool(tool);
    return spec && spec->kind == ToolKind::ScreenAction;
}

QString unknownTool(const QString& tool)
{
    QStringList names;
    for (const toolhost::port::ToolSpec& spec : toolhost::port::toolTable())
        names.append(QString::fromLatin1(spec.name));
    return u"There is no tool named \"%1\". The tools are: %2."_s.arg(tool.left(64), names.join(u", "));
}

// Why a call must not run; empty: it may.
QString refusalOf(const wires::ModelReply& reply, const wires::ModelCall& call, bool screenFailed)
{
    if (reply.stop == wires::StopReason::Length)
        return u"Not executed: the reply was cut off at the model's length limit. Do it in smaller calls."_s;
    if (!call.problem.isEmpty()) return u"Not executed: "_s + call.problem;
    if (!toolhost::port::findTool(call.tool)) return unknownTool(call.tool);
    if (screenFailed && isScreenAction(call.tool)) return u"Not executed: an earlier action on the screen failed."_s;
    return {};
}

} // namespace

Turn::Turn(LoopParts parts, const LoopOptions& options, TaskScope& scope, Agent agent)
    : m_parts(parts), m_options(options), m_scope(scope), m_agent(std::move(agent)), m_turnId(m_agent.turnId),
      m_conversation(options.conversationBytesMax)
{
}

Task<void> Turn::run(qint64 promptSeq, std::stop_token stop, std::shared_ptr<const bool> abandoned)
{
    Result<void> outcome = co_await rounds(promptSeq, stop);
    if (*abandoned) co_return {};
    if (stop.stop_requested()) outcome = fail(ErrorCode::Cancelled, u"Cancelled."_s);
    co_return co_await conclude(std::move(outcome), std::move(abandoned));
}

Task<void> Turn::loadConversation(qint64 promptSeq)
{
    qint64 after = std::max<qint64>(0, promptSeq - kEntriesLookedBack);
    while (true) {
        CO_TRY_ASSIGN(const transcript::Page page,
                      co_await m_parts.transcript.page(m_agent.agentId, after, transcript::kPageMax));
        for (const Entry& entry : page.entries)
            m_conversation.add(entry);
        if (!page.hasMore) co_return {};
        after = page.entries.last().seq;
    }
}

Task<void> Turn::rounds(qint64 promptSeq, std::stop_token stop)
{
    CO_TRY_VOID(co_await loadConversation(promptSeq));
    for (m_round = 1; m_round <= m_options.roundsMax; ++m_round) {
        CO_TRY_VOID(co_await tellHandBacks());
        CO_TRY_ASSIGN(const wires::ModelReply reply, co_await ask(stop));
        CO_TRY_VOID(co_await keepReply(reply));
        if (reply.calls.isEmpty()) co_return {};
        CO_TRY_VOID(co_await runCalls(reply, stop));
    }
    co_return fail(ErrorCode::ResourceExhausted,
                   u"The turn was ended after %1 replies of the model, which is the limit. Say \"go on\" to let it "
                   "continue."_s.arg(m_options.roundsMax),
                   u"ROUNDS_LIMIT"_s);
}

// Before each reply of the model: it must not go on from a screen that a person has changed meanwhile.
Task<void> Turn::tellHandBacks()
{
    co_await m_parts.handBacks.settled(kHandBackPatience);
    Change change;
    for (const auto& record : m_parts.handBacks.takeFor(m_agent.agentId, m_agent.createdAtMs))
        change.added.append(newEntry(EntryKind::HandBack, record.text));
    if (change.added.isEmpty()) co_return {};
    CO_TRY_ASSIGN(const QList<Entry> added, co_await m_parts.transcript.apply(std::move(change)));
    for (const Entry& entry : added)
        m_conversation.add(entry);
    co_return {};
}

Task<wires::ModelReply> Turn::ask(std::stop_token stop)
{
    wires::ModelRequest request{.model = m_options.model(),
                                .system = systemPrompt(),
                                .messages = m_conversation.messages(),
                                .tools = toolDefinitions()};
    wires::ReplySink sink{.onBegin = [this] { m_parts.drafts.begin(m_agent.agentId, m_turnId); },
                          .onText = [this](const QString& text) { m_parts.drafts.append(m_agent.agentId, text); }};
    co_return co_await wires::completeWithRetries(m_parts.wire, std::move(request), std::move(sink), m_options.retry,
                                                  stop);
}

Task<void> Turn::keepReply(wires::ModelReply reply)
{
    Change change;
    if (!reply.text.isEmpty()) change.added.append(newEntry(EntryKind::Reply, reply.text));
    if (reply.stop == wires::StopReason::Length && reply.calls.isEmpty())
        change.added.append(newEntry(EntryKind::Notice,
                                     u"The reply was cut off at the model's length limit. Say \"go on\" "
                                     "to get the rest."_s));
    if (reply.stop == wires::StopReason::Refused)
        change.added.append(newEntry(EntryKind::Notice, u"The model refused to answer this."_s));
    if (!change.added.isEmpty()) {
        CO_TRY_ASSIGN(const QList<Entry> added, co_await m_parts.transcript.apply(std::move(change)));
        for (const Entry& entry : added)
            m_conversation.add(entry);
    }
    m_parts.drafts.clear(m_agent.agentId);
    co_return {};
}

// Strictly in order: a later call may rely on an earlier one. A call's entry is written when its turn comes, so after a
// crash the history holds the calls that began and no others.
Task<void> Turn::runCalls(wires::ModelReply reply, std::stop_token stop)
{
    bool screenFailed = false;
    for (const wires::ModelCall& call : std::as_const(reply.calls)) {
        if (stop.stop_requested()) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        if (const QString why = refusalOf(reply, call, screenFailed); !why.isEmpty()) {
            CO_TRY_VOID(co_await refuseCall(call, why));
            continue;
        }
        CO_TRY_ASSIGN(const ToolState state, co_await runCall(call, stop));
        screenFailed = screenFailed || (state == ToolState::Failed && isScreenAction(call.tool));
    }
    co_return {};
}

Task<void> Turn::refuseCall(wires::ModelCall call, QString why)
{
    Entry entry = newCallEntry(call, ToolState::Failed);
    entry.toolCall->output = why;
    entry.toolCall->endedAtMs = entry.toolCall->startedAtMs;
    CO_TRY_ASSIGN(const QList<Entry> added,
                  co_await m_parts.transcript.apply({.added = {entry}, .changed = {}, .agent = {}}));
    m_conversation.add(added.first());
    co_return {};
}

Task<ToolState> Turn::runCall(wires::ModelCall call, std::stop_token stop)
{
    Entry entry = newCallEntry(call, ToolState::Running);
    const auto shown = std::make_shared<QString>();
    if (!isScreenAction(call.tool)) {
        CO_TRY_VOID(co_await writeNew(&entry));
        Result<tools::ToolResult> result = co_await runTool(entry, shown, stop);
        co_return co_await endCall(entry, std::move(result), *shown);
    }
    Result<std::shared_ptr<session::Baton::Action>> action = co_await takeScreen(&entry, stop);
    // Without a seq the entry could not be written, so nothing may be done.
    if (!action && entry.seq == 0) co_return std::unexpected(action.error());
    if (!action) co_return co_await endCall(entry, std::unexpected(action.error()), *shown);
    Result<tools::ToolResult> result = co_await runOnScreen(entry, shown, *std::move(action), stop);
    co_return co_await endCall(entry, std::move(result), *shown);
}

Task<void> Turn::writeNew(Entry* entry)
{
    CO_TRY_ASSIGN(const QList<Entry> added,
                  co_await m_parts.transcript.apply({.added = {*entry}, .changed = {}, .agent = {}}));
    *entry = added.first();
    co_return {};
}

// A person may take over in the very moment that the database needs, so the screen is only ours by `beginAction`, and
// nothing is waited for between that and the word to toolhost but toolhost itself.
Task<std::shared_ptr<session::Baton::Action>> Turn::takeScreen(Entry* entry, std::stop_token stop)
{
    for (int tries = 0; tries < kScreenTriesMax; ++tries) {
        if (m_parts.baton.isHeld()) {
            CO_TRY_VOID(co_await waitForScreen(entry, stop));
        } else if (entry->seq == 0) {
            CO_TRY_VOID(co_await writeNew(entry));
        }
        if (auto action = m_parts.baton.beginAction()) co_return action;
    }
    co_return fail(ErrorCode::Aborted, u"Not done: people take over the screen again and again. Ask the user."_s,
                   u"SCREEN_STILL_HELD"_s);
}

// Ends early when a person takes over, who is told that the screen is theirs when `action` goes.
Task<tools::ToolResult> Turn::runOnScreen(Entry entry, std::shared_ptr<QString> shown,
                                          std::shared_ptr<session::Baton::Action> action, std::stop_token stop)
{
    std::stop_source either;
    const std::stop_callback onUser(stop, [&either] { either.request_stop(); });
    const std::stop_callback onPerson(action->stop(), [&either] { either.request_stop(); });
    Result<tools::ToolResult> result = co_await runTool(entry, shown, either.get_token());
    if (result || stop.stop_requested() || !action->stop().stop_requested()) co_return result;
    co_return fail(ErrorCode::Aborted,
                   u"Stopped: %1 took over the screen while this ran, and a part of it may be done. Look at the screen "
                   "before you go on."_s.arg(m_parts.baton.isHeld() ? m_parts.baton.state().heldBy : u"a person"_s),
                   u"SCREEN_TAKEN"_s);
}

Task<void> Turn::waitForScreen(Entry* entry, std::stop_token stop)
{
    const QString notice =
        u"%1 holds the screen, so the agent waits with its next action on it. It goes on when the screen "
        "is handed back."_s.arg(m_parts.baton.state().heldBy);
    entry->toolCall->state = ToolState::Waiting;
    m_agent.state = AgentState::WaitingForScreen;
    Change wait{.added = {newEntry(EntryKind::Notice, notice)}, .changed = {}, .agent = m_agent};
    if (entry->seq == 0)
        wait.added.prepend(*entry);
    else
        wait.changed.append(*entry);
    CO_TRY_ASSIGN(const QList<Entry> added, co_await m_parts.transcript.apply(std::move(wait)));
    if (entry->seq == 0) *entry = added.first();
    Result<void> free = co_await m_parts.baton.untilFree(m_options.screenWaitMax, stop);
    m_agent.state = AgentState::Working;
    entry->toolCall->state = ToolState::Running;
    CO_TRY_ASSIGN(const QList<Entry> none,
                  co_await m_parts.transcript.apply({.added = {}, .changed = {*entry}, .agent = m_agent}));
    if (!free && free.error().code == ErrorCode::DeadlineExceeded)
        co_return fail(
            ErrorCode::DeadlineExceeded,
            u"Not done: a person has held the screen for %1 minutes. Go on without the screen, or tell the user "
            "what you wait for and end your turn."_s.arg(
                std::chrono::duration_cast<std::chrono::minutes>(m_options.screenWaitMax).count()),
            u"SCREEN_STILL_HELD"_s);
    co_return free;
}

Task<tools::ToolResult> Turn::runTool(Entry entry, std::shared_ptr<QString> shown, std::stop_token stop)
{
    // What a tool says while it runs is shown a few times a minute, not at each line: every showing is a durable event.
    QTimer show;
    show.setSingleShot(true);
    show.setInterval(m_options.liveOutputEvery);
    show.callOnTimeout([this, entry, shown]() mutable {
        entry.toolCall->output = *shown;
        m_scope.spawn(
            [](transcript::Transcript& transcript, Entry changed) -> Task<void> {
                co_return (co_await transcript.apply({.added = {}, .changed = {changed}, .agent = {}}))
                    .transform([](const auto&) {});
            }(m_parts.transcript, entry),
            u"show output"_s);
    });
    tools::ToolRequest request{.agentId = entry.agentId,
                               .tool = entry.toolCall->tool,
                               .argumentsJson = entry.toolCall->argumentsJson,
                               .limit = limitOf(entry.toolCall->tool, entry.toolCall->argumentsJson)};
    auto onOutput = [shown, &show](const QString& text) {
        if (shown->size() + text.size() > kShownBytesMax / 4) return; // in units; the result holds the whole
        *shown += text;
        if (!show.isActive()) show.start();
    };
    co_return co_await m_parts.tools.run(std::move(request), onOutput, stop);
}

Task<ToolState> Turn::endCall(Entry entry, Result<tools::ToolResult> result, QString shown)
{
    transcript::ToolCall& call = *entry.toolCall;
    call.endedAtMs = m_parts.clock.nowMs();
    if (result) {
        call.state = result->isError ? ToolState::Failed : ToolState::Done;
        call.output = result->text;
    } else {
        const bool cancelled = result.error().code == ErrorCode::Cancelled;
        call.state = cancelled ? ToolState::Cancelled : ToolState::Failed;
        call.output = shown + (shown.isEmpty() ? u""_s : u"\n"_s) + u"[%1]"_s.arg(result.error().message);
    }
    CO_TRY_ASSIGN(const QList<Entry> none,
                  co_await m_parts.transcript.apply({.added = {}, .changed = {entry}, .agent = {}}));
    m_conversation.add(entry);
    if (call.state == ToolState::Cancelled) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
    co_return call.state;
}

// Tried until it is written: an agent that is not idle takes no prompt.
Task<void> Turn::conclude(Result<void> outcome, std::shared_ptr<const bool> abandoned)
{
    Change change;
    const QString draft = m_parts.drafts.text(m_agent.agentId);
    if (!outcome && outcome.error().code == ErrorCode::Cancelled) {
        if (!draft.isEmpty()) change.added.append(newEntry(EntryKind::Reply, draft));
        change.added.append(newEntry(EntryKind::Notice, u"Cancelled."_s));
    } else if (!outcome) {
        qCInfo(loopLog).noquote() << "a turn failed:" << outcome.error().reason << outcome.error().detail;
        change.added.append(newEntry(EntryKind::Error, outcome.error().message));
    }
    m_agent.state = AgentState::Idle;
    m_agent.turnId.clear();
    change.agent = m_agent;
    while (!*abandoned) {
        const Result<QList<Entry>> written = co_await m_parts.transcript.apply(change);
        if (written) break;
        qCCritical(loopLog).noquote() << "the end of a turn cannot be written:" << written.error().message;
        CO_TRY_VOID(co_await sleepFor(kConcludeRetry, m_scope.stopToken()));
    }
    m_parts.drafts.clear(m_agent.agentId);
    co_return {};
}

Entry Turn::newEntry(EntryKind kind, const QString& text) const
{
    return {.seq = 0,
            .agentId = m_agent.agentId,
            .turnId = m_turnId,
            .kind = kind,
            .round = m_round,
            .text = text,
            .toolCall = {},
            .atMs = 0};
}

Entry Turn::newCallEntry(const wires::ModelCall& call, ToolState state) const
{
    Entry entry = newEntry(EntryKind::ToolCall);
    // Our own id: the model's may be missing or used twice. Arguments that are no JSON are not kept: sent back to the
    // model they would be refused for ever.
    const bool valid = call.problem.isEmpty();
    entry.toolCall = transcript::ToolCall{.callId = newId(u"call_"),
                                          .tool = call.tool.isEmpty() ? u"unknown"_s : call.tool.left(64),
                                          .summary = valid ? summaryOf(call.tool, call.arguments) : QString(),
                                          .argumentsJson = valid ? call.arguments : "{}"_ba,
                                          .state = state,
                                          .output = {},
                                          .startedAtMs = m_parts.clock.nowMs(),
                                          .endedAtMs = 0};
    return entry;
}

} // namespace cocoonbox::agent::serve::loop
