// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-agent: what runs in a box, one word each. `serve` is in this program; `toolhost` and `relay` are in
// cocoonbox-agent-light beside it (agent/light_main.cpp), which this one becomes: without gRPC they need a third of
// the memory.

#include "agent/serve/serve.h"
#include "common/log/log.h"
#include "common/memory/memory.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QProcess>
#include <unistd.h>

using namespace cocoonbox;

namespace {

Q_LOGGING_CATEGORY(agentLog, "cocoonbox.agent", QtInfoMsg)

// Returns only when it fails. The arguments stay, so the process is still called by the one command's name.
int becomeLight(char* argv[])
{
    const QString folder = QFileInfo(QFile::symLinkTarget(QStringLiteral("/proc/self/exe"))).path();
    ::execv(QFile::encodeName(folder + QStringLiteral("/cocoonbox-agent-light")).constData(), argv);
    std::fprintf(stderr, "cocoonbox-agent: cocoonbox-agent-light beside it cannot be run: %s. Install both.\n",
                 std::strerror(errno));
    return 127;
}

int runServe(int argc, char* argv[])
{
    memory::limitHeaps();
    const QCoreApplication application(argc, argv);
    log::installLog(log::LogFormat::Json, QStringLiteral("cocoonbox-agent-serve"));
    const auto options =
        agent::serve::loadServeOptions(qEnvironmentVariable("COCOONBOX_AGENT_CONFIG"), QProcess::systemEnvironment());
    if (options) return agent::serve::runServe(*options);
    qCCritical(agentLog).noquote() << options.error().message << options.error().detail;
    return 2;
}

} // namespace

int main(int argc, char* argv[])
{
    const QByteArray word = argc == 2 ? QByteArray(argv[1]) : QByteArray();
    if (word == "serve") return runServe(argc, argv);
    if (word == "toolhost" || word == "relay") return becomeLight(argv);
    if (word == "version") return std::puts(COCOONBOX_VERSION) < 0 ? 1 : 0;
    std::fputs("usage: cocoonbox-agent serve|toolhost|relay|version\n", stderr);
    return 2;
}
