// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/exec/program.h"

#include <cerrno>
#include <pwd.h>
#include <QFile>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::exec {

namespace {

constexpr char kEndOfInput = '\x04'; // what a terminal takes for the end of its input

QByteArray loginShell()
{
    const passwd* user = ::getpwuid(::getuid());
    return user && user->pw_shell && *user->pw_shell ? QByteArray(user->pw_shell) : QByteArray("/bin/bash");
}

bool isWord(const QString& word)
{
    return !word.contains(QChar(0));
}

} // namespace

Result<SpawnSpec> specOf(const port::ExecStart& start, const QString& workspace)
{
    SpawnSpec spec;
    spec.hasTerminal = start.tty;
    if (start.rows > 0 && start.columns > 0) spec.size = {start.rows, start.columns};
    spec.workingDirectory = QFile::encodeName(start.cwd.isEmpty() ? workspace : start.cwd);
    spec.environment = programEnvironment();
    if (start.tty) setVariable(spec.environment, "TERM", "xterm-256color");
    for (const auto& [name, value] : start.env.asKeyValueRange()) {
        if (name.isEmpty() || name.contains(u'=') || !isWord(name) || !isWord(value))
            return fail(ErrorCode::InvalidArgument, u"\"%1\" is no name of a variable."_s.arg(name),
                        u"EXEC_ARGV_INVALID"_s);
        setVariable(spec.environment, name.toUtf8(), value.toUtf8());
    }
    for (const QString& word : start.argv) {
        if (!isWord(word))
            return fail(ErrorCode::InvalidArgument, u"A word of the command holds a zero byte."_s,
                        u"EXEC_ARGV_INVALID"_s);
        spec.argv.append(word.toUtf8());
    }
    if (start.own) {
        spec.program = "/proc/self/exe"; // of the child that is still toolhost
        spec.argv.prepend("cocoonbox-agent");
    } else if (start.argv.isEmpty()) {
        spec.program = loginShell();
        spec.argv = {'-' + spec.program.sliced(spec.program.lastIndexOf('/') + 1)};
    } else if (start.loginShell) {
        spec.program = "/bin/bash";
        spec.argv = {"bash", "-lc", spec.argv.join(' ')};
    } else {
        spec.program = spec.argv.constFirst();
    }
    return spec;
}

Program::Program(quint64 id, std::unique_ptr<ChildProcess> child, Send send, QObject* parent)
    : QObject(parent), m_id(id), m_child(std::move(child)), m_send(std::move(send))
{
    if (m_child->terminal.isValid()) {
        openSource(m_sources[0], m_child->terminal.get(), false);
    } else {
        openSource(m_sources[0], m_child->output.get(), false);
        openSource(m_sources[1], m_child->errors.get(), true);
    }
    m_writable = std::make_unique<QSocketNotifier>(inputFd(), QSocketNotifier::Write);
    m_writable->setEnabled(false);
    connect(m_writable.get(), &QSocketNotifier::activated, this, &Program::writeInput);
    connect(m_child.get(), &ChildProcess::exited, this, &Program::finishIfDone);
    m_quiet.setSingleShot(true);
    m_quiet.callOnTimeout(this, &Program::finish);
}

Program::~Program() = default;

int Program::inputFd() const
{
    return m_child->terminal.isValid() ? m_child->terminal.get() : m_child->input.get();
}

void Program::openSource(Source& source, int fd, bool isStderr)
{
    source.fd = fd;
    source.isStderr = isStderr;
    source.hasEnded = false;
    source.notifier = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
    connect(source.notifier.get(), &QSocketNotifier::activated, this, [this, &source] { readFrom(source); });
}

bool Program::onInput(const port::ExecStdin& input)
{
    m_inputCredit -= input.bytes.size();
    if (m_inputCredit < 0) return false;
    if (inputFd() < 0 || m_inputClosed) { // the program reads no more: the bytes are gone, the sender may go on
        m_inputCredit += input.bytes.size();
        if (!input.bytes.isEmpty()) m_send(port::ExecCredit{m_id, input.bytes.size()});
        return true;
    }
    m_input += input.bytes;
    m_inputClosed = input.closed;
    writeInput();
    return true;
}

void Program::writeInput()
{
    qint64 written = 0;
    while (!m_input.isEmpty() && inputFd() >= 0) {
        const ssize_t n = ::write(inputFd(), m_input.constData(), static_cast<size_t>(m_input.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) break;
        const qsizetype taken = n < 0 ? m_input.size() : n; // a closed pipe swallows the rest
        m_input.remove(0, taken);
        written += taken;
        if (n < 0) m_inputClosed = true;
    }
    m_inputCredit += written;
    if (written > 0) m_send(port::ExecCredit{m_id, written});
    m_writable->setEnabled(!m_input.isEmpty() && inputFd() >= 0);
    if (m_input.isEmpty() && m_inputClosed) endInput();
}

void Program::endInput()
{
    if (m_child->terminal.isValid()) {
        (void)!::write(m_child->terminal.get(), &kEndOfInput, 1);
        return;
    }
    m_writable->setEnabled(false);
    m_child->input.reset();
}

void Program::onCredit(qint64 bytes)
{
    m_outputCredit = std::min<qint64>(m_outputCredit + bytes, port::kExecWindowBytes);
    updateSources();
    finishIfDone();
}

void Program::setPaused(bool paused)
{
    m_isPaused = paused;
    updateSources();
    finishIfDone();
}

void Program::hangUp()
{
    m_isHungUp = true; // nobody takes the output any more: it is dropped
    m_child->hangUp();
    updateSources();
    finishIfDone();
}

void Program::updateSources()
{
    for (Source& source : m_sources)
        if (source.notifier)
            source.notifier->setEnabled(!source.hasEnded && !m_isFinished &&
                                        (m_isHungUp || (m_outputCredit > 0 && !m_isPaused)));
}

void Program::readFrom(Source& source)
{
    const qint64 room =
        m_isHungUp ? port::kExecChunkBytesMax : std::min<qint64>(m_outputCredit, port::kExecChunkBytesMax);
    if (room <= 0 || source.hasEnded) return updateSources();
    QByteArray bytes(room, Qt::Uninitialized);
    const ssize_t n = ::read(source.fd, bytes.data(), static_cast<size_t>(room));
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) { // a terminal ends with EIO
        source.hasEnded = true;
        updateSources();
        return finishIfDone();
    }
    if (m_isHungUp) return;
    bytes.truncate(n);
    m_outputCredit -= n;
    m_send(port::ExecOutput{m_id, bytes, source.isStderr});
    updateSources();
    if (m_child->hasExited()) m_quiet.start(kQuiet);
}

void Program::finishIfDone()
{
    if (m_isFinished || !m_child->hasExited()) return;
    if ((m_sources[0].hasEnded && m_sources[1].hasEnded) || m_isHungUp) return finish();
    // Somebody else still holds the output. A client that takes nothing now is no reason to drop what is there.
    if (m_outputCredit > 0 && !m_isPaused)
        m_quiet.start(kQuiet);
    else
        m_quiet.stop();
}

void Program::finish()
{
    if (m_isFinished) return;
    if (!m_isHungUp && (m_outputCredit <= 0 || m_isPaused)) return;
    m_isFinished = true;
    m_quiet.stop();
    updateSources();
    m_writable->setEnabled(false);
    m_send(port::ExecExit{m_id, m_child->exitCode(), m_child->exitSignal(), {}});
    emit finished();
}

} // namespace cocoonbox::agent::toolhost::exec
