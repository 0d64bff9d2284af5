// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/runner.h"

#include "app/cli/command.h"
#include "app/cli/exit_code.h"
#include "app/cli/help_text.h"
#include "app/cli/interrupts.h"

#include <algorithm>
#include <csignal>
#include <QCoreApplication>
#include <QTimer>

namespace cocoonbox::app::cli {

namespace {

// The verb is the first word that is no option; options of every verb may stand before it.
qsizetype findVerb(const QStringList& words)
{
    for (qsizetype i = 0; i < words.size(); ++i) {
        if (!words[i].startsWith(u'-')) return i;
        const auto option = std::ranges::find_if(
            globalOptions(), [&](const OptionSpec& spec) { return words[i] == QStringLiteral("--") + spec.name; });
        if (option != globalOptions().end() && !option->value.isEmpty()) ++i;
    }
    return -1;
}

Result<Arguments> readFor(const Command& command, const QStringList& words, qsizetype verb)
{
    const QStringList before = words.first(verb);
    const QStringList after = words.sliced(verb + 1);
    const QList<OptionSpec> options = command.options + globalOptions();
    TRY_ASSIGN(Arguments arguments, readArguments(before + after, options, command.reading));
    const qsizetype count = arguments.words().size();
    if (arguments.has(QStringLiteral("help"))) return arguments;
    if (count < command.wordsMin)
        return usageFailure(QStringLiteral("Something is missing: cocoonbox %1 %2").arg(command.name, command.words));
    if (command.wordsMax >= 0 && count > command.wordsMax)
        return usageFailure(QStringLiteral("\"%1\" is too much: cocoonbox %2 %3")
                                .arg(arguments.word(command.wordsMax), command.name, command.words));
    return arguments;
}

QCoro::Task<void> runToExit(Call call)
{
    const Result<int> code = co_await call->command->run(call);
    call->console->endProgress();
    int exitCode = code.value_or(kOk);
    if (!code) {
        exitCode = exitCodeOf(code.error());
        call->console->error(code.error(), exitCode);
    }
    QCoreApplication::exit(exitCode);
}

// Whatever waits is left as it is: the process ends.
void limitTime(const Call& call, std::chrono::milliseconds limit)
{
    QTimer::singleShot(limit, QCoreApplication::instance(), [call, limit] {
        call->console->error({ErrorCode::DeadlineExceeded,
                              QStringLiteral("Not done within %1 s.").arg(static_cast<double>(limit.count()) / 1000),
                              QStringLiteral("TIMEOUT"),
                              {},
                              {}},
                             kTimeout);
        QCoreApplication::exit(kTimeout);
    });
}

void endOnSignals(const Call& call)
{
    onSignals([call](int number) {
        if (number == SIGWINCH) return;
        call->console->endProgress();
        QCoreApplication::exit(128 + number);
    });
}

int refuse(Console& console, const Error& error)
{
    const int code = exitCodeOf(error);
    console.error(error, code);
    return code;
}

int start(const Call& call)
{
    if (call->arguments.has(QStringLiteral("timeout"))) {
        const auto limit = readDuration(call->arguments.value(QStringLiteral("timeout")));
        if (!limit) return refuse(*call->console, limit.error());
        limitTime(call, *limit);
    }
    endOnSignals(call);
    QMetaObject::invokeMethod(QCoreApplication::instance(), [call] { runToExit(call); }, Qt::QueuedConnection);
    return QCoreApplication::exec();
}

} // namespace

int runCommandLine(const QStringList& words, const QProcessEnvironment& environment)
{
    Console console(environment);
    console.setJson(words.contains(QStringLiteral("--json"))); // errors of reading the line as well
    const qsizetype verb = findVerb(words);
    if (verb < 0) {
        if (words.contains(QStringLiteral("--version"))) {
            console.line(QStringLiteral("cocoonbox " COCOONBOX_VERSION));
            return kOk;
        }
        const bool asked = words.contains(QStringLiteral("--help")) || words.contains(QStringLiteral("-h"));
        if (asked)
            console.write(overview(console).toUtf8());
        else if (words.isEmpty())
            console.writeError(overview(console).toUtf8());
        else
            return refuse(console, usageFailure(QStringLiteral("There is no verb.")).error());
        return asked ? kOk : kUsage;
    }
    const auto call = std::make_shared<Invocation>();
    call->command = findCommand(words[verb]);
    if (!call->command)
        return refuse(console, usageFailure(QStringLiteral("There is no verb %1.").arg(words[verb])).error());
    auto arguments = readFor(*call->command, words, verb);
    if (!arguments) {
        console.setJson(console.json() && call->command->reading == Words::Mixed);
        return refuse(console, arguments.error());
    }
    call->arguments = *std::move(arguments);
    call->console = &console;
    call->environment = environment;
    console.setJson(call->arguments.has(QStringLiteral("json")));
    console.setQuiet(call->arguments.has(QStringLiteral("quiet")));
    if (call->arguments.has(QStringLiteral("help"))) {
        console.write(helpOf(*call->command, console).toUtf8());
        return kOk;
    }
    return start(call);
}

} // namespace cocoonbox::app::cli
