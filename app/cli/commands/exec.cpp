// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/interrupts.h"
#include "app/cli/terminal.h"
#include "app/client/exec_channel.h"

#include <cerrno>
#include <csignal>
#include <optional>
#include <QPointer>
#include <QSocketNotifier>
#include <unistd.h>

namespace cocoonbox::app::cli {

namespace {

Result<client::ExecStart> readStart(const Call& call)
{
    client::ExecStart start;
    start.argv = call->arguments.words();
    start.cwd = call->arguments.value(QStringLiteral("cwd"));
    start.tty = call->arguments.has(QStringLiteral("tty")) || (start.argv.isEmpty() && call->console->inIsTerminal());
    start.columns = terminalSize().width();
    start.rows = terminalSize().height();
    if (start.tty)
        start.environment.insert(QStringLiteral("TERM"),
                                 call->environment.value(QStringLiteral("TERM"), QStringLiteral("xterm")));
    for (const QString& pair : call->arguments.values(QStringLiteral("env"))) {
        const qsizetype equals = pair.indexOf(u'=');
        if (equals < 1) return usageFailure(QStringLiteral("--env takes NAME=VALUE, not \"%1\".").arg(pair));
        start.environment.insert(pair.left(equals), pair.sliced(equals + 1));
    }
    return start;
}

// Sends stdin, a chunk at a time: the next is read when the box has taken the one before.
class InputPump {
public:
    explicit InputPump(client::ExecChannel& channel)
        : m_channel(channel), m_notifier(STDIN_FILENO, QSocketNotifier::Read)
    {
        QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_notifier, [this] { pump(); });
    }
    void stop() { m_notifier.setEnabled(false); }

private:
    QCoro::Task<void> pump()
    {
        m_notifier.setEnabled(false);
        const QPointer alive{&m_notifier};
        char chunk[32 * 1024];
        const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            m_notifier.setEnabled(true);
            co_return;
        }
        if (got <= 0) {
            m_channel.closeStdin();
            co_return;
        }
        const bool taken = co_await m_channel.writeStdin(QByteArray(chunk, got));
        if (alive && taken) m_notifier.setEnabled(true);
    }

    client::ExecChannel& m_channel;
    QSocketNotifier m_notifier;
};

void forwardSignals(client::ExecChannel& channel, bool tty)
{
    onSignals([&channel, tty](int number) {
        if (number == SIGWINCH) {
            if (tty) channel.resize(terminalSize().height(), terminalSize().width());
        } else {
            channel.signal(number);
        }
    });
}

Task<int> runInBox(Call call)
{
    CO_TRY_ASSIGN(const client::ExecStart start, readStart(call));
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    const auto channel = box->exec(start);
    std::optional<RawTerminal> raw;
    if (start.tty && call->console->inIsTerminal()) raw.emplace();
    forwardSignals(*channel, start.tty);
    InputPump input(*channel);
    int code = kTransport;
    bool exited = false;
    while (const auto output = co_await channel->read()) {
        switch (output->kind) {
        case client::ExecOutput::Kind::Stdout: call->console->write(output->bytes); break;
        case client::ExecOutput::Kind::Stderr: call->console->writeError(output->bytes); break;
        case client::ExecOutput::Kind::Exited:
            exited = true;
            code = output->exitCode;
            if (!output->failure.isEmpty()) call->console->note(Console::printable(output->failure), Tone::Bad);
            break;
        }
        if (exited) break;
    }
    input.stop();
    onSignals({});
    raw.reset();
    if (exited) co_return code;
    CO_TRY_VOID(co_await channel->finish());
    co_return fail(ErrorCode::Unavailable, QStringLiteral("The box ended the call before the program had ended."),
                   QStringLiteral("EXEC_BROKEN"));
}

// A failure of ours must not look like an exit code of the program.
Task<int> exec(Call call)
{
    const Result<int> code = co_await runInBox(call);
    if (code || code.error().reason == u"USAGE") co_return code;
    call->console->error(code.error(), kTransport);
    co_return kTransport;
}

} // namespace

Command execCommand()
{
    return {
        .name = QStringLiteral("exec"),
        .aliases = {},
        .group = Group::Inside,
        .summary = QStringLiteral("Run a program in a box"),
        .words = QStringLiteral("[--] [PROGRAM ARGUMENT…]"),
        .details =
            QStringLiteral("Runs as the box's user in /workspace; without a program a login shell. stdin, stdout and\n"
                           "stderr are passed through, signals too. Exits with the program's code; 255 when the\n"
                           "connection failed."),
        .examples = {QStringLiteral("cocoonbox exec -- ls -l"), QStringLiteral("cocoonbox exec -t -- htop"),
                     QStringLiteral("tar c . | cocoonbox exec --cwd /workspace/site -- tar x")},
        .options = {{QStringLiteral("tty"), u't', {}, QStringLiteral("with a terminal")},
                    {QStringLiteral("cwd"), {}, QStringLiteral("DIR"), QStringLiteral("where to run it; /workspace")},
                    {QStringLiteral("env"), u'e', QStringLiteral("NAME=VALUE"),
                     QStringLiteral("add to its environment"), true}},
        .wordsMax = -1,
        .reading = Words::Verbatim,
        .run = exec};
}

} // namespace cocoonbox::app::cli
