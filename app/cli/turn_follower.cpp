// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/turn_follower.h"

#include "app/cli/exit_code.h"
#include "app/cli/json.h"

#include <QTimer>

namespace cocoonbox::app::cli {

using client::BoxSession;
using client::Entry;
using client::EntryKind;
using client::ToolState;

namespace {

constexpr auto kAttachPatience = std::chrono::seconds(15);

bool isOver(ToolState state)
{
    return state == ToolState::Done || state == ToolState::Failed || state == ToolState::Cancelled;
}

} // namespace

TurnFollower::TurnFollower(BoxSession& box, Console& console, QString agentId)
    : m_box(box), m_console(console), m_agentId(std::move(agentId))
{
    connect(&box, &BoxSession::stateChanged, this, &TurnFollower::onState);
    connect(&box, &BoxSession::transcriptReset, this, [this](const QString& agent) {
        if (agent != m_agentId) return;
        m_attached.set({});
        show();
    });
    connect(&box, &BoxSession::transcriptFailed, this, [this](const QString& agent, const Error& error) {
        if (agent == m_agentId && !isRetryable(error.code)) m_attached.set(std::unexpected(error));
    });
    const auto onEntry = [this](const QString& agent) {
        if (agent == m_agentId) show();
    };
    connect(&box, &BoxSession::entryAdded, this, onEntry);
    connect(&box, &BoxSession::entryChanged, this, onEntry);
    connect(&box, &BoxSession::draftChanged, this, [this](const QString& agent) {
        if (agent == m_agentId && m_showing) showDraft();
    });
    connect(&box, &BoxSession::agentChanged, this, &TurnFollower::checkEnd);
    connect(&box, &BoxSession::agentsReset, this, &TurnFollower::checkEnd);
}

// A lost connection comes back by itself; a box that sleeps or is gone does not.
void TurnFollower::onState()
{
    if (m_box.message().isEmpty()) return m_console.endProgress();
    m_console.progress(m_box.message());
    if (m_box.state() != client::SessionState::Ended && m_box.state() != client::SessionState::Asleep) return;
    m_attached.set(std::unexpected(m_box.lastError()));
    if (!m_showing || m_ended.isSet()) return;
    endLine();
    const int code = exitCodeOf(m_box.lastError());
    m_console.error(m_box.lastError(), code);
    m_ended.set(code);
}

Task<void> TurnFollower::attach()
{
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.callOnTimeout([this] {
        Error error = m_box.lastError();
        if (error.message.isEmpty()) error.message = QStringLiteral("The box did not answer in time.");
        error.code = ErrorCode::DeadlineExceeded;
        m_attached.set(std::unexpected(error));
    });
    deadline.start(kAttachPatience);
    m_box.openTranscript(m_agentId);
    m_box.start();
    co_return co_await m_attached.get();
}

void TurnFollower::showAfter(qint64 seq, const QString& turnId)
{
    m_shownSeq = seq;
    m_turnId = turnId;
    m_showing = true;
    show();
    showDraft();
    checkEnd();
}

QCoro::Task<int> TurnFollower::untilTurnEnds()
{
    co_return co_await m_ended.get();
}

void TurnFollower::show()
{
    const client::Transcript* transcript = m_box.transcript(m_agentId);
    if (!m_showing || !transcript) return;
    for (const Entry& entry : transcript->entries()) {
        if (const auto open = m_openTools.constFind(entry.seq); open != m_openTools.cend()) {
            if (*open != entry) showTool(entry);
            continue;
        }
        if (entry.seq <= m_shownSeq) continue;
        m_shownSeq = entry.seq;
        if (m_turnId.isEmpty() || entry.turnId == m_turnId) showEntry(entry);
    }
    checkEnd();
}

void TurnFollower::showEntry(const Entry& entry)
{
    if (entry.kind == EntryKind::ToolCall) return showTool(entry);
    if (entry.kind == EntryKind::Error) m_failed = true;
    if (m_console.json()) return m_console.object(typed(QStringLiteral("entry"), toJson(entry)));
    const QString text = Console::printable(entry.text);
    switch (entry.kind) {
    case EntryKind::Reply: return showReply(entry);
    case EntryKind::Prompt:
        endLine();
        return m_console.line(m_console.paintOut(QStringLiteral("> ") + text, Tone::Bold));
    case EntryKind::Error:
        endLine();
        return m_console.writeError((m_console.paintErr(QStringLiteral("error: "), Tone::Bad) + text + u'\n').toUtf8());
    case EntryKind::Notice:
    case EntryKind::HandBack:
    case EntryKind::ToolCall:
    case EntryKind::Unknown: endLine(); return m_console.note(text, Tone::Dim);
    }
}

void TurnFollower::showTool(const Entry& entry)
{
    const bool first = !m_openTools.contains(entry.seq);
    const bool over = isOver(entry.toolCall.state);
    if (over)
        m_openTools.remove(entry.seq);
    else
        m_openTools.insert(entry.seq, entry);
    if (m_console.json())
        return m_console.object(
            typed(first ? QStringLiteral("entry") : QStringLiteral("entry_changed"), toJson(entry)));
    endLine();
    const QString what =
        Console::printable(QStringLiteral("%1: %2").arg(entry.toolCall.tool, entry.toolCall.summary)).simplified();
    if (first) m_console.note(QStringLiteral("▸ ") + what, Tone::Dim);
    if (entry.toolCall.state == ToolState::Waiting) m_console.note(QStringLiteral("… waiting: ") + what, Tone::Warning);
    if (entry.toolCall.state == ToolState::Failed) m_console.note(QStringLiteral("✗ failed: ") + what, Tone::Bad);
    if (entry.toolCall.state == ToolState::Cancelled)
        m_console.note(QStringLiteral("✗ cancelled: ") + what, Tone::Warning);
}

// The part of the draft that was not written yet. A draft that starts anew (a reconnect) repeats what stands there.
void TurnFollower::showDraft()
{
    const client::Transcript* transcript = m_box.transcript(m_agentId);
    if (!transcript || transcript->draft().isEmpty()) return;
    const client::Draft& draft = transcript->draft();
    if (!m_turnId.isEmpty() && draft.turnId != m_turnId) return;
    if (draft.turnId != m_draftTurn) m_shownDraft.clear();
    m_draftTurn = draft.turnId;
    if (m_shownDraft.startsWith(draft.text)) return;
    const bool continues = draft.text.startsWith(m_shownDraft);
    const QString fresh = continues ? draft.text.sliced(m_shownDraft.size()) : draft.text;
    if (m_console.json()) {
        m_console.object({{QStringLiteral("type"), QStringLiteral("draft")},
                          {QStringLiteral("agent_id"), m_agentId},
                          {QStringLiteral("turn_id"), draft.turnId},
                          {QStringLiteral("position"), continues ? m_shownDraft.size() : 0},
                          {QStringLiteral("text"), fresh}});
    } else {
        if (!continues) endLine();
        m_console.endProgress();
        m_console.write(Console::printable(fresh).toUtf8());
        m_midLine = !fresh.endsWith(u'\n');
    }
    m_shownDraft = draft.text;
}

void TurnFollower::showReply(const Entry& entry)
{
    QString rest = entry.text;
    if (entry.turnId == m_draftTurn && entry.text.startsWith(m_shownDraft))
        rest = entry.text.sliced(m_shownDraft.size());
    else
        endLine();
    m_shownDraft.clear();
    m_console.endProgress();
    m_console.write(Console::printable(rest).toUtf8());
    m_midLine = m_midLine ? !rest.endsWith(u'\n') : !rest.isEmpty() && !rest.endsWith(u'\n');
    endLine();
}

void TurnFollower::endLine()
{
    if (std::exchange(m_midLine, false)) m_console.write("\n");
}

void TurnFollower::checkEnd()
{
    const client::Agent* agent = m_box.findAgent(m_agentId);
    const client::Transcript* transcript = m_box.transcript(m_agentId);
    if (!m_showing || m_turnId.isEmpty() || !agent || !transcript || transcript->entries().isEmpty()) return;
    if (agent->turnId == m_turnId) {
        m_sawRunning = true;
        if (agent->state != client::AgentState::WaitingForUser) return;
        endLine();
        return m_ended.set(kPending);
    }
    // Not started yet in our eyes, or over? Entries beyond the prompt and a later change of the agent tell.
    const Entry& last = transcript->entries().last();
    const bool over =
        m_sawRunning || (last.turnId == m_turnId && last.kind != EntryKind::Prompt && agent->changedAtMs >= last.atMs);
    if (!over) return;
    endLine();
    m_ended.set(m_failed ? kFailed : kOk);
}

} // namespace cocoonbox::app::cli
