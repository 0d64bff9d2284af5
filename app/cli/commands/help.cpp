// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/help_text.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> help(Call call)
{
    const QString verb = call->arguments.word(0);
    if (verb.isEmpty()) {
        call->console->write(overview(*call->console).toUtf8());
        co_return 0;
    }
    const Command* command = findCommand(verb);
    if (!command) co_return usageFailure(QStringLiteral("There is no verb %1.").arg(verb));
    call->console->write(helpOf(*command, *call->console).toUtf8());
    co_return 0;
}

} // namespace

Command helpCommand()
{
    return {.name = QStringLiteral("help"),
            .aliases = {},
            .group = Group::Other,
            .summary = QStringLiteral("Show this overview, or the help of a verb"),
            .words = QStringLiteral("[VERB]"),
            .details = {},
            .examples = {},
            .options = {},
            .wordsMax = 1,
            .run = help};
}

} // namespace cocoonbox::app::cli
