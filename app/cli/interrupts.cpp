// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/interrupts.h"

#include <csignal>
#include <fcntl.h>
#include <QCoreApplication>
#include <QSocketNotifier>
#include <unistd.h>

namespace cocoonbox::app::cli {

namespace {

int s_pipe[2] = {-1, -1};
std::function<void(int)> s_handler;

// In signal context: a write is all that is allowed.
void remember(int number)
{
    const auto byte = static_cast<unsigned char>(number);
    [[maybe_unused]] const auto written = ::write(s_pipe[1], &byte, 1);
}

void install()
{
    if (::pipe2(s_pipe, O_CLOEXEC | O_NONBLOCK) != 0) qFatal("out of file descriptors");
    auto* notifier = new QSocketNotifier(s_pipe[0], QSocketNotifier::Read, QCoreApplication::instance());
    QObject::connect(notifier, &QSocketNotifier::activated, notifier, [] {
        unsigned char byte = 0;
        while (::read(s_pipe[0], &byte, 1) == 1)
            if (s_handler) s_handler(byte);
    });
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) {
        struct sigaction action{};
        action.sa_handler = remember;
        action.sa_flags = SA_RESTART;
        ::sigaction(number, &action, nullptr);
    }
}

} // namespace

void onSignals(std::function<void(int)> handler)
{
    if (s_pipe[0] < 0) install();
    s_handler = std::move(handler);
}

} // namespace cocoonbox::app::cli
