// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/http/client.h"
#include "common/net/http/exchange.h"

// The two halves of passing a request on to another server, each piece as it comes. Run both at once.
namespace cocoonbox::net::http {

// The client's body to the other side. One that stops taking it is told by the reply's side.
QCoro::Task<void> passBody(std::shared_ptr<Exchange> from, std::shared_ptr<ClientExchange> to);

// The reply's body to the client, after `Exchange::start`. The head is out, so what goes wrong can only be told by
// cutting the reply short: then the error is returned.
Task<void> passReply(std::shared_ptr<ClientExchange> from, std::shared_ptr<Exchange> to);

} // namespace cocoonbox::net::http
