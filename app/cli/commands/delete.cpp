// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/operation.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> deleteBox(Call call)
{
    QString name = call->arguments.word(0);
    if (name.isEmpty()) name = call->arguments.value(QStringLiteral("box"));
    if (name.isEmpty())
        co_return usageFailure(QStringLiteral("Name the box that is to be deleted: cocoonbox delete NAME"));
    CO_TRY_ASSIGN(const client::Box box, co_await call->findBox(name));
    if (!call->arguments.has(QStringLiteral("yes"))) {
        if (!call->console->inIsTerminal() || !call->console->errIsTerminal())
            co_return usageFailure(QStringLiteral("Deleting a box and its disk cannot be undone; add --yes to do it."));
        const QByteArray answer = askLine(
            QStringLiteral("Delete %1 and everything on its disk? Type its name to confirm: ").arg(box.name), true);
        if (answer != box.name.toUtf8()) {
            call->console->note(QStringLiteral("Nothing was deleted."));
            co_return kFailed;
        }
    }
    CO_TRY_ASSIGN(const client::Operation operation, co_await call->api->deleteBox(box.boxId));
    if (!call->arguments.has(QStringLiteral("no-wait"))) {
        CO_TRY_VOID(
            co_await waitForOperation(call, operation.operationId, QStringLiteral("Deleting %1").arg(box.name)));
    }
    if (call->console->json())
        call->console->object(
            {{QStringLiteral("box_id"), box.boxId}, {QStringLiteral("operation_id"), operation.operationId}});
    else
        call->console->line(QStringLiteral("%1 is deleted.").arg(box.name));
    co_return kOk;
}

} // namespace

Command deleteCommand()
{
    return {.name = QStringLiteral("delete"),
            .aliases = {},
            .group = Group::Box,
            .summary = QStringLiteral("Delete a box and its disk for good"),
            .words = QStringLiteral("NAME"),
            .details = {},
            .examples = {QStringLiteral("cocoonbox delete main --yes")},
            .options = {{QStringLiteral("yes"), u'y', {}, QStringLiteral("do not ask")}, waitOption(), noWaitOption()},
            .wordsMax = 1,
            .run = deleteBox};
}

} // namespace cocoonbox::app::cli
