// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/message.h"
#include "agent/toolhost/spawn.h"

#include <functional>
#include <memory>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

namespace cocoonbox::agent::toolhost::exec {

// What an ExecStart asks for, ready to be started in `workspace`. InvalidArgument: EXEC_ARGV_INVALID.
Result<SpawnSpec> specOf(const port::ExecStart& start, const QString& workspace);

// One running program of the port's Exec: its bytes in both directions within their credit, its signals, its end.
// `finished` comes once, after the last byte of output; what is left of the program's group is ended when this goes.
class Program final : public QObject {
    Q_OBJECT
public:
    // How long output is waited for, after the program has ended, from others that hold its pipes.
    static constexpr std::chrono::milliseconds kQuiet{250};

    using Send = std::function<void(const port::Message&)>;
    Program(quint64 id, std::unique_ptr<ChildProcess> child, Send send, QObject* parent);
    ~Program() override;

    // False when the other side sent beyond its credit.
    bool onInput(const port::ExecStdin& input);
    void onCredit(qint64 bytes);
    void onResize(TerminalSize size) const { m_child->resize(size); }
    void onSignal(int number) const { m_child->signalGroup(number); }
    void hangUp();
    // Nothing is read from the program while the channel is full.
    void setPaused(bool paused);

signals:
    void finished();

private:
    struct Source {
        int fd = -1;
        std::unique_ptr<QSocketNotifier> notifier;
        bool isStderr = false;
        bool hasEnded = true;
    };

    int inputFd() const;
    void writeInput();
    void endInput();
    void openSource(Source& source, int fd, bool isStderr);
    void readFrom(Source& source);
    void updateSources();
    void finishIfDone();
    void finish();

    quint64 m_id;
    std::unique_ptr<ChildProcess> m_child;
    Send m_send;
    Source m_sources[2];
    std::unique_ptr<QSocketNotifier> m_writable;
    QByteArray m_input;
    qint64 m_inputCredit = port::kExecWindowBytes;
    qint64 m_outputCredit = port::kExecWindowBytes;
    QTimer m_quiet;
    bool m_inputClosed = false;
    bool m_isPaused = false;
    bool m_isHungUp = false;
    bool m_isFinished = false;
};

} // namespace cocoonbox::agent::toolhost::exec
