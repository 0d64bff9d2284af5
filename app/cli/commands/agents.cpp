// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"

#include <QJsonArray>

namespace cocoonbox::app::cli {

namespace {

Task<int> agents(Call call)
{
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const QList<client::Agent> all, co_await box->listAgents());
    Console& console = *call->console;
    if (console.json()) {
        QJsonArray array;
        for (const client::Agent& agent : all)
            array.append(toJson(agent));
        console.object({{QStringLiteral("agents"), array}});
        co_return 0;
    }
    QList<QStringList> rows;
    for (const client::Agent& agent : all)
        rows.append({agent.agentId, client::agentStateName(agent.state), Console::printable(agent.title).simplified()});
    console.table({QStringLiteral("ID"), QStringLiteral("STATE"), QStringLiteral("TITLE")}, rows);
    if (all.isEmpty())
        console.note(QStringLiteral("The box has no agent yet; start one with: cocoonbox send --new PROMPT"));
    co_return 0;
}

} // namespace

Command agentsCommand()
{
    return {.name = QStringLiteral("agents"),
            .aliases = {},
            .group = Group::Agents,
            .summary = QStringLiteral("Show the agents of a box, the latest first"),
            .words = {},
            .details = {},
            .examples = {},
            .options = {},
            .run = agents};
}

} // namespace cocoonbox::app::cli
