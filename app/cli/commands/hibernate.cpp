// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"
#include "app/cli/operation.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> hibernate(Call call)
{
    CO_TRY_ASSIGN(client::Box box, co_await call->findBox(call->arguments.word(0)));
    CO_TRY_ASSIGN(const client::Operation operation, co_await call->api->hibernateBox(box.boxId));
    if (!call->arguments.has(QStringLiteral("no-wait")) && !operation.operationId.isEmpty()) {
        CO_TRY_VOID(co_await waitForOperation(call, operation.operationId,
                                              QStringLiteral("Putting %1 to sleep").arg(box.name)));
    }
    CO_TRY_ASSIGN(box, co_await call->api->box(box.boxId));
    if (call->console->json())
        call->console->object(toJson(box));
    else
        call->console->line(QStringLiteral("%1 is %2.").arg(box.name, client::boxStateName(box.state)));
    co_return 0;
}

} // namespace

Command hibernateCommand()
{
    return {.name = QStringLiteral("hibernate"),
            .aliases = {QStringLiteral("sleep")},
            .group = Group::Box,
            .summary = QStringLiteral("Stop a box and keep its disk"),
            .words = QStringLiteral("[NAME]"),
            .details = QStringLiteral("Programs in the box end and start again when it wakes."),
            .examples = {},
            .options = {waitOption(), noWaitOption()},
            .wordsMax = 1,
            .run = hibernate};
}

} // namespace cocoonbox::app::cli
