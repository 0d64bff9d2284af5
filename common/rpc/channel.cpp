// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/channel.h"

#include "common/base/limits.h"
#include "common/rpc/runtime.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/security/credentials.h>
#include <QHostAddress>

namespace cocoonbox::rpc {

namespace {

grpc::ChannelArguments channelArguments()
{
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(limits::kMessageBytesMax);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
    arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
    // Despite its name this is how long an attempt to connect may take, TLS and a far network included.
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return arguments;
}

bool isLoopback(const QString& host)
{
    return host == u"localhost" || QHostAddress(host).isLoopback();
}

} // namespace

Result<std::shared_ptr<grpc::Channel>> makeChannel(const QUrl& url, const ChannelOptions& options)
{
    const bool tls = url.scheme() == u"https";
    if ((!tls && url.scheme() != u"http") || url.host().isEmpty())
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("\"%1\" is not an api address; use https://HOST or http://127.0.0.1:PORT.")
                        .arg(url.toDisplayString()),
                    QStringLiteral("URL_INVALID"));
    if (!tls && !isLoopback(url.host()))
        return fail(
            ErrorCode::InvalidArgument,
            QStringLiteral("%1 is not this machine, and http:// would send your token unencrypted; use https://.")
                .arg(url.host()),
            QStringLiteral("PLAINTEXT_REFUSED"));
    const QString host = url.host().contains(u':') ? u'[' + url.host() + u']' : url.host();
    const std::string target = QStringLiteral("%1:%2").arg(host).arg(url.port(tls ? 443 : 80)).toStdString();
    std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
    if (tls) {
        grpc::SslCredentialsOptions ssl;
        ssl.pem_root_certs = options.rootCertificates.toStdString();
        credentials = grpc::SslCredentials(ssl);
    }
    prepareRuntime();
    return grpc::CreateCustomChannel(target, credentials, channelArguments());
}

std::shared_ptr<grpc::Channel> makeChannelFromSocket(int fd)
{
    prepareRuntime();
    return grpc::CreateCustomInsecureChannelFromFd("box", fd, channelArguments());
}

} // namespace cocoonbox::rpc
