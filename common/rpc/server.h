// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <memory>
#include <QByteArray>
#include <QStringList>
#include <vector>

namespace cocoonbox::rpc {

struct ServerOptions {
    QString address;           // "127.0.0.1:7400", port 0 for any, or "unix:/path"
    QByteArray certificatePem; // with the key: TLS; without: plaintext, refused on any address but loopback and unix
    QByteArray privateKeyPem;
    std::vector<grpc::Service*> services;
    grpc::CallbackGenericService* fallback = nullptr; // gets the methods no service has
};

// A running gRPC server with our limits: 4 MiB messages, 16 KiB metadata, 1,000 streams a connection, keepalive
// consent.
class Server final {
public:
    // InvalidArgument: PLAINTEXT_REFUSED. Unavailable: ADDRESS_IN_USE.
    static Result<std::unique_ptr<Server>> start(const ServerOptions& options);
    ~Server();

    int port() const { return m_port; }
    // Refuses new calls, lets live ones end until the limit, cancels the rest. The main loop must be running.
    QCoro::Task<void> stop(std::chrono::milliseconds limit);

private:
    explicit Server(std::unique_ptr<grpc::Server> server, int port);

    std::unique_ptr<grpc::Server> m_server;
    int m_port;
};

} // namespace cocoonbox::rpc
