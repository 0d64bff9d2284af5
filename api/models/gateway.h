// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/models/upstream.h"
#include "common/net/http/exchange.h"

#include <chrono>
#include <memory>
#include <optional>

// Models for boxes: POST /v1/chat/completions, POST /v1/messages and GET /v1/models go to the configured upstream with
// the host's key. Bodies pass byte for byte in both directions as they come, held back when the reader is slow; what
// the upstream answers, errors too, is passed on. A client that goes away closes the upstream at once.
// The key is added here and nowhere else: a box never sees it, and it is never logged.
namespace cocoonbox::api::models {

inline constexpr qint64 kRequestBytesMax = 32 * 1024 * 1024;

struct GatewayLimits {
    std::chrono::milliseconds connectTimeout{30'000};
    std::chrono::milliseconds headTimeout{600'000}; // a long prompt may be thought about for minutes
    std::chrono::milliseconds idleTimeout{300'000}; // between two pieces of the reply
};

class Gateway final {
public:
    // No upstream: every call is answered 503 with what to configure.
    explicit Gateway(std::optional<Upstream> upstream, GatewayLimits limits = {});

    // Empty baseUrl: no upstream. Errors as Upstream::create.
    static Result<std::unique_ptr<Gateway>> create(const QString& baseUrl, const QString& keyFile);

    // Answers one request. `path` is the target's path and query; the caller knows which box asks, by its channel.
    QCoro::Task<void> answer(std::shared_ptr<net::http::Exchange> exchange, QByteArray path);

private:
    std::optional<Upstream> m_upstream;
    GatewayLimits m_limits;
};

} // namespace cocoonbox::api::models
