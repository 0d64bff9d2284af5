// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> version(Call call)
{
    const QString number = QStringLiteral(COCOONBOX_VERSION);
    if (call->console->json())
        call->console->object({{QStringLiteral("version"), number}});
    else
        call->console->line(QStringLiteral("cocoonbox %1").arg(number));
    co_return 0;
}

} // namespace

Command versionCommand()
{
    return {.name = QStringLiteral("version"),
            .aliases = {},
            .group = Group::Other,
            .summary = QStringLiteral("Show the version of this program"),
            .words = {},
            .details = {},
            .examples = {},
            .options = {},
            .run = version};
}

} // namespace cocoonbox::app::cli
