// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/connection.h"

namespace cocoonbox::app::client {

// One unary call of a service with the connection's words for its failure. For this part's .cpp files only.
template <class Service, class Async, class Request, class Reply>
Task<Reply> ask(std::shared_ptr<Connection> connection,
                void (Async::*method)(grpc::ClientContext*, const Request*, Reply*, std::function<void(grpc::Status)>),
                std::type_identity_t<Request> request, rpc::CallOptions options)
{
    const auto stub = Service::NewStub(connection->channel());
    auto reply = co_await rpc::call(stub->async(), method, std::move(request), std::move(options));
    co_return connection->explained(std::move(reply));
}

inline constexpr auto kFromWire = [](const auto& reply) { return fromWire(reply); };

} // namespace cocoonbox::app::client
