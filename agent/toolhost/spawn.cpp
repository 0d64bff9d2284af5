// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/spawn.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vector>

using namespace Qt::StringLiterals;

extern char** environ;

namespace cocoonbox::agent::toolhost {

namespace {

using net::UniqueFd;

// What the child is left with; made before the fork, since only plain system calls may follow it.
struct ChildPlan {
    std::vector<char*> argv;
    std::vector<char*> environment;
    QByteArray program;
    QByteArray workingDirectory;
    QByteArray terminalPath;
    std::array<int, 3> standard{-1, -1, -1};
    int failure = -1;
    int deathSignal = SIGKILL;
    pid_t parent = 0;
};

struct Pipe {
    UniqueFd read;
    UniqueFd write;
};

Result<Pipe> newPipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return fail(ErrorCode::ResourceExhausted, u"No more pipes can be opened."_s, u"PROGRAM_NOT_STARTED"_s);
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void setNonBlocking(int fd)
{
    (void)::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Result<UniqueFd> newTerminal(TerminalSize size, QByteArray& path)
{
    UniqueFd fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    char name[64];
    if (!fd.isValid() || ::grantpt(fd.get()) != 0 || ::unlockpt(fd.get()) != 0 ||
        ::ptsname_r(fd.get(), name, sizeof name) != 0)
        return fail(ErrorCode::ResourceExhausted,
                    u"No more terminals can be opened: %1."_s.arg(QString::fromLocal8Bit(std::strerror(errno))),
                    u"PROGRAM_NOT_STARTED"_s);
    path = name;
    const winsize window{static_cast<unsigned short>(size.rows), static_cast<unsigned short>(size.columns), 0, 0};
    (void)::ioctl(fd.get(), TIOCSWINSZ, &window);
    return fd;
}

[[noreturn]] void giveUp(int failure)
{
    const int error = errno;
    (void)!::write(failure, &error, sizeof error);
    ::_exit(127);
}

void resetSignals()
{
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number)
        (void)::sigaction(number, &plain, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void becomeProgram(const ChildPlan& plan)
{
    resetSignals();
    const int failure = ::fcntl(plan.failure, F_DUPFD_CLOEXEC, 3);
    (void)::setsid();
    (void)::prctl(PR_SET_PDEATHSIG, plan.deathSignal);
    if (::getppid() != plan.parent) ::_exit(127); // toolhost died before the line above
    std::array<int, 3> standard = plan.standard;
    if (!plan.terminalPath.isEmpty()) {
        const int fd = ::open(plan.terminalPath.constData(), O_RDWR); // becomes the controlling terminal
        if (fd < 0) giveUp(failure);
        (void)::ioctl(fd, TIOCSCTTY, 0);
        standard = {fd, fd, fd};
    }
    // Out of the way first, so that no source is overwritten before it was copied.
    for (int& fd : standard)
        fd = ::fcntl(fd, F_DUPFD, 3);
    for (int i = 0; i < 3; ++i)
        if (::dup2(standard[static_cast<size_t>(i)], i) < 0) giveUp(failure);
    (void)::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    if (::chdir(plan.workingDirectory.constData()) != 0) giveUp(failure);
    ::execvpe(plan.program.constData(), plan.argv.data(), plan.environment.data());
    giveUp(failure);
}

std::vector<char*> pointersTo(const QByteArrayList& words)
{
    std::vector<char*> pointers;
    pointers.reserve(static_cast<size_t>(words.size()) + 1);
    for (const QByteArray& word : words)
        pointers.push_back(const_cast<char*>(word.constData()));
    pointers.push_back(nullptr);
    return pointers;
}

// Forks; the child's failure to become the program, if any, is read before this returns.
Result<pid_t> launch(const SpawnSpec& spec, ChildPlan plan)
{
    TRY_ASSIGN(Pipe failure, newPipe());
    plan.argv = pointersTo(spec.argv);
    plan.environment = pointersTo(spec.environment);
    plan.program = spec.program;
    plan.workingDirectory = spec.workingDirectory;
    plan.failure = failure.write.get();
    plan.deathSignal = spec.deathSignal;
    plan.parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) becomeProgram(plan);
    if (pid < 0)
        return fail(ErrorCode::ResourceExhausted, u"The box can start no more programs. End some first."_s,
                    u"PROGRAM_NOT_STARTED"_s);
    failure.write.reset();
    int error = 0;
    ssize_t n = 0;
    do
        n = ::read(failure.read.get(), &error, sizeof error);
    while (n < 0 && errno == EINTR);
    if (n <= 0) return pid;
    (void)::waitpid(pid, nullptr, 0);
    return fail(ErrorCode::InvalidArgument,
                u"%1 cannot be started: %2."_s.arg(QString::fromLocal8Bit(spec.program),
                                                   QString::fromLocal8Bit(std::strerror(error))),
                u"PROGRAM_NOT_STARTED"_s);
}

// A program that is stuck in the kernel must not hold us: it is asked about again later.
void reap(pid_t pid)
{
    (void)::kill(-pid, SIGKILL);
    if (::waitpid(pid, nullptr, WNOHANG) == 0) QTimer::singleShot(ChildProcess::kGrace, [pid] { reap(pid); });
}

} // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const SpawnSpec& spec)
{
    ChildPlan plan;
    UniqueFd terminal;
    Pipe in;
    Pipe out;
    Pipe err;
    if (spec.hasTerminal) {
        TRY_ASSIGN(terminal, newTerminal(spec.size, plan.terminalPath));
    } else {
        TRY_ASSIGN(in, newPipe());
        TRY_ASSIGN(out, newPipe());
        TRY_ASSIGN(err, newPipe());
        plan.standard = {in.read.get(), out.write.get(), err.write.get()};
    }
    TRY_ASSIGN(const pid_t pid, launch(spec, std::move(plan)));
    const int pidFd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (pidFd < 0) {
        (void)::kill(-pid, SIGKILL);
        (void)::waitpid(pid, nullptr, 0);
        return fail(ErrorCode::ResourceExhausted, u"No more programs can be watched."_s, u"PROGRAM_NOT_STARTED"_s);
    }
    std::unique_ptr<ChildProcess> child(new ChildProcess(pid, pidFd));
    child->terminal = std::move(terminal);
    child->input = std::move(in.write);
    child->output = std::move(out.read);
    child->errors = std::move(err.read);
    for (const UniqueFd* fd : {&child->terminal, &child->input, &child->output, &child->errors})
        if (fd->isValid()) setNonBlocking(fd->get());
    return child;
}

ChildProcess::ChildProcess(pid_t pid, int pidFd) : m_pid(pid), m_pidFd(pidFd), m_notifier(pidFd, QSocketNotifier::Read)
{
    (void)::fcntl(pidFd, F_SETFD, FD_CLOEXEC);
    connect(&m_notifier, &QSocketNotifier::activated, this, &ChildProcess::onExited);
    m_kill.setSingleShot(true);
    m_kill.callOnTimeout(this, [this] { (void)::kill(-m_pid, SIGKILL); });
}

ChildProcess::~ChildProcess()
{
    (void)::kill(-m_pid, SIGHUP);
    (void)::kill(-m_pid, SIGCONT);
    // The leader is reaped only after the last signal to its group.
    QTimer::singleShot(kGrace, [pid = m_pid] { reap(pid); });
}

void ChildProcess::onExited()
{
    m_notifier.setEnabled(false);
    m_kill.stop();
    siginfo_t status{};
    (void)::waitid(P_PID, static_cast<id_t>(m_pid), &status, WEXITED | WNOWAIT);
    m_hasExited = true;
    m_exitSignal = status.si_code == CLD_EXITED ? 0 : status.si_status;
    m_exitCode = status.si_code == CLD_EXITED ? status.si_status : 128 + status.si_status;
    emit exited();
}

pid_t ChildProcess::foregroundGroup() const
{
    const pid_t group = terminal.isValid() ? ::tcgetpgrp(terminal.get()) : -1;
    return group > 0 ? group : m_pid;
}

void ChildProcess::signalGroup(int number) const
{
    (void)::kill(-foregroundGroup(), number);
}

void ChildProcess::resize(TerminalSize size) const
{
    const winsize window{static_cast<unsigned short>(size.rows), static_cast<unsigned short>(size.columns), 0, 0};
    if (terminal.isValid()) (void)::ioctl(terminal.get(), TIOCSWINSZ, &window);
}

void ChildProcess::hangUp()
{
    signalGroup(SIGHUP);
    (void)::kill(-m_pid, SIGHUP);
    (void)::kill(-m_pid, SIGCONT); // a stopped program must be able to go
    m_kill.start(kGrace);
}

void setVariable(QByteArrayList& environment, const QByteArray& name, const QByteArray& value)
{
    const QByteArray prefix = name + '=';
    environment.removeIf([&prefix](const QByteArray& entry) { return entry.startsWith(prefix); });
    environment.append(prefix + value);
}

QByteArrayList programEnvironment()
{
    QByteArrayList environment;
    for (char** entry = environ; *entry; ++entry) {
        const QByteArray variable(*entry);
        if (!variable.startsWith("COCOONBOX_") && !variable.startsWith("NOTIFY_SOCKET=")) environment.append(variable);
    }
    const auto fill = [&environment](const char* name, const QByteArray& value) {
        if (qEnvironmentVariableIsEmpty(name)) setVariable(environment, name, value);
    };
    if (const passwd* user = ::getpwuid(::getuid())) {
        fill("HOME", user->pw_dir);
        fill("USER", user->pw_name);
        fill("LOGNAME", user->pw_name);
    }
    fill("SHELL", "/bin/bash");
    fill("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin");
    fill("LANG", "C.UTF-8");
    fill("DISPLAY", ":0");
    return environment;
}

} // namespace cocoonbox::agent::toolhost
