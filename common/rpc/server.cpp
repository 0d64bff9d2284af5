// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/server.h"

#include "common/rpc/runtime.h"

#include "common/async/wait.h"
#include "common/base/limits.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <QHostAddress>
#include <thread>

namespace cocoonbox::rpc {

namespace {

bool isLocal(const QString& address)
{
    if (address.startsWith(u"unix:")) return true;
    const QString host = address.left(address.lastIndexOf(u':')).remove(u'[').remove(u']');
    return QHostAddress(host).isLoopback();
}

std::shared_ptr<grpc::ServerCredentials> credentialsFor(const ServerOptions& options)
{
    if (options.certificatePem.isEmpty()) return grpc::InsecureServerCredentials();
    grpc::SslServerCredentialsOptions ssl;
    ssl.pem_key_cert_pairs.push_back({options.privateKeyPem.toStdString(), options.certificatePem.toStdString()});
    return grpc::SslServerCredentials(ssl);
}

void setLimits(grpc::ServerBuilder& builder)
{
    builder.SetMaxReceiveMessageSize(limits::kMessageBytesMax);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 * 1024);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 1000);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

} // namespace

Server::Server(std::unique_ptr<grpc::Server> server, int port) : m_server(std::move(server)), m_port(port) {}

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options)
{
    if (options.certificatePem.isEmpty() && !isLocal(options.address))
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("Refusing to listen on %1 without TLS: tokens would cross the network unencrypted. "
                                   "Configure a certificate, or listen on 127.0.0.1.")
                        .arg(options.address),
                    QStringLiteral("PLAINTEXT_REFUSED"));
    grpc::ServerBuilder builder;
    setLimits(builder);
    int port = -1;
    builder.AddListeningPort(options.address.toStdString(), credentialsFor(options), &port);
    for (grpc::Service* service : options.services)
        builder.RegisterService(service);
    if (options.fallback) builder.RegisterCallbackGenericService(options.fallback);
    prepareRuntime();
    std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    if (!server)
        return fail(ErrorCode::Unavailable,
                    QStringLiteral("Cannot listen on %1: the address is taken or not this machine's. "
                                   "Stop the other program or choose another address.")
                        .arg(options.address),
                    QStringLiteral("ADDRESS_IN_USE"));
    return std::unique_ptr<Server>(new Server(std::move(server), port));
}

Server::~Server()
{
    if (m_server) m_server->Shutdown(std::chrono::system_clock::now());
}

QCoro::Task<void> Server::stop(std::chrono::milliseconds limit)
{
    if (!m_server) co_return;
    // Shutdown blocks until the reactors, which live on the main loop, have ended; so it waits on a thread of its own.
    Promise<bool> stopped;
    std::thread waiter([server = m_server.get(), limit, stopped] {
        server->Shutdown(std::chrono::system_clock::now() + limit);
        server->Wait();
        postToDomain([stopped] { stopped.set(true); });
    });
    co_await stopped.get();
    waiter.join();
    m_server.reset();
}

} // namespace cocoonbox::rpc
