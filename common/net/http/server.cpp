// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/server.h"

#include "common/net/fd_stream.h"
#include "common/net/http/connection.h"
#include "common/net/unix_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace cocoonbox::net::http {

namespace {

constexpr std::chrono::milliseconds kRetryAccept{500};
constexpr int kRefusalsMax = 64; // connections over the cap that may still be reading their 503

} // namespace

Server::Server(UniqueFd listener, ServerOptions options, QObject* parent)
    : QObject(parent), m_listener(std::move(listener)), m_options(std::move(options)),
      m_notifier(m_listener.get(), QSocketNotifier::Read)
{
    connect(&m_notifier, &QSocketNotifier::activated, this, &Server::acceptAll);
    m_retry.setSingleShot(true);
    m_retry.callOnTimeout(this, [this] { m_notifier.setEnabled(true); });
}

Server::~Server()
{
    m_notifier.setEnabled(false);
    const QSet<Connection*> connections = std::exchange(m_connections, {});
    for (Connection* connection : connections)
        delete connection;
}

void Server::acceptAll()
{
    const int connectionsMax = m_options.limits.connectionsMax;
    for (;;) {
        if (m_options.limits.waitsWhenFull && m_connections.size() >= connectionsMax)
            return m_notifier.setEnabled(false); // until one has closed
        if (m_connections.size() >= connectionsMax + kRefusalsMax) break;
        Result<UniqueFd> fd = acceptFrom(m_listener.get());
        if (!fd) break;
        if (!fd->isValid()) return;
        const int on = 1;
        (void)::setsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); // refused on a unix socket
        const bool isOver = m_connections.size() >= connectionsMax;
        auto* connection = new Connection(std::make_unique<FdStream>(*std::move(fd)), m_options, this);
        m_connections.insert(connection);
        connect(connection, &Connection::closed, this, [this, connection] {
            if (m_connections.remove(connection)) connection->deleteLater();
            if (m_options.limits.waitsWhenFull) m_notifier.setEnabled(true);
        });
        if (isOver) connection->refuseBusy();
    }
    // Descriptors or places are short: the rest waits in the listener's queue.
    m_notifier.setEnabled(false);
    m_retry.start(kRetryAccept);
}

} // namespace cocoonbox::net::http
