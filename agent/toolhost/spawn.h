// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <QByteArrayList>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>
#include <sys/types.h>

namespace cocoonbox::agent::toolhost {

struct TerminalSize {
    int rows = 24;
    int columns = 80;
};

struct SpawnSpec {
    QByteArray program;  // a path, or a name looked up in the environment's PATH
    QByteArrayList argv; // with argv[0]
    QByteArray workingDirectory;
    QByteArrayList environment; // "NAME=value"
    bool hasTerminal = false;   // a pseudo terminal on all three; else three pipes
    TerminalSize size;
    int deathSignal = SIGKILL; // what it gets when toolhost dies
};

// A started program, leader of its own session and process group. `exited` comes once, when the leader has ended; the
// leader stays a zombie until this object goes, so its group's number cannot come to mean another group.
// Going, it ends what is left of the group: SIGHUP at once, SIGKILL after kGrace.
class ChildProcess final : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kGrace{2'000};

    // InvalidArgument: PROGRAM_NOT_STARTED with the system's reason.
    static Result<std::unique_ptr<ChildProcess>> start(const SpawnSpec& spec);
    ~ChildProcess() override;

    pid_t pid() const { return m_pid; }
    bool hasExited() const { return m_hasExited; }
    // 128 + signal when a signal ended it.
    int exitCode() const { return m_exitCode; }
    int exitSignal() const { return m_exitSignal; }

    // To the group; with a terminal to the group in its foreground.
    void signalGroup(int number) const;
    pid_t foregroundGroup() const;
    void resize(TerminalSize size) const;
    // SIGHUP to the group now, SIGKILL after kGrace if it has not ended.
    void hangUp();

    // Non-blocking. With a terminal, `input` and `output` are invalid and `terminal` is both.
    net::UniqueFd input;
    net::UniqueFd output;
    net::UniqueFd errors;
    net::UniqueFd terminal;

signals:
    void exited();

private:
    ChildProcess(pid_t pid, int pidFd);
    void onExited();

    pid_t m_pid;
    net::UniqueFd m_pidFd;
    QSocketNotifier m_notifier;
    QTimer m_kill;
    bool m_hasExited = false;
    int m_exitCode = 0;
    int m_exitSignal = 0;
};

// The environment that programs of `user` start with: toolhost's own, with what a desktop session needs filled in.
QByteArrayList programEnvironment();
// Replaces or adds one variable.
void setVariable(QByteArrayList& environment, const QByteArray& name, const QByteArray& value);

} // namespace cocoonbox::agent::toolhost
