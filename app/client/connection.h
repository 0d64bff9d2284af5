// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/account.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"

namespace cocoonbox::app::client {

// The channel of one account and what every call over it carries. For this part's .cpp files only. Immutable; any
// thread.
class Connection {
public:
    static Result<std::shared_ptr<Connection>> create(const Account& account);

    const std::shared_ptr<grpc::Channel>& channel() const { return m_channel; }
    // Zero time: none. The second form names the box for the edge.
    rpc::CallOptions options(std::chrono::milliseconds timeout, std::stop_token stop = {}) const;
    rpc::CallOptions options(const QString& boxId, std::chrono::milliseconds timeout, std::stop_token stop = {}) const;

    // Before a further try: connects now, even if gRPC is still backing off, as our pauses are the only ones. Ends
    // when it is connected or refused, at the latest after a second; the try itself then tells.
    static Task<void> reconnect(std::shared_ptr<Connection> self, std::stop_token stop);
    // Replaces what gRPC itself says (no reason from a server) by a sentence that helps.
    Error explain(Error error) const;
    template <class T>
    Result<T> explained(Result<T> result) const
    {
        if (!result) return std::unexpected(explain(std::move(result).error()));
        return result;
    }

private:
    Connection(std::shared_ptr<grpc::Channel> channel, const Account& account);

    std::shared_ptr<grpc::Channel> m_channel;
    QString m_address;
    QByteArray m_authorization;
};

inline auto cancelled()
{
    return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
}

} // namespace cocoonbox::app::client
