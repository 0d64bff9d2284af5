// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/tool_server.h"

#include "agent/toolhost/computer/computer_tool.h"
#include "agent/toolhost/files/file_tools.h"
#include "agent/toolhost/shell/shell_tool.h"
#include "common/net/unix_socket.h"

#include <QLoggingCategory>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost {

Q_LOGGING_CATEGORY(serverLog, "cocoonbox.agent.toolhost", QtInfoMsg)

namespace {

ToolSet makeTools(const files::Workspace& workspace)
{
    return {
        {u"shell"_s, std::make_shared<shell::ShellTool>(
                         shell::ShellOptions{workspace.root(), workspace.root() + u"/.cocoonbox/output"_s})},
        {u"read"_s, std::make_shared<files::ReadTool>(workspace)},
        {u"write"_s, std::make_shared<files::WriteTool>(workspace)},
        {u"edit"_s, std::make_shared<files::EditTool>(workspace)},
        {u"ls"_s, std::make_shared<files::ListTool>(workspace)},
        {u"grep"_s, std::make_shared<files::GrepTool>(workspace)},
        {u"computer"_s, std::make_shared<computer::ComputerTool>()},
    };
}

} // namespace

Result<std::unique_ptr<ToolServer>> ToolServer::start(const ToolhostOptions& options)
{
    net::ListenOptions listen;
    listen.mode = options.socketGroup ? 0660 : 0600;
    listen.group = options.socketGroup;
    listen.backlog = kConnectionsMax;
    TRY_ASSIGN(net::UniqueFd listener, net::listenUnix(options.socketPath, listen));
    return std::unique_ptr<ToolServer>(new ToolServer(options, std::move(listener)));
}

ToolServer::ToolServer(ToolhostOptions options, net::UniqueFd listener)
    : m_options(std::move(options)), m_workspace(m_options.workspace), m_tools(makeTools(m_workspace)),
      m_listener(std::move(listener)), m_notifier(m_listener.get(), QSocketNotifier::Read)
{
    connect(&m_notifier, &QSocketNotifier::activated, this, &ToolServer::acceptAll);
}

ToolServer::~ToolServer()
{
    m_notifier.setEnabled(false);
    const QSet<ServeConnection*> connections = std::exchange(m_connections, {});
    for (ServeConnection* connection : connections)
        delete connection;
}

void ToolServer::acceptAll()
{
    for (;;) {
        Result<net::UniqueFd> fd = net::acceptFrom(m_listener.get());
        if (!fd || !fd->isValid()) return;
        const Result<void> peer = port::checkPeer(fd->get(), m_options.peerUid);
        if (!peer || m_connections.size() >= kConnectionsMax) {
            qCWarning(serverLog).noquote()
                << (peer ? u"Too many connections to the tools socket."_s : peer.error().message);
            continue;
        }
        auto* connection = new ServeConnection(fd->release(), m_tools, m_options.workspace, this);
        m_connections.insert(connection);
        connect(connection, &ServeConnection::closed, this, [this, connection] {
            if (m_connections.remove(connection)) connection->deleteLater();
        });
    }
}

} // namespace cocoonbox::agent::toolhost
