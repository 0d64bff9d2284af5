// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/help_text.h"

namespace cocoonbox::app::cli {

namespace {

QString heading(const Console& console, const QString& text)
{
    return console.paintOut(text, Tone::Bold) + u'\n';
}

QString optionLines(const QList<OptionSpec>& options)
{
    QString text;
    for (const OptionSpec& option : options) {
        QString left = option.letter.isNull() ? QStringLiteral("    ") : QStringLiteral("-%1, ").arg(option.letter);
        left += QStringLiteral("--") + option.name;
        if (!option.value.isEmpty()) left += u' ' + option.value;
        text += QStringLiteral("  %1  %2\n").arg(left.leftJustified(24), option.help);
    }
    return text;
}

QString groupTitle(Group group)
{
    switch (group) {
    case Group::Account: return QStringLiteral("ACCOUNT");
    case Group::Box: return QStringLiteral("BOXES");
    case Group::Agents: return QStringLiteral("AGENTS");
    case Group::Inside: return QStringLiteral("INSIDE A BOX");
    case Group::Other: break;
    }
    return QStringLiteral("OTHER");
}

} // namespace

QString overview(const Console& console)
{
    QString text = QStringLiteral("A Linux computer of your own with an agent in it.\n\n");
    text += heading(console, QStringLiteral("USAGE")) + QStringLiteral("  cocoonbox VERB [options]\n");
    for (const Group group : {Group::Account, Group::Box, Group::Agents, Group::Inside, Group::Other}) {
        text += u'\n' + heading(console, groupTitle(group));
        for (const Command& command : allCommands())
            if (command.group == group)
                text += QStringLiteral("  %1  %2\n").arg(command.name.leftJustified(12), command.summary);
    }
    text += u'\n' + heading(console, QStringLiteral("OPTIONS OF EVERY VERB")) + optionLines(globalOptions());
    text += u'\n' + heading(console, QStringLiteral("ENVIRONMENT")) +
            QStringLiteral("  COCOONBOX_TOKEN     signs in, and beats the stored token\n"
                           "  COCOONBOX_API_URL   the api to talk to\n"
                           "  COCOONBOX_BOX       the box to act on\n"
                           "  NO_COLOR            no colours\n");
    text += u'\n' + heading(console, QStringLiteral("EXIT CODES")) +
            QStringLiteral(
                "  0 done, 1 failed, 2 usage, 4 sign-in needed, 5 not found, 6 conflict, 7 timeout,\n"
                "  8 waits for your answer, 9 refused, 130 interrupted; exec: the program's own, 255 no connection\n");
    text += u'\n' + heading(console, QStringLiteral("EXAMPLES")) +
            QStringLiteral("  cocoonbox ensure\n"
                           "  cocoonbox send --follow \"write a haiku into /workspace/haiku\"\n"
                           "  cocoonbox exec -- cat /workspace/haiku\n");
    return text;
}

QString helpOf(const Command& command, const Console& console)
{
    QString text = command.summary + QStringLiteral(".\n");
    if (!command.details.isEmpty()) text += u'\n' + command.details + u'\n';
    text += u'\n' + heading(console, QStringLiteral("USAGE"));
    text += QStringLiteral("  cocoonbox %1%2%3\n")
                .arg(command.name, command.words.isEmpty() ? QString() : u' ' + command.words,
                     command.options.isEmpty() ? QString() : QStringLiteral(" [options]"));
    if (!command.aliases.isEmpty())
        text += u'\n' + heading(console, QStringLiteral("ALSO CALLED")) + QStringLiteral("  ") +
                command.aliases.join(QStringLiteral(", ")) + u'\n';
    if (!command.options.isEmpty())
        text += u'\n' + heading(console, QStringLiteral("OPTIONS")) + optionLines(command.options);
    text += u'\n' + heading(console, QStringLiteral("OPTIONS OF EVERY VERB")) + optionLines(globalOptions());
    if (!command.examples.isEmpty()) {
        text += u'\n' + heading(console, QStringLiteral("EXAMPLES"));
        for (const QString& example : command.examples)
            text += QStringLiteral("  ") + example + u'\n';
    }
    return text;
}

} // namespace cocoonbox::app::cli
