// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/http/exchange.h"
#include "common/net/unique_fd.h"

#include <chrono>
#include <functional>
#include <QObject>
#include <QSet>
#include <QSocketNotifier>
#include <QTimer>

// A small HTTP/1.1 server for peers that may be hostile, over any listening socket. Refused before a handler sees them:
// heads over the limit (431), Content-Length with Transfer-Encoding, two or negative lengths, a missing or second Host,
// bare LF, folded headers (400), bodies over the route's limit (413), heads that take too long (408), connections
// over the cap (503). HEAD is answered like GET without the body. CONNECT reaches the handler, which refuses it or
// makes the connection a tunnel (Exchange::tunnel).
namespace cocoonbox::net::http {

struct ServerLimits {
    qsizetype headBytesMax = 16 * 1024;
    int connectionsMax = 256;
    std::chrono::milliseconds headTimeout{10'000};  // from the first byte (or accept) to the end of the head
    std::chrono::milliseconds idleTimeout{60'000};  // kept alive, between requests
    std::chrono::milliseconds bodyTimeout{30'000};  // between two pieces of a body
    std::chrono::milliseconds writeTimeout{60'000}; // a reply of which the client takes nothing
    qint64 pendingWriteBytesMax = 256 * 1024;       // queued before send() waits
    bool waitsWhenFull = false; // connections over the cap stay in the listener's queue instead of being refused
};

// Runs as a coroutine until the reply is finished. Ending without a reply gives 500; ending inside a streamed reply
// cuts the connection.
using Handler = std::function<QCoro::Task<void>(std::shared_ptr<Exchange>)>;
// How long a body this request may carry; asked once its head is complete, before any of the body is kept.
using BodyLimit = std::function<qint64(const RequestHead&)>;

struct ServerOptions {
    Handler handler;
    BodyLimit bodyBytesMax; // unset: no bodies
    ServerLimits limits;
};

class Server final : public QObject {
    Q_OBJECT
public:
    // `listener` is a listening, non-blocking socket (listenUnix, listenTcp).
    Server(UniqueFd listener, ServerOptions options, QObject* parent = nullptr);
    ~Server() override;

    qsizetype connectionCount() const { return m_connections.size(); }
    int listenerFd() const { return m_listener.get(); }

private:
    void acceptAll();

    UniqueFd m_listener;
    ServerOptions m_options;
    QSocketNotifier m_notifier;
    QTimer m_retry; // accept again after the process ran out of descriptors
    QSet<Connection*> m_connections;
};

} // namespace cocoonbox::net::http
