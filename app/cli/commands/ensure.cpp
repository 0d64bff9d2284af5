// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"
#include "app/cli/operation.h"

#include <QElapsedTimer>

namespace cocoonbox::app::cli {

namespace {

Task<int> ensure(Call call)
{
    QElapsedTimer elapsed;
    elapsed.start();
    QString name = call->arguments.word(0);
    if (name.isEmpty()) name = call->arguments.value(QStringLiteral("box"));
    if (name.isEmpty()) name = call->environment.value(QStringLiteral("COCOONBOX_BOX"));
    CO_TRY_VOID(co_await call->signIn());
    CO_TRY_ASSIGN(client::Box box,
                  co_await call->api->ensureBox(name, call->arguments.value(QStringLiteral("flavor"))));
    const bool wait = !call->arguments.has(QStringLiteral("no-wait"));
    if (wait && box.state != client::BoxState::Running) {
        CO_TRY_VOID(co_await waitForOperation(call, box.operationId, QStringLiteral("Starting %1").arg(box.name)));
        CO_TRY_ASSIGN(box, co_await call->api->box(box.boxId));
    }
    if (call->console->json()) {
        QJsonObject object = toJson(box);
        object.insert(QStringLiteral("elapsed_ms"), elapsed.elapsed());
        call->console->object(object);
    } else {
        call->console->line(QStringLiteral("%1 is %2.").arg(box.name, client::boxStateName(box.state)));
    }
    co_return 0;
}

} // namespace

Command ensureCommand()
{
    return {.name = QStringLiteral("ensure"),
            .aliases = {QStringLiteral("wake")},
            .group = Group::Box,
            .summary = QStringLiteral("Create a box, or wake it, and wait until its agent answers"),
            .words = QStringLiteral("[NAME]"),
            .details = QStringLiteral("Without a name the box is called main. A box that runs is left as it is."),
            .examples = {QStringLiteral("cocoonbox ensure"),
                         QStringLiteral("cocoonbox ensure work --flavor large --timeout 2m")},
            .options =
                {{QStringLiteral("flavor"), {}, QStringLiteral("NAME"), QStringLiteral("CPU and memory of a new box")},
                 waitOption(),
                 noWaitOption()},
            .wordsMax = 1,
            .run = ensure};
}

} // namespace cocoonbox::app::cli
