// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

namespace cocoonbox::app::cli {

const QList<Command>& allCommands()
{
    static const QList<Command> kCommands{
        loginCommand(),     logoutCommand(),     whoamiCommand(),   statusCommand(),     ensureCommand(),
        hibernateCommand(), deleteCommand(),     agentsCommand(),   sendCommand(),       cancelCommand(),
        respondCommand(),   transcriptCommand(), execCommand(),     screenshotCommand(), typeCommand(),
        clipboardCommand(), uploadCommand(),     downloadCommand(), filesCommand(),      completionCommand(),
        versionCommand(),   helpCommand(),
    };
    return kCommands;
}

const Command* findCommand(const QString& name)
{
    for (const Command& command : allCommands())
        if (command.name == name || command.aliases.contains(name)) return &command;
    return nullptr;
}

const QList<OptionSpec>& globalOptions()
{
    static const QList<OptionSpec> kOptions{
        {QStringLiteral("box"), {}, QStringLiteral("NAME"), QStringLiteral("the box to act on (COCOONBOX_BOX)")},
        {QStringLiteral("api-url"),
         {},
         QStringLiteral("URL"),
         QStringLiteral("the api to talk to (COCOONBOX_API_URL)")},
        {QStringLiteral("json"), {}, {}, QStringLiteral("write JSON to stdout, errors as JSON to stderr")},
        {QStringLiteral("timeout"), {}, QStringLiteral("TIME"), QStringLiteral("give up after 30s, 2m, 1h …")},
        {QStringLiteral("quiet"), u'q', {}, QStringLiteral("no progress and no remarks on stderr")},
        {QStringLiteral("help"), u'h', {}, QStringLiteral("show the help of the verb")},
    };
    return kOptions;
}

} // namespace cocoonbox::app::cli
