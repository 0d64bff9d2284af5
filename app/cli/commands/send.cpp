// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/interrupts.h"
#include "app/cli/json.h"
#include "app/cli/turn_follower.h"
#include "common/base/limits.h"

#include <csignal>
#include <QCoreApplication>

namespace cocoonbox::app::cli {

namespace {

Result<QString> readPrompt(const Call& call)
{
    QString prompt = call->arguments.words().join(u' ');
    if (prompt == u"-") prompt = QString::fromUtf8(readStandardInput(limits::kPromptBytesMax + 1));
    if (prompt.trimmed().isEmpty()) return usageFailure(QStringLiteral("The prompt is empty."));
    if (prompt.toUtf8().size() > limits::kPromptBytesMax)
        return usageFailure(QStringLiteral("The prompt is longer than %1 KiB.").arg(limits::kPromptBytesMax / 1024));
    return prompt;
}

Task<client::Agent> chooseAgent(Call call, client::BoxSession* box)
{
    const QString wanted = call->arguments.value(QStringLiteral("agent"));
    const bool fresh = call->arguments.has(QStringLiteral("new"));
    if (fresh && !wanted.isEmpty()) co_return usageFailure(QStringLiteral("--new and --agent exclude each other."));
    if (fresh) co_return co_await box->createAgent({});
    auto agent = co_await Invocation::findAgent(box, wanted);
    if (!agent && agent.error().reason == u"AGENT_NONE") co_return co_await box->createAgent({});
    co_return agent;
}

void sayAccepted(Console& console, const client::Agent& agent, const client::SendAccepted& accepted, bool followed)
{
    if (console.json())
        return console.object({{QStringLiteral("type"), QStringLiteral("accepted")},
                               {QStringLiteral("agent_id"), agent.agentId},
                               {QStringLiteral("turn_id"), accepted.turnId},
                               {QStringLiteral("seq"), accepted.seq}});
    if (!followed) console.line(agent.agentId);
}

Task<int> follow(Call call, client::BoxSession* box, client::Agent agent, QString prompt)
{
    Console& console = *call->console;
    TurnFollower follower(*box, console, agent.agentId);
    CO_TRY_VOID(co_await follower.attach());
    CO_TRY_ASSIGN(const client::SendAccepted accepted, co_await box->send(agent.agentId, prompt));
    sayAccepted(console, agent, accepted, true);
    onSignals([call, agent](int number) {
        if (number == SIGWINCH) return;
        call->console->writeError(
            QStringLiteral("\nStopped following; the agent goes on. Stop it with: cocoonbox cancel --agent %1\n")
                .arg(agent.agentId)
                .toUtf8());
        QCoreApplication::exit(number == SIGTERM ? kTerminated : kInterrupted);
    });
    follower.showAfter(accepted.seq, accepted.turnId);
    const int code = co_await follower.untilTurnEnds();
    if (console.json())
        console.object({{QStringLiteral("type"), QStringLiteral("turn_ended")},
                        {QStringLiteral("agent_id"), agent.agentId},
                        {QStringLiteral("turn_id"), accepted.turnId},
                        {QStringLiteral("outcome"), code == kOk        ? QStringLiteral("done")
                                                    : code == kPending ? QStringLiteral("waits-for-user")
                                                                       : QStringLiteral("failed")}});
    else if (code == kPending)
        console.note(QStringLiteral("The agent asks something; answer with: cocoonbox respond SEQ ANSWER --agent %1")
                         .arg(agent.agentId),
                     Tone::Warning);
    co_return code;
}

Task<int> send(Call call)
{
    CO_TRY_ASSIGN(const QString prompt, readPrompt(call));
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::Agent agent, co_await chooseAgent(call, box.get()));
    if (call->arguments.has(QStringLiteral("follow"))) co_return co_await follow(call, box.get(), agent, prompt);
    CO_TRY_ASSIGN(const client::SendAccepted accepted, co_await box->send(agent.agentId, prompt));
    sayAccepted(*call->console, agent, accepted, false);
    co_return kOk;
}

} // namespace

Command sendCommand()
{
    return {.name = QStringLiteral("send"),
            .aliases = {},
            .group = Group::Agents,
            .summary = QStringLiteral("Give an agent something to do"),
            .words = QStringLiteral("PROMPT"),
            .details =
                QStringLiteral("Without --agent and --new it goes to the agent that was active last. \"-\" reads the\n"
                               "prompt from stdin. The agent works on whether or not anybody follows; Ctrl-C only\n"
                               "stops following. Words come on stdout, tool calls on stderr."),
            .examples = {QStringLiteral("cocoonbox send --follow \"what is in /workspace?\""),
                         QStringLiteral("cocoonbox send --new --json - < task.md")},
            .options = {{QStringLiteral("agent"), u'a', QStringLiteral("ID"), QStringLiteral("which agent")},
                        {QStringLiteral("new"), {}, {}, QStringLiteral("make a new agent for it")},
                        {QStringLiteral("follow"), u'f', {}, QStringLiteral("show what it does until it is done")}},
            .wordsMin = 1,
            .wordsMax = -1,
            .run = send};
}

} // namespace cocoonbox::app::cli
