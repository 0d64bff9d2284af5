// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> cancel(Call call)
{
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::Agent agent,
                  co_await Invocation::findAgent(box.get(), call->arguments.value(QStringLiteral("agent"))));
    CO_TRY_VOID(co_await box->cancel(agent.agentId));
    if (call->console->json())
        call->console->object({{QStringLiteral("agent_id"), agent.agentId}});
    else
        call->console->line(agent.turnId.isEmpty() ? QStringLiteral("%1 was not working.").arg(agent.agentId)
                                                   : QStringLiteral("%1 was told to stop.").arg(agent.agentId));
    co_return 0;
}

} // namespace

Command cancelCommand()
{
    return {.name = QStringLiteral("cancel"),
            .aliases = {},
            .group = Group::Agents,
            .summary = QStringLiteral("Stop what an agent is doing"),
            .words = {},
            .details =
                QStringLiteral("Ends the running turn and its tool calls. Without --agent it is the latest agent."),
            .examples = {},
            .options = {{QStringLiteral("agent"), u'a', QStringLiteral("ID"), QStringLiteral("which agent")}},
            .run = cancel};
}

} // namespace cocoonbox::app::cli
