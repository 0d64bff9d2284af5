// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"
#include "common/process/run_process.h"

#include <functional>
#include <memory>
#include <QProcess>

namespace cocoonbox::process {

// One started program; what runProcess and LineReader share. It keeps itself alive until the program has ended, so
// whoever lets go of it early only has to call `end` first. Domain thread.
class Child final : public QObject {
    Q_OBJECT
public:
    // Why we ended it.
    enum class Cause { None, Deadline, Cancelled, OutputLimit };

    // Takes a piece of stdout; false when it is more than the reader wants.
    using Sink = std::function<bool(const QByteArray&)>;

    // What happens to stderr beyond the spec's bound: the program is ended, or its beginning is forgotten.
    enum class ErrorOutput { Bounded, KeepTail };

    static std::shared_ptr<Child> start(const ProcessSpec& spec, ErrorOutput errorOutput, Sink sink);

    const Promise<bool>& started() const { return m_started; } // false: there is no such program
    const Promise<bool>& ended() const { return m_ended; }
    void onEnded(std::function<void()> fn) { m_onEnded = std::move(fn); }

    // SIGTERM to the process group, SIGKILL 2 s later; the first cause is kept.
    void end(Cause cause);

    // How it went, after `ended`: an error unless it ran to its own end.
    Result<int> exitCode() const;
    const QByteArray& errorOutput() const { return m_errorOutput; }
    QString errorTail() const;
    qint64 processId() const { return m_process.processId(); }

private:
    Child(const ProcessSpec& spec, ErrorOutput errorOutput, Sink sink);
    void prepare(const ProcessSpec& spec);
    void readOutput();
    void readErrors();
    void finish();
    void signalGroup(int signal);

    QProcess m_process;
    QString m_program;
    std::chrono::milliseconds m_timeout;
    qsizetype m_outputBytesMax;
    ErrorOutput m_keep;
    Sink m_sink;
    QByteArray m_errorOutput;
    std::function<void()> m_onEnded;
    Promise<bool> m_started;
    Promise<bool> m_ended;
    Cause m_cause = Cause::None;
    std::shared_ptr<Child> m_self;
};

} // namespace cocoonbox::process
