// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/http/exchange.h"

namespace cocoonbox::api::models {

// Whose error shape a caller understands.
enum class Wire { Chat, Messages };

// Answers with the gateway's own error as that wire's clients expect it, with the reason also in X-Cocoonbox-Reason.
void replyError(net::http::Exchange& exchange, Wire wire, int status, const Error& error);

} // namespace cocoonbox::api::models
