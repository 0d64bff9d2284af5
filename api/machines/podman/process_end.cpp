// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/process_end.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cocoonbox::api::machines {

Result<std::unique_ptr<ProcessEnd>> ProcessEnd::watch(qint64 pid, std::function<void()> onEnd)
{
    net::UniqueFd process(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)) : -1);
    if (process.isValid()) return std::unique_ptr<ProcessEnd>(new ProcessEnd(std::move(process), std::move(onEnd)));
    if (pid <= 0 || errno == ESRCH)
        return fail(ErrorCode::NotFound, QStringLiteral("The process has ended already."),
                    QStringLiteral("PROCESS_GONE"));
    return fail(ErrorCode::Internal,
                QStringLiteral("Cannot watch the process: %1.").arg(QString::fromLocal8Bit(std::strerror(errno))),
                QStringLiteral("PIDFD_FAILED"));
}

ProcessEnd::ProcessEnd(net::UniqueFd process, std::function<void()> onEnd)
    : m_process(std::move(process)), m_onEnd(std::move(onEnd)),
      m_notifier(std::make_unique<QSocketNotifier>(m_process.get(), QSocketNotifier::Read))
{
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] {
        m_notifier->setEnabled(false);
        const auto onEnded = std::exchange(m_onEnd, nullptr);
        if (onEnded) onEnded();
    });
}

ProcessEnd::~ProcessEnd()
{
    // It may be destroyed by what it calls.
    m_notifier->setEnabled(false);
    m_notifier.release()->deleteLater();
}

bool ProcessEnd::hasHappened() const
{
    pollfd entry{m_process.get(), POLLIN, 0};
    return ::poll(&entry, 1, 0) > 0;
}

} // namespace cocoonbox::api::machines
