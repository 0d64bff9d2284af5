// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/gate.h"
#include "common/net/http/exchange.h"

namespace cocoonbox::api::models {
class Gateway;
}

namespace cocoonbox::api::egress {

inline constexpr char kModelsHost[] = "models.cocoonbox.internal";

// Answers one request of a box's HTTP proxy (RFC 9110 §9.3.6, RFC 9112 §3.2):
//
//   http://models.cocoonbox.internal/…  -> the model gateway
//   CONNECT host[:443]                  -> 200, then a tunnel; half-closes are passed on
//   http://host[:80]/path               -> the request as a client of the origin, hop-by-hop fields dropped both ways,
//                                          each piece as it comes, redirects not followed; no upgrade
//
// Refusals, as text with the reason in X-Cocoonbox-Reason: 403 "egress denied: HOST", 400 for a target that is no
// proxy's, 502 when the destination cannot be reached, 504 when it does not answer. Never 407.
QCoro::Task<void> answerProxy(std::shared_ptr<Gate> gate, models::Gateway* gateway, Speaker speaker,
                              std::shared_ptr<net::http::Exchange> exchange);

bool isForModels(const net::http::RequestHead& head);

// "host", "host:port", "[v6]", "[v6]:port" as CONNECT has them; port 0 when it is malformed.
Destination connectDestination(const QByteArray& authority);

} // namespace cocoonbox::api::egress
