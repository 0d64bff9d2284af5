// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/toolhost.h"

#include <pwd.h>
#include <QCoreApplication>
#include <QLoggingCategory>
#include <QTimer>
#include <sys/resource.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost {

Q_LOGGING_CATEGORY(mainLog, "cocoonbox.agent.toolhost", QtInfoMsg)

Result<ToolhostOptions> loadToolhostOptions()
{
    ToolhostOptions options;
    const QString runDir = qEnvironmentVariable("COCOONBOX_AGENT__RUN_DIR", u"/run/cocoonbox"_s);
    options.socketPath = runDir + u"/tools/tools.sock"_s;
    options.workspace = qEnvironmentVariable("COCOONBOX_AGENT__WORKSPACE", options.workspace);
    const QString name = qEnvironmentVariable("COCOONBOX_AGENT__SERVE_USER", u"cbagent"_s);
    const passwd* user = ::getpwnam(name.toLocal8Bit().constData());
    if (!user)
        return fail(
            ErrorCode::FailedPrecondition,
            u"There is no user \"%1\". Name the one that serve runs as in COCOONBOX_AGENT__SERVE_USER."_s.arg(name),
            u"USER_UNKNOWN"_s);
    options.peerUid = user->pw_uid;
    if (user->pw_uid != ::getuid()) options.socketGroup = user->pw_gid;
    return options;
}

int runToolhost(const ToolhostOptions& options)
{
    Result<std::unique_ptr<ToolServer>> server = ToolServer::start(options);
    if (!server) {
        qCCritical(mainLog).noquote() << server.error().message << server.error().detail;
        return 1;
    }
    qCInfo(mainLog).noquote() << "The tools are ready.";
    const int code = QCoreApplication::exec();
    server->reset(); // hangs up all that runs
    // The programs' grace, with the timers that end it running.
    QTimer::singleShot(ChildProcess::kGrace + std::chrono::milliseconds(100), qApp, &QCoreApplication::quit);
    QCoreApplication::exec();
    return code;
}

} // namespace cocoonbox::agent::toolhost
