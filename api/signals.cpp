// SPDX-License-Identifier: AGPL-3.0-only
#include "api/signals.h"

#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>

namespace cocoonbox::api {

namespace {

int blockAndOpen()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP})
        sigaddset(&set, signal);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    ::signal(SIGPIPE, SIG_IGN); // a peer that goes away is an error of its socket
    return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

} // namespace

Signals::Signals() : m_fd(blockAndOpen()), m_notifier(m_fd, QSocketNotifier::Read)
{
    connect(&m_notifier, &QSocketNotifier::activated, this, &Signals::read);
}

Signals::~Signals()
{
    m_notifier.setEnabled(false);
    ::close(m_fd);
}

void Signals::read()
{
    signalfd_siginfo siginfo{};
    while (::read(m_fd, &siginfo, sizeof(siginfo)) == static_cast<ssize_t>(sizeof(siginfo))) {
        if (siginfo.ssi_signo == SIGHUP)
            emit reloadAsked();
        else
            emit stopAsked();
    }
}

} // namespace cocoonbox::api
