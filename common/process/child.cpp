// SPDX-License-Identifier: AGPL-3.0-only
#include "common/process/child.h"

#include <csignal>
#include <linux/close_range.h>
#include <QTimer>
#include <sys/prctl.h>
#include <unistd.h>

namespace cocoonbox::process {

namespace {

constexpr auto kKillAfter = std::chrono::seconds(2);
constexpr qsizetype kErrorTailChars = 1024;

} // namespace

std::shared_ptr<Child> Child::start(const ProcessSpec& spec, ErrorOutput errorOutput, Sink sink)
{
    // Never destroyed inside a signal of its own QProcess.
    const std::shared_ptr<Child> child(new Child(spec, errorOutput, std::move(sink)),
                                       [](Child* dead) { dead->deleteLater(); });
    child->m_self = child;
    child->m_process.start();
    if (!spec.input.isEmpty()) child->m_process.write(spec.input);
    child->m_process.closeWriteChannel();
    return child;
}

Child::Child(const ProcessSpec& spec, ErrorOutput errorOutput, Sink sink)
    : m_program(spec.program), m_timeout(spec.timeout), m_outputBytesMax(spec.outputBytesMax), m_keep(errorOutput),
      m_sink(std::move(sink))
{
    prepare(spec);
    connect(&m_process, &QProcess::started, this, [this] { m_started.set(true); });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &Child::readOutput);
    connect(&m_process, &QProcess::readyReadStandardError, this, &Child::readErrors);
    connect(&m_process, &QProcess::finished, this, &Child::finish);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) finish();
    });
}

void Child::prepare(const ProcessSpec& spec)
{
    m_process.setProgram(spec.program);
    m_process.setArguments(spec.arguments);
    if (!spec.workingDirectory.isEmpty()) m_process.setWorkingDirectory(spec.workingDirectory);
    if (!spec.environment.isEmpty()) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const auto& [name, value] : spec.environment.asKeyValueRange())
            environment.insert(name, value);
        m_process.setProcessEnvironment(environment);
    }
    using Flag = QProcess::UnixProcessFlag;
    m_process.setUnixProcessParameters(Flag::ResetSignalHandlers | Flag::CreateNewSession | Flag::UseVFork);
    // Descriptors are marked, not closed: Qt 6.8's own CloseFileDescriptors also closes the pipe that tells of a
    // program that cannot be started, and the start then looks like exit code 255.
    m_process.setChildProcessModifier([] {
        ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    });
}

void Child::end(Cause cause)
{
    if (m_ended.isSet() || m_cause != Cause::None) return;
    m_cause = cause;
    if (m_process.state() == QProcess::NotRunning) return;
    signalGroup(SIGTERM);
    QTimer::singleShot(kKillAfter, this, [this] { signalGroup(SIGKILL); });
}

void Child::signalGroup(int signal)
{
    if (const qint64 leader = m_process.processId(); leader > 0) {
        // Until the child has made its session there is no group of that name.
        if (::kill(static_cast<pid_t>(-leader), signal) != 0) ::kill(static_cast<pid_t>(leader), signal);
    }
}

void Child::readOutput()
{
    const QByteArray piece = m_process.readAllStandardOutput();
    if (m_cause == Cause::None && !piece.isEmpty() && !m_sink(piece)) end(Cause::OutputLimit);
}

void Child::readErrors()
{
    const QByteArray piece = m_process.readAllStandardError();
    if (m_keep == ErrorOutput::KeepTail) {
        m_errorOutput = (m_errorOutput + piece).right(m_outputBytesMax);
        return;
    }
    const qsizetype room = m_outputBytesMax - m_errorOutput.size();
    m_errorOutput += piece.left(room);
    if (piece.size() > room) end(Cause::OutputLimit);
}

void Child::finish()
{
    if (m_ended.isSet()) return;
    if (m_process.error() != QProcess::FailedToStart) {
        readOutput();
        readErrors();
    }
    const std::shared_ptr<Child> keep = std::exchange(m_self, nullptr);
    m_started.set(false);
    m_ended.set(true);
    m_sink = nullptr;
    if (m_onEnded) std::exchange(m_onEnded, nullptr)();
}

QString Child::errorTail() const
{
    return QString::fromUtf8(m_errorOutput).trimmed().right(kErrorTailChars);
}

Result<int> Child::exitCode() const
{
    switch (m_cause) {
    case Cause::Cancelled: return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    case Cause::Deadline:
        return fail(
            ErrorCode::DeadlineExceeded,
            QStringLiteral("\"%1\" did not end within %2 ms and was stopped.").arg(m_program).arg(m_timeout.count()),
            QStringLiteral("PROCESS_TIMEOUT"));
    case Cause::OutputLimit:
        return fail(ErrorCode::ResourceExhausted,
                    QStringLiteral("\"%1\" wrote more than is read from it and was stopped.").arg(m_program),
                    QStringLiteral("PROCESS_OUTPUT_LIMIT"));
    case Cause::None: break;
    }
    if (m_process.error() == QProcess::FailedToStart)
        return std::unexpected(
            Error{ErrorCode::NotFound,
                  QStringLiteral("Cannot start \"%1\": it is not installed, or may not be run.").arg(m_program),
                  QStringLiteral("PROGRAM_NOT_FOUND"), m_process.errorString(), std::source_location::current()});
    if (m_process.exitStatus() == QProcess::CrashExit)
        return std::unexpected(Error{ErrorCode::Internal,
                                     QStringLiteral("\"%1\" was ended by a signal.").arg(m_program),
                                     QStringLiteral("PROCESS_KILLED"), errorTail(), std::source_location::current()});
    return m_process.exitCode();
}

} // namespace cocoonbox::process
