// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/connection.h"

#include <QFile>

namespace cocoonbox::app::client {

Result<std::shared_ptr<Connection>> Connection::create(const Account& account)
{
    if (!account.isSignedIn())
        return fail(ErrorCode::Unauthenticated,
                    QStringLiteral("You are not signed in to %1.").arg(account.apiUrl.toDisplayString()),
                    QStringLiteral("SIGNED_OUT"));
    rpc::ChannelOptions options;
    if (const QString file = qEnvironmentVariable("SSL_CERT_FILE"); !file.isEmpty()) {
        QFile certificates(file);
        if (certificates.open(QIODevice::ReadOnly)) options.rootCertificates = certificates.read(4 * 1024 * 1024);
    }
    TRY_ASSIGN(auto channel, rpc::makeChannel(account.apiUrl, options));
    return std::shared_ptr<Connection>(new Connection(std::move(channel), account));
}

Connection::Connection(std::shared_ptr<grpc::Channel> channel, const Account& account)
    : m_channel(std::move(channel)), m_address(account.apiUrl.toDisplayString()),
      m_authorization("Bearer " + account.token.reveal("authorization header"))
{
}

rpc::CallOptions Connection::options(std::chrono::milliseconds timeout, std::stop_token stop) const
{
    return {.timeout = timeout, .metadata = {{"authorization", m_authorization}}, .stop = std::move(stop)};
}

rpc::CallOptions Connection::options(const QString& boxId, std::chrono::milliseconds timeout,
                                     std::stop_token stop) const
{
    rpc::CallOptions options = this->options(timeout, std::move(stop));
    options.metadata.append({"x-cocoonbox-box", boxId.toUtf8()});
    return options;
}

Task<void> Connection::reconnect(std::shared_ptr<Connection> self, std::stop_token stop)
{
    constexpr auto kLook = std::chrono::milliseconds(20);
    constexpr int kLooksMax = 50;
    constexpr int kLooksForOldNews = 2; // until then a failure may still be the one of before
    grpc::experimental::ChannelResetConnectionBackoff(self->m_channel.get());
    for (int look = 0; look < kLooksMax; ++look) {
        const grpc_connectivity_state state = self->m_channel->GetState(true);
        if (state == GRPC_CHANNEL_READY) break;
        if (state == GRPC_CHANNEL_TRANSIENT_FAILURE && look >= kLooksForOldNews) break;
        CO_TRY_VOID(co_await sleepFor(kLook, stop));
    }
    co_return {};
}

Error Connection::explain(Error error) const
{
    if (!error.reason.isEmpty()) return error;
    error.detail = error.message;
    switch (error.code) {
    case ErrorCode::Unavailable:
        error.message = QStringLiteral("Nothing answers at %1. Check that cocoonbox-api runs and the address is right.")
                            .arg(m_address);
        error.reason = QStringLiteral("API_UNREACHABLE");
        break;
    case ErrorCode::DeadlineExceeded:
        error.message = QStringLiteral("%1 did not answer in time. Try again.").arg(m_address);
        error.reason = QStringLiteral("API_TIMEOUT");
        break;
    case ErrorCode::Cancelled: error.message = QStringLiteral("Cancelled."); break;
    case ErrorCode::Unauthenticated:
        error.message = QStringLiteral("%1 does not know your token. Sign in again.").arg(m_address);
        error.reason = QStringLiteral("TOKEN_UNKNOWN");
        break;
    default: break;
    }
    return error;
}

} // namespace cocoonbox::app::client
