// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/shell_session.h"

#include "common/base/ids.h"

#include <array>
#include <cerrno>
#include <QFile>
#include <QPointer>
#include <termios.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::shell {

namespace {

constexpr qsizetype kBetweenBytesMax = 4 * 1024;
constexpr std::chrono::milliseconds kAfterSignal{30};
constexpr std::array kHarder{SIGINT, SIGTERM, SIGKILL};
constexpr int kReadsATurn = 64; // a terminal gives 4 KiB a read

QByteArrayList shellEnvironment()
{
    QByteArrayList environment = programEnvironment();
    setVariable(environment, "TERM", "dumb");
    setVariable(environment, "PAGER", "cat");
    setVariable(environment, "GIT_PAGER", "cat");
    setVariable(environment, "GIT_TERMINAL_PROMPT", "0");
    setVariable(environment, "DEBIAN_FRONTEND", "noninteractive");
    setVariable(environment, "HISTFILE", "");
    setVariable(environment, "PS1", "");
    return environment;
}

} // namespace

Result<std::unique_ptr<ShellSession>> ShellSession::start(const ShellOptions& options)
{
    SpawnSpec spec;
    spec.program = "/bin/bash";
    // Interactive for its job control: jobs have their own groups, and SIGINT reaches the one in the foreground.
    spec.argv = {"bash", "--noprofile", "--norc", "--noediting", "-i"};
    spec.workingDirectory = QFile::encodeName(options.workspace);
    spec.environment = shellEnvironment();
    spec.hasTerminal = true;
    spec.size = {50, 200};
    spec.deathSignal = SIGHUP;
    TRY_ASSIGN(std::unique_ptr<ChildProcess> child, ChildProcess::start(spec));
    std::unique_ptr<ShellSession> session(new ShellSession(options, std::move(child)));
    if (!session->m_commands.isValid())
        return fail(ErrorCode::ResourceExhausted, u"No file can be made in the temporary folder: is the disk full?"_s);
    // From here on what is typed is not echoed, and what a command leaves behind in the prompt is undone by the mark.
    session->restoreTerminal();
    session->type(" PS1= PS2=; __cocoonbox_mark() { local s=$?; PS1= PS2=; "
                  "builtin printf '\\033]7770;%s;%s;%s;%s\\007' \"" +
                  session->m_nonce + "\" \"$1\" \"$s\" \"$PWD\" >/dev/tty; return $s; }\n");
    return session;
}

ShellSession::ShellSession(ShellOptions options, std::unique_ptr<ChildProcess> child)
    : m_options(std::move(options)), m_child(std::move(child)),
      m_readable(m_child->terminal.get(), QSocketNotifier::Read), m_nonce(randomHex128().toLatin1()),
      m_directory(m_options.workspace)
{
    connect(&m_readable, &QSocketNotifier::activated, this, &ShellSession::onReadable);
    connect(m_child.get(), &ChildProcess::exited, this, [this] {
        onReadable(); // what it said last
        if (m_waiting) std::exchange(m_waiting, std::nullopt)->set(News::Ended);
    });
}

ShellSession::~ShellSession() = default;

Task<CommandReport> ShellSession::run(QString command, std::chrono::milliseconds timeout, std::stop_token stop,
                                      std::function<void(const QString&)> output)
{
    m_isBusy = true;
    ++m_number;
    m_marked = false;
    m_kept.emplace(m_options.outputFolder);
    m_output = std::move(output);
    deliver(std::exchange(m_between, {}));
    if (const Result<void> typed = typeCommand(command); !typed) {
        m_isBusy = false;
        co_return std::unexpected(typed.error());
    }
    CommandEnd end = CommandEnd::Completed;
    switch (co_await waitForNews(timeout, stop)) {
    case News::Mark: break;
    case News::Ended: end = CommandEnd::SessionEnded; break;
    case News::Late: end = co_await interrupt() ? CommandEnd::TimedOut : CommandEnd::SessionEnded; break;
    case News::Cancelled: end = co_await interrupt() ? CommandEnd::Cancelled : CommandEnd::SessionEnded; break;
    }
    co_return report(end);
}

Result<void> ShellSession::typeCommand(const QString& command)
{
    const QString path = m_commands.filePath(u"command"_s);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(command.toUtf8()) < 0 || !file.flush())
        return fail(ErrorCode::ResourceExhausted, u"The command cannot be stored: %1."_s.arg(file.errorString()));
    restoreTerminal();
    // The prompt's mark serves when an error inside the command throws bash back to its prompt.
    type(" PROMPT_COMMAND='__cocoonbox_mark " + QByteArray::number(m_number) + "'; eval \"$(<'" +
         QFile::encodeName(path) + "')\"; __cocoonbox_mark " + QByteArray::number(m_number) + "\n");
    return {};
}

void ShellSession::type(const QByteArray& line)
{
    // Shorter than the terminal's line buffer, which is empty when we type: it is taken at once.
    (void)!::write(m_child->terminal.get(), line.constData(), static_cast<size_t>(line.size()));
}

// Programs leave terminals in odd modes.
void ShellSession::restoreTerminal() const
{
    termios mode{};
    if (::tcgetattr(m_child->terminal.get(), &mode) != 0) return;
    mode.c_iflag = ICRNL | IUTF8;
    mode.c_oflag = 0;
    mode.c_lflag = ISIG | ICANON;
    (void)::tcsetattr(m_child->terminal.get(), TCSANOW, &mode);
}

void ShellSession::onReadable()
{
    char buffer[4096];
    for (int reads = 0; reads < kReadsATurn; ++reads) {
        const ssize_t n = ::read(m_child->terminal.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) return;
        if (n <= 0) {
            m_atEnd = true;
            m_readable.setEnabled(false);
            return;
        }
        takeText(QByteArrayView(buffer, n));
    }
}

void ShellSession::takeText(QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        qsizetype used = 0;
        QByteArray text;
        const bool isMark = m_text.feed(bytes, used, text);
        bytes = bytes.sliced(used);
        if (!m_isBusy) {
            m_between += text;
            m_between = m_between.last(std::min(m_between.size(), kBetweenBytesMax));
        } else if (!m_marked) {
            deliver(text);
        }
        if (!isMark || !isOurMark() || m_marked) continue;
        deliver(m_text.takePartialLine());
        m_marked = true;
        if (m_waiting) std::exchange(m_waiting, std::nullopt)->set(News::Mark);
    }
}

void ShellSession::deliver(const QByteArray& text)
{
    if (text.isEmpty() || !m_kept) return;
    m_kept->add(text);
    if (m_output) m_output(QString::fromUtf8(text));
}

// nonce;number;exit code;working directory
bool ShellSession::isOurMark()
{
    const QList<QByteArray> parts = m_text.mark().split(';');
    if (parts.size() < 4 || parts.at(0) != m_nonce || parts.at(1).toULongLong() != m_number || !m_isBusy) return false;
    m_exitCode = parts.at(2).toInt();
    m_directory = QString::fromUtf8(parts.sliced(3).join(';'));
    return true;
}

QCoro::Task<ShellSession::News> ShellSession::waitForNews(std::chrono::milliseconds limit, std::stop_token stop)
{
    if (m_marked) co_return News::Mark;
    if (hasEnded()) co_return News::Ended;
    const Promise<News> news;
    m_waiting = news;
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([news] { news.set(News::Late); });
    timer.start(limit);
    const std::stop_callback onStop(stop, [news] { postToDomain([news] { news.set(News::Cancelled); }); });
    const News result = co_await news.get();
    m_waiting.reset();
    co_return result;
}

// True when the prompt is back.
QCoro::Task<bool> ShellSession::interrupt()
{
    for (const int number : kHarder) {
        const pid_t group = m_child->foregroundGroup();
        if (group != m_child->pid() || number == SIGINT) (void)::kill(-group, number);
        // A moment, so that what we type is read by bash and not by what we have just ended. SIGINT makes bash drop the
        // rest of its line, our mark with it: it is asked for again.
        (void)co_await sleepFor(kAfterSignal);
        restoreTerminal();
        type(" __cocoonbox_mark " + QByteArray::number(m_number) + "\n");
        const News news = co_await waitForNews(m_options.patience, {});
        if (news == News::Mark) co_return true;
        if (news == News::Ended) co_return false;
    }
    m_child->hangUp();
    co_return false;
}

CommandReport ShellSession::report(CommandEnd end)
{
    if (end == CommandEnd::SessionEnded) deliver(m_text.takePartialLine());
    if (end == CommandEnd::SessionEnded) m_exitCode = hasEnded() ? m_child->exitCode() : 128 + SIGKILL;
    CommandReport report{end, m_exitCode, m_directory, m_kept->text()};
    m_kept.reset();
    m_output = nullptr;
    m_isBusy = false;
    return report;
}

} // namespace cocoonbox::agent::toolhost::shell
