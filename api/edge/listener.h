// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/loop.h"
#include "api/edge/transport.h"

#include <optional>
#include <QString>

namespace cocoonbox::api::edge {

class ListenerClient {
public:
    virtual void onAccepted(std::unique_ptr<Transport> transport) = 0;

protected:
    ~ListenerClient() = default;
};

// The edge's listening socket.
class Listener final : private Watcher {
public:
    // `address` is HOST:PORT with an IP address, "[::1]:PORT" or "localhost:PORT". Bound and listening at once, so that
    // a client that comes early waits. Errors: edge.h.
    static Result<std::unique_ptr<Listener>> open(const QString& address, std::optional<TlsContext> tls);
    ~Listener();

    int port() const { return m_port; }
    // Edge thread, once; until then connections wait in the backlog.
    void start(Loop& loop, ListenerClient& client);
    void stop();

private:
    Listener(int fd, int port, std::optional<TlsContext> tls) : m_fd(fd), m_port(port), m_tls(std::move(tls)) {}
    void onReady(uint32_t events) override;
    void pause();

    int m_fd;
    int m_port;
    std::optional<TlsContext> m_tls;
    Loop* m_loop = nullptr;
    ListenerClient* m_client = nullptr;
    std::optional<Loop::Timer> m_resume;
};

} // namespace cocoonbox::api::edge
