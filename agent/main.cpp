// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-agent: what runs in a box, one word each. See agent/serve/serve.h, agent/toolhost/tool_server.h and
// agent/relay/relay.h.

#include "agent/relay/relay.h"
#include "agent/serve/serve.h"
#include "agent/toolhost/toolhost.h"
#include "common/log/log.h"

#include <QCoreApplication>
#include <QLoggingCategory>
#include <QProcess>
#include <QSocketNotifier>
#include <csignal>
#include <cstdio>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace cocoonbox;

namespace {

Q_LOGGING_CATEGORY(agentLog, "cocoonbox.agent", QtInfoMsg)

// SIGTERM and SIGINT end the main loop. Blocked before any thread is made.
int openQuitSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int report(const Error& error)
{
    qCCritical(agentLog).noquote() << error.message << error.detail;
    return 2;
}

int runWord(const QString& word)
{
    if (word == QLatin1StringView("serve")) {
        const auto options = agent::serve::loadServeOptions(qEnvironmentVariable("COCOONBOX_AGENT_CONFIG"), QProcess::systemEnvironment());
        return options ? agent::serve::runServe(*options) : report(options.error());
    }
    const int signalsFd = openQuitSignals();
    QSocketNotifier onSignal(signalsFd, QSocketNotifier::Read);
    QObject::connect(&onSignal, &QSocketNotifier::activated, qApp, [signalsFd] {
        signalfd_siginfo signal{};
        if (::read(signalsFd, &signal, sizeof signal) > 0) QCoreApplication::quit();
    });
    if (word == QLatin1StringView("relay")) return agent::relay::runRelay(agent::relay::loadRelayOptions());
    const auto options = agent::toolhost::loadToolhostOptions();
    return options ? agent::toolhost::runToolhost(*options) : report(options.error());
}

} // namespace

int main(int argc, char* argv[])
{
    const QString word = argc == 2 ? QString::fromLocal8Bit(argv[1]) : QString();
    if (word == QLatin1StringView("version")) {
        std::puts(COCOONBOX_VERSION);
        return 0;
    }
    if (word != QLatin1StringView("serve") && word != QLatin1StringView("toolhost") && word != QLatin1StringView("relay")) {
        std::fputs("usage: cocoonbox-agent serve|toolhost|relay|version\n", stderr);
        return 2;
    }
    const QCoreApplication application(argc, argv);
    log::installLog(log::LogFormat::Json, QStringLiteral("cocoonbox-agent-") + word);
    return runWord(word);
}
