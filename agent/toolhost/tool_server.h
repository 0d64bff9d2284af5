// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/files/workspace.h"
#include "agent/toolhost/serve_connection.h"
#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <memory>
#include <optional>
#include <QObject>
#include <QSet>
#include <QSocketNotifier>
#include <sys/types.h>

// Toolhost runs everything the agent does to the box, as `user`: it can read neither the loop's database nor its
// sockets. It listens on tools.sock and takes connections of one user only, the loop's. What it starts dies with it:
// a shell and its jobs by SIGHUP, other programs by SIGKILL; jobs started by setsid or nohup stay.
namespace cocoonbox::agent::toolhost {

inline constexpr int kConnectionsMax = 4; // serve has one; a restarted one may overlap the last

struct ToolhostOptions {
    QString socketPath = QStringLiteral("/run/cocoonbox/tools/tools.sock");
    QString workspace = QStringLiteral("/workspace");
    uid_t peerUid = 0;                // of serve
    std::optional<gid_t> socketGroup; // of serve; none: the socket is for its owner only
};

class ToolServer final : public QObject {
    Q_OBJECT
public:
    static Result<std::unique_ptr<ToolServer>> start(const ToolhostOptions& options);
    ~ToolServer() override;

    qsizetype connectionCount() const { return m_connections.size(); }

private:
    ToolServer(ToolhostOptions options, net::UniqueFd listener);
    void acceptAll();

    ToolhostOptions m_options;
    files::Workspace m_workspace;
    ToolSet m_tools;
    net::UniqueFd m_listener;
    QSocketNotifier m_notifier;
    QSet<ServeConnection*> m_connections;
};

} // namespace cocoonbox::agent::toolhost
