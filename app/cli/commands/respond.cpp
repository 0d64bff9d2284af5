// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

#include <limits>

namespace cocoonbox::app::cli {

namespace {

Task<int> respond(Call call)
{
    CO_TRY_ASSIGN(const qint64 seq,
                  readNumber(call->arguments.word(0), QStringLiteral("SEQ"), 1, std::numeric_limits<qint64>::max()));
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::Agent agent,
                  co_await Invocation::findAgent(box.get(), call->arguments.value(QStringLiteral("agent"))));
    CO_TRY_VOID(co_await box->respond(agent.agentId, seq, call->arguments.word(1)));
    if (call->console->json())
        call->console->object({{QStringLiteral("agent_id"), agent.agentId}, {QStringLiteral("seq"), seq}});
    else
        call->console->line(QStringLiteral("Answered."));
    co_return 0;
}

} // namespace

Command respondCommand()
{
    return {.name = QStringLiteral("respond"),
            .aliases = {},
            .group = Group::Agents,
            .summary = QStringLiteral("Answer a question that an agent asks"),
            .words = QStringLiteral("SEQ ANSWER"),
            .details = QStringLiteral("SEQ is the number of the entry that asks; see: cocoonbox transcript"),
            .examples = {QStringLiteral("cocoonbox respond 12 yes")},
            .options = {{QStringLiteral("agent"), u'a', QStringLiteral("ID"), QStringLiteral("which agent")}},
            .wordsMin = 2,
            .wordsMax = 2,
            .run = respond};
}

} // namespace cocoonbox::app::cli
