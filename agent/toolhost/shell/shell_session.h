// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/shell/output_keeper.h"
#include "agent/toolhost/shell/terminal_text.h"
#include "agent/toolhost/spawn.h"
#include "common/async/task.h"
#include "common/async/wait.h"

#include <functional>
#include <optional>
#include <QTemporaryDir>
#include <stop_token>

namespace cocoonbox::agent::toolhost::shell {

struct ShellOptions {
    QString workspace;
    QString outputFolder;
    // How long each of SIGINT, SIGTERM and SIGKILL is given to bring the prompt back.
    std::chrono::milliseconds patience{2'000};
};

enum class CommandEnd {
    Completed,
    TimedOut,     // interrupted; the session is kept
    Cancelled,    // likewise
    SessionEnded, // the shell itself has gone: `exit`, `exec`, or it could not be interrupted
};

struct CommandReport {
    CommandEnd end = CommandEnd::Completed;
    int exitCode = 0;
    QString workingDirectory;
    QString output;
};

// One bash on its own terminal. A command is put in a file and read by `eval`, so that a broken one is an error and not
// a shell that waits for more; bash answers with a mark on the terminal that carries a nonce, the command's number, its
// exit code and the working directory. Jobs in the background live on between commands and print into the next
// command's output; those started by setsid or nohup outlive the session.
// A command that stays in the foreground past its time gets SIGINT, SIGTERM, SIGKILL in turn.
class ShellSession final : public QObject {
    Q_OBJECT
public:
    static Result<std::unique_ptr<ShellSession>> start(const ShellOptions& options);
    ~ShellSession() override;

    bool isBusy() const { return m_isBusy; }
    bool hasEnded() const { return m_child->hasExited(); }

    // One at a time. `output` gets text as it comes.
    Task<CommandReport> run(QString command, std::chrono::milliseconds timeout, std::stop_token stop,
                            std::function<void(const QString&)> output);

private:
    enum class News { Mark, Ended, Late, Cancelled };

    ShellSession(ShellOptions options, std::unique_ptr<ChildProcess> child);
    Result<void> typeCommand(const QString& command);
    void type(const QByteArray& line);
    void restoreTerminal() const;
    void onReadable();
    void takeText(QByteArrayView bytes);
    void deliver(const QByteArray& text);
    bool isOurMark();
    QCoro::Task<News> waitForNews(std::chrono::milliseconds limit, std::stop_token stop);
    QCoro::Task<bool> interrupt();
    CommandReport report(CommandEnd end);

    ShellOptions m_options;
    std::unique_ptr<ChildProcess> m_child;
    QSocketNotifier m_readable;
    QTemporaryDir m_commands;
    QByteArray m_nonce;
    TerminalText m_text;
    QByteArray m_between; // printed while no command ran
    std::optional<OutputKeeper> m_kept;
    std::function<void(const QString&)> m_output;
    std::optional<Promise<News>> m_waiting;
    quint64 m_number = 0;
    int m_exitCode = 0;
    QString m_directory;
    bool m_isBusy = false;
    bool m_marked = false;
    bool m_atEnd = false; // the terminal has no more to say
};

} // namespace cocoonbox::agent::toolhost::shell
