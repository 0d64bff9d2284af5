// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QString>
#include <QStringList>
#include <sys/types.h>

// `cocoonbox-agent serve`: the agent loop, its transcript and the box's gRPC services, as user `cbagent`.
namespace cocoonbox::agent::serve {

struct ServeOptions {
    QString runDir = QStringLiteral("/run/cocoonbox");       // agent/agent.sock and tools/tools.sock below it
    QString stateDir = QStringLiteral("/var/lib/cocoonbox"); // agent.db
    QString identityFile = QStringLiteral("/run/cocoonbox-identity/identity");
    QString toolsUser = QStringLiteral("user"); // toolhost must run as this user
    QString model;                              // empty: what the host said at the wake, otherwise "default"
    QString modelUrl = QStringLiteral("http://models.cocoonbox.internal/v1/chat/completions");
    QString modelProxy = QStringLiteral("127.0.0.1:3128"); // the relay: numeric address and port
};

// Defaults < `configFile` (TOML; empty: /etc/cocoonbox/agent.toml where there is one) < environment:
// COCOONBOX_AGENT__RUN_DIR, __STATE_DIR, __IDENTITY,
// __TOOLS_USER, __MODEL__NAME (or COCOONBOX_MODEL), __MODEL__URL, __MODEL__PROXY.
// InvalidArgument: CONFIG_INVALID, CONFIG_SYNTAX, CONFIG_UNREADABLE.
Result<ServeOptions> loadServeOptions(const QString& configFile, const QStringList& environment);

// Serves until SIGTERM or SIGINT; the exit code. main has made the QCoreApplication and installed the log.
int runServe(const ServeOptions& options);

} // namespace cocoonbox::agent::serve
