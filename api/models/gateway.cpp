// SPDX-License-Identifier: AGPL-3.0-only
#include "api/models/gateway.h"

#include "api/models/upstream_socket.h"
#include "api/models/wire_error.h"
#include "common/net/http/client.h"
#include "common/net/http/forward.h"

#include <array>
#include <QLoggingCategory>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::models {

Q_LOGGING_CATEGORY(modelsLog, "cocoonbox.api.models", QtInfoMsg)

namespace {

using net::http::ClientExchange;
using net::http::Exchange;
using net::http::Headers;

struct Route {
    const char* method;
    const char* path;
};

constexpr std::array kRoutes{
    Route{"POST", "/v1/chat/completions"},
    Route{"POST", "/v1/messages"},
    Route{"GET", "/v1/models"},
};

// What a box sends of these is not ours to pass on: keys are the host's, cookies nobody's.
constexpr std::array kDroppedFields{
    "Host",   "Content-Length", "Expect",          "Authorization",    "X-Api-Key",         "Api-Key",
    "Cookie", "Forwarded",      "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Via"};

Wire wireOf(const QByteArray& path, const Headers& headers)
{
    const bool isMessages =
        path.startsWith("/v1/messages") || (path.startsWith("/v1/models") && headers.contains("Anthropic-Version"));
    return isMessages ? Wire::Messages : Wire::Chat;
}

net::http::ClientRequest requestFor(const Upstream& upstream, const Exchange& exchange, const QByteArray& path)
{
    const net::http::RequestHead& head = exchange.head();
    net::http::ClientRequest request;
    request.method = head.method;
    request.target = upstream.pathPrefix + path;
    request.host = upstream.hostField;
    request.headers = head.headers;
    request.headers.removeHopByHop();
    for (const char* name : kDroppedFields)
        request.headers.remove(name);
    if (!upstream.key.isEmpty()) {
        if (wireOf(path, head.headers) == Wire::Messages)
            request.headers.add("X-Api-Key", upstream.key.reveal("the upstream's x-api-key header"));
        else
            request.headers.add("Authorization",
                                "Bearer " + upstream.key.reveal("the upstream's authorization header"));
    }
    request.isStreamed = true;
    request.streamLength = head.chunked ? std::nullopt : std::optional<qint64>(head.contentLength.value_or(0));
    return request;
}

int statusOf(const Error& error)
{
    return error.code == ErrorCode::DeadlineExceeded ? 504 : 502;
}

} // namespace

Gateway::Gateway(std::optional<Upstream> upstream, GatewayLimits limits)
    : m_upstream(std::move(upstream)), m_limits(limits)
{
}

Result<std::unique_ptr<Gateway>> Gateway::create(const QString& baseUrl, const QString& keyFile)
{
    if (baseUrl.isEmpty()) return std::make_unique<Gateway>(std::nullopt);
    TRY_ASSIGN(Upstream upstream, Upstream::create(baseUrl, keyFile));
    return std::make_unique<Gateway>(std::move(upstream));
}

QCoro::Task<void> Gateway::answer(std::shared_ptr<Exchange> exchange, QByteArray path)
{
    const QByteArray bare = path.first(path.contains('?') ? path.indexOf('?') : path.size());
    const Wire wire = wireOf(path, exchange->head().headers);
    const auto route = std::ranges::find_if(kRoutes, [&bare](const Route& r) { return bare == r.path; });
    if (route == kRoutes.end())
        co_return replyError(*exchange, wire, 404,
                             Error{ErrorCode::NotFound,
                                   u"The model gateway has /v1/chat/completions, /v1/messages and /v1/models."_s,
                                   u"MODEL_ROUTE_UNKNOWN"_s,
                                   {},
                                   {}});
    if (exchange->head().method != route->method)
        co_return replyError(*exchange, wire, 405,
                             Error{ErrorCode::InvalidArgument,
                                   u"This path takes %1."_s.arg(QLatin1StringView(route->method)),
                                   u"MODEL_METHOD_WRONG"_s,
                                   {},
                                   {}});
    if (!m_upstream)
        co_return replyError(
            *exchange, wire, 503,
            Error{
                ErrorCode::FailedPrecondition,
                u"No model is configured. Set models.base-url and models.api-key-file on the host, then restart cocoonbox-api."_s,
                u"MODELS_NOT_CONFIGURED"_s,
                {},
                {}});
    auto socket = std::make_unique<UpstreamSocket>(*m_upstream);
    const Result<void> connected = co_await socket->connected(m_limits.connectTimeout, exchange->clientGone());
    if (!connected) {
        qCWarning(modelsLog).noquote() << connected.error().message;
        co_return replyError(*exchange, wire, statusOf(connected.error()), connected.error());
    }
    const net::http::ClientLimits limits{m_limits.headTimeout, m_limits.idleTimeout};
    const std::shared_ptr<ClientExchange> upstream = ClientExchange::start(
        std::move(socket), requestFor(*m_upstream, *exchange, path), limits, exchange->clientGone());
    (void)net::http::passBody(exchange, upstream);
    Result<net::http::ResponseHead> head = co_await upstream->head();
    if (!head) co_return replyError(*exchange, wire, statusOf(head.error()), head.error());
    head->headers.removeHopByHop();
    head->headers.remove("Set-Cookie");
    exchange->start(head->status, head->headers);
    const Result<void> passed = co_await net::http::passReply(upstream, exchange);
    if (!passed) qCWarning(modelsLog).noquote() << "a reply was cut:" << passed.error().message;
}

} // namespace cocoonbox::api::models
