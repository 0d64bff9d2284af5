// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/wires/wire.h"

#include <QUrl>

namespace cocoonbox::net::http {
class ClientExchange;
struct ResponseHead;
} // namespace cocoonbox::net::http

namespace cocoonbox::agent::serve::wires::chat {

struct ChatWireOptions {
    QUrl url;             // http://HOST[:PORT]/v1/chat/completions
    QString proxyAddress; // numeric; every request goes through it
    quint16 proxyPort = 0;
    std::chrono::milliseconds connectTimeout{30'000};
    std::chrono::milliseconds headTimeout{300'000};     // a long prompt takes its time
    std::chrono::milliseconds idleTimeout{120'000};     // between two pieces, pings count
    std::chrono::milliseconds progressTimeout{300'000}; // between two pieces of the reply itself
};

// The OpenAI-compatible wire, POST /v1/chat/completions with stream:true. One connection a request; cancelling closes
// it, which is how the server learns. No total deadline: a slow model that goes on writing is healthy.
// Failures besides those of ChatReply: MODEL_UNREACHABLE, MODEL_SILENT, MODEL_REFUSED_<status>, MODEL_NOT_A_STREAM.
class ChatWire final : public ModelWire {
public:
    explicit ChatWire(ChatWireOptions options) : m_options(std::move(options)) {}

    QCoro::Task<std::expected<ModelReply, WireFailure>>
    attempt(ModelRequest request, std::function<void(QString)> onText, std::stop_token stop) override;

private:
    using Exchange = std::shared_ptr<net::http::ClientExchange>;
    QCoro::Task<std::expected<Exchange, WireFailure>> post(QByteArray body, std::stop_token stop);
    QCoro::Task<WireFailure> refused(Exchange exchange, int status, QByteArray retryAfter);

    ChatWireOptions m_options;
    bool m_askUsage = true; // until a server refuses the question
};

// Retry-After: seconds, or an HTTP date.
std::optional<std::chrono::milliseconds> parseRetryAfter(const QByteArray& value, qint64 nowMs);

} // namespace cocoonbox::agent::serve::wires::chat
