// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/shell_tool.h"

#include "agent/toolhost/arguments.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::shell {

namespace {

QString withEnding(const CommandReport& report, std::chrono::milliseconds timeout)
{
    QString text = report.output;
    if (!text.isEmpty() && !text.endsWith(u'\n')) text += u'\n';
    switch (report.end) {
    case CommandEnd::Completed:
        return text + u"[exit code %1, in %2]"_s.arg(report.exitCode).arg(report.workingDirectory);
    case CommandEnd::TimedOut:
        return text +
               u"[The command took longer than %1 s and was interrupted. The session is still there, in %2. Give a "
               u"longer timeout_seconds, run it in the background with its output in a file, or give it its input.]"_s
                   .arg(timeout.count() / 1000)
                   .arg(report.workingDirectory);
    case CommandEnd::Cancelled:
        return text + u"[The command was cancelled and interrupted. The session is still there, in %1.]"_s.arg(
                          report.workingDirectory);
    case CommandEnd::SessionEnded:
        return text +
               u"[The shell session has ended, with exit code %1. The next command starts a new one in the workspace.]"_s
                   .arg(report.exitCode);
    }
    return text;
}

} // namespace

QCoro::Task<ToolResult> ShellTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    const QString command = arguments.text("command");
    const qint64 seconds = arguments.number("timeout_seconds", 1, kTimeoutSecondsMax, kTimeoutSecondsDefault);
    const QString name = arguments.text("session", u"main"_s);
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    if (command.trimmed().isEmpty() || command.contains(QChar(0)))
        co_return ToolResult::failure(u"The command is empty or holds a zero byte."_s);
    if (name.isEmpty() || name.size() > 64)
        co_return ToolResult::failure(u"The name of a session has 1 to 64 characters."_s);
    const Result<std::shared_ptr<Slot>> slot = slotOf({call.scope, name});
    if (!slot) co_return ToolResult::failure(slot.error().message);
    const Result<void> turn = co_await takeTurn(*slot);
    if (!turn) co_return ToolResult::failure(turn.error().message);
    const auto timeout = std::min<std::chrono::milliseconds>(std::chrono::seconds(seconds), call.timeout);
    const ToolResult result = co_await runIn(*slot, command, call, timeout);
    endTurn(**slot);
    co_return result;
}

QCoro::Task<ToolResult> ShellTool::runIn(std::shared_ptr<Slot> slot, QString command, ToolCall call,
                                         std::chrono::milliseconds timeout)
{
    if (call.stop.stop_requested()) co_return ToolResult::failure(u"Cancelled before it was started."_s);
    if (!slot->session || slot->session->hasEnded()) {
        slot->session.reset();
        Result<std::unique_ptr<ShellSession>> session = ShellSession::start(m_options);
        if (!session) co_return ToolResult::failure(session.error().message);
        slot->session = *std::move(session);
    }
    const Result<CommandReport> report = co_await slot->session->run(command, timeout, call.stop, call.output);
    if (!report) co_return ToolResult::failure(report.error().message);
    if (report->end == CommandEnd::SessionEnded)
        postToDomain([gone = std::shared_ptr<ShellSession>(std::move(slot->session))] {});
    co_return ToolResult{withEnding(*report, timeout), report->end != CommandEnd::Completed};
}

Result<std::shared_ptr<ShellTool::Slot>> ShellTool::slotOf(const Key& key)
{
    if (const auto found = m_slots.find(key); found != m_slots.end()) return found->second;
    dropEnded();
    const auto ofAgent =
        std::ranges::count_if(m_slots, [&key](const auto& entry) { return entry.first.first == key.first; });
    if (ofAgent >= kSessionsOfAgentMax || static_cast<int>(m_slots.size()) >= kSessionsMax)
        return fail(ErrorCode::ResourceExhausted,
                    u"Too many shell sessions are open. Use one that you have, or end one with exit."_s);
    return m_slots.emplace(key, std::make_shared<Slot>()).first->second;
}

void ShellTool::dropEnded()
{
    std::erase_if(m_slots, [](const auto& entry) {
        const Slot& slot = *entry.second;
        return !slot.isTaken && slot.waiting.empty() && (!slot.session || slot.session->hasEnded());
    });
}

Task<void> ShellTool::takeTurn(std::shared_ptr<Slot> slot)
{
    if (!std::exchange(slot->isTaken, true)) co_return {};
    if (static_cast<int>(slot->waiting.size()) >= kWaitingMax)
        co_return fail(ErrorCode::ResourceExhausted,
                       u"This session runs a command and others wait for it. Use another session."_s);
    const Promise<bool> turn;
    slot->waiting.push_back(turn);
    co_await turn.get();
    co_return {};
}

void ShellTool::endTurn(Slot& slot)
{
    slot.isTaken = !slot.waiting.empty();
    if (slot.waiting.empty()) return;
    const Promise<bool> next = slot.waiting.front();
    slot.waiting.pop_front();
    postToDomain([next] { next.set(true); });
}

} // namespace cocoonbox::agent::toolhost::shell
