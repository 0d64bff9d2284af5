// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/operation.h"

namespace cocoonbox::app::cli {

Task<void> waitForOperation(Call call, QString operationId, QString doing)
{
    call->console->progress(doing + QStringLiteral(" …"));
    const Result<void> end =
        co_await call->api->followOperation(operationId, [call, doing](const client::OperationEvent& event) {
            const QString what =
                event.detail.isEmpty() ? client::phaseName(event.phase) : Console::printable(event.detail);
            call->console->progress(QStringLiteral("%1: %2").arg(doing, what));
        });
    call->console->endProgress();
    co_return end;
}

} // namespace cocoonbox::app::cli
