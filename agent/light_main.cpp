// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-agent-light: the parts of cocoonbox-agent that need QtCore only. See agent/toolhost/tool_server.h and
// agent/relay/relay.h.

#include "agent/relay/relay.h"
#include "agent/toolhost/own/own_words.h"
#include "agent/toolhost/toolhost.h"
#include "common/log/log.h"

#include <csignal>
#include <cstdio>
#include <QCoreApplication>
#include <QLoggingCategory>
#include <QSocketNotifier>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace cocoonbox;

namespace {

Q_LOGGING_CATEGORY(lightLog, "cocoonbox.agent", QtInfoMsg)

// SIGTERM and SIGINT end the main loop. Blocked before any thread is made.
int openQuitSignals()
{
    sigset_t quitting;
    sigemptyset(&quitting);
    sigaddset(&quitting, SIGTERM);
    sigaddset(&quitting, SIGINT);
    sigprocmask(SIG_BLOCK, &quitting, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return ::signalfd(-1, &quitting, SFD_CLOEXEC | SFD_NONBLOCK);
}

int runWord(const QByteArray& word)
{
    const int signalsFd = openQuitSignals();
    QSocketNotifier onSignal(signalsFd, QSocketNotifier::Read);
    QObject::connect(&onSignal, &QSocketNotifier::activated, qApp, [signalsFd] {
        signalfd_siginfo signal{};
        if (::read(signalsFd, &signal, sizeof signal) > 0) QCoreApplication::quit();
    });
    if (word == "relay") return agent::relay::runRelay(agent::relay::loadRelayOptions());
    const auto options = agent::toolhost::loadToolhostOptions();
    if (options) return agent::toolhost::runToolhost(*options);
    qCCritical(lightLog).noquote() << options.error().message << options.error().detail;
    return 2;
}

} // namespace

int main(int argc, char* argv[])
{
    // Short programs of toolhost's: they need no loop and no log.
    if (argc > 2 && agent::toolhost::own::kOwnWords.contains(QString::fromLocal8Bit(argv[1]))) {
        const QCoreApplication application(argc, argv);
        return agent::toolhost::own::runOwn(QCoreApplication::arguments().sliced(1));
    }
    const QByteArray word = argc == 2 ? QByteArray(argv[1]) : QByteArray();
    if (word != "toolhost" && word != "relay") {
        std::fputs("usage: cocoonbox-agent toolhost|relay\n", stderr);
        return 2;
    }
    const QCoreApplication application(argc, argv);
    log::installLog(log::LogFormat::Json, QStringLiteral("cocoonbox-agent-") + QString::fromLatin1(word));
    return runWord(word);
}
