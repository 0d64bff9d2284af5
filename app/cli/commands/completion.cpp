// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

namespace cocoonbox::app::cli {

namespace {

QStringList optionWords(const QList<OptionSpec>& options)
{
    QStringList words;
    for (const OptionSpec& option : options)
        words.append(QStringLiteral("--") + option.name);
    return words;
}

QStringList verbs()
{
    QStringList words;
    for (const Command& command : allCommands())
        words.append(command.name);
    return words;
}

QString bash()
{
    QString text = QStringLiteral("_cocoonbox() {\n"
                                  "    local word=\"${COMP_WORDS[COMP_CWORD]}\" verb=\"${COMP_WORDS[1]}\" words\n"
                                  "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                                  "        words=\"%1\"\n"
                                  "    else\n"
                                  "        case \"$verb\" in\n")
                       .arg(verbs().join(u' '));
    for (const Command& command : allCommands()) {
        QStringList words = optionWords(command.options) + optionWords(globalOptions());
        if (command.name == u"help") words = verbs();
        if (command.name == u"completion")
            words = QStringList{QStringLiteral("bash"), QStringLiteral("zsh"), QStringLiteral("fish")};
        text += QStringLiteral("            %1) words=\"%2\" ;;\n").arg(command.name, words.join(u' '));
    }
    return text + QStringLiteral("        esac\n"
                                 "    fi\n"
                                 "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                                 "}\n"
                                 "complete -o default -F _cocoonbox cocoonbox\n");
}

QString zsh()
{
    QString text = QStringLiteral("#compdef cocoonbox\n_cocoonbox() {\n    local -a verbs\n    verbs=(\n");
    for (const Command& command : allCommands())
        text += QStringLiteral("        '%1:%2'\n").arg(command.name, command.summary);
    text += QStringLiteral("    )\n"
                           "    if (( CURRENT == 2 )); then\n"
                           "        _describe 'verb' verbs\n"
                           "        return\n"
                           "    fi\n"
                           "    case \"${words[2]}\" in\n");
    for (const Command& command : allCommands())
        text += QStringLiteral("        %1) compadd -- %2 ;;\n")
                    .arg(command.name, (optionWords(command.options) + optionWords(globalOptions())).join(u' '));
    return text + QStringLiteral("    esac\n}\ncompdef _cocoonbox cocoonbox\n");
}

QString fish()
{
    QString text = QStringLiteral("complete -c cocoonbox -f\n");
    for (const Command& command : allCommands()) {
        text += QStringLiteral("complete -c cocoonbox -n __fish_use_subcommand -a %1 -d '%2'\n")
                    .arg(command.name, command.summary);
        for (const OptionSpec& option : command.options + globalOptions()) {
            const QString letter = option.letter.isNull() ? QString() : QStringLiteral(" -s %1").arg(option.letter);
            const QString value = option.value.isEmpty() ? QString() : QStringLiteral(" -r");
            text += QStringLiteral("complete -c cocoonbox -n '__fish_seen_subcommand_from %1' -l %2%3%4 -d '%5'\n")
                        .arg(command.name, option.name, letter, value, option.help);
        }
    }
    return text;
}

Task<int> completion(Call call)
{
    const QString shell = call->arguments.word(0);
    if (shell == u"bash")
        call->console->write(bash().toUtf8());
    else if (shell == u"zsh")
        call->console->write(zsh().toUtf8());
    else if (shell == u"fish")
        call->console->write(fish().toUtf8());
    else
        co_return usageFailure(
            QStringLiteral("There is no completion for %1; there is one for bash, zsh and fish.").arg(shell));
    co_return 0;
}

} // namespace

Command completionCommand()
{
    return {.name = QStringLiteral("completion"),
            .aliases = {},
            .group = Group::Other,
            .summary = QStringLiteral("Print the completion script of a shell"),
            .words = QStringLiteral("bash|zsh|fish"),
            .details = {},
            .examples = {QStringLiteral("source <(cocoonbox completion bash)"),
                         QStringLiteral("cocoonbox completion fish > ~/.config/fish/completions/cocoonbox.fish")},
            .options = {},
            .wordsMin = 1,
            .wordsMax = 1,
            .run = completion};
}

} // namespace cocoonbox::app::cli
