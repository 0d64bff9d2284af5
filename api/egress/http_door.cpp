// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/http_door.h"

#include "api/models/gateway.h"
#include "common/net/fd_stream.h"
#include "common/net/http/client.h"
#include "common/net/http/forward.h"

#include <algorithm>
#include <optional>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

using net::http::ClientExchange;
using net::http::Exchange;

constexpr quint16 kHttpsPort = 443;
constexpr char kEstablished[] = "HTTP/1.1 200 Connection Established\r\n\r\n";
// A slow origin is a page that takes long, not a dead one.
constexpr net::http::ClientLimits kForwardLimits{.headTimeout = std::chrono::minutes(5),
                                                 .idleTimeout = std::chrono::minutes(5)};

void refuse(Exchange& exchange, int status, const QByteArray& text, const QString& reason)
{
    exchange.reply(status, {{"Content-Type", "text/plain"}, {"X-Cocoonbox-Reason", reason.toLatin1()}}, text + '\n');
}

void refuse(Exchange& exchange, const Error& error)
{
    if (error.code == ErrorCode::PermissionDenied) return refuse(exchange, 403, error.message.toUtf8(), error.reason);
    refuse(exchange, error.code == ErrorCode::DeadlineExceeded ? 504 : 502,
           "egress: upstream unreachable: " + error.message.toUtf8(), error.reason);
}

// Decimal, without a sign or blanks; 0 when it is no port.
int portOf(QByteArrayView text)
{
    const bool isNumber =
        !text.isEmpty() && text.size() <= 5 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const int port = isNumber ? text.toInt() : 0;
    return port <= 65535 ? port : 0;
}

// A host as a URI has it, without its brackets; nothing when it is malformed.
std::optional<QByteArray> bareHost(const QByteArray& host)
{
    if (!host.startsWith('[')) {
        const bool isBad = host.isEmpty() || host.contains(':') || host.contains('[') || host.contains(']');
        return isBad ? std::nullopt : std::optional(host);
    }
    if (!host.endsWith(']')) return std::nullopt;
    const QByteArray inner = host.sliced(1, host.size() - 2);
    const QHostAddress address(QString::fromLatin1(inner));
    const bool isGood = address.protocol() == QAbstractSocket::IPv6Protocol && address.scopeId().isEmpty();
    return isGood ? std::optional(inner) : std::nullopt;
}

Destination destinationOf(const QByteArray& host, int port, const QByteArray& method)
{
    const std::optional<QByteArray> bare = bareHost(host);
    return {bare.value_or(host), bare ? port : 0, method};
}

bool isModels(const net::http::AbsoluteTarget& target)
{
    return target.host == kModelsHost && target.port == 80;
}

QCoro::Task<void> tunnel(std::shared_ptr<Gate> gate, Speaker speaker, std::shared_ptr<Exchange> exchange)
{
    const Result<Passage> passage =
        co_await Gate::pass(gate, speaker, connectDestination(exchange->head().target), exchange->clientGone());
    if (!passage) co_return refuse(*exchange, passage.error());
    const Result<Exchange::Tunnelled> moved =
        co_await exchange->tunnel(std::move(*passage->connection.socket), kEstablished);
    gate->end(*passage, moved ? moved->sent : 0, moved ? moved->received : 0);
}

net::http::ClientRequest requestFor(const net::http::RequestHead& head, const net::http::AbsoluteTarget& target)
{
    net::http::ClientRequest request;
    request.method = head.method;
    request.target = target.path;
    // The target's authority is what counts, whatever the Host field said (RFC 9112 §3.2.2).
    request.host = target.port == 80 ? target.host : target.host + ':' + QByteArray::number(target.port);
    request.headers = head.headers;
    request.headers.removeHopByHop();
    for (const char* name : {"Host", "Content-Length", "Expect"})
        request.headers.remove(name);
    request.isStreamed = true;
    request.streamLength = head.chunked ? std::nullopt : std::optional<qint64>(head.contentLength.value_or(0));
    return request;
}

QCoro::Task<void> forward(std::shared_ptr<Gate> gate, Speaker speaker, std::shared_ptr<Exchange> exchange,
                          net::http::AbsoluteTarget target)
{
    const Destination destination = destinationOf(target.host, target.port, exchange->head().method);
    const Result<Passage> passage = co_await Gate::pass(gate, speaker, destination, exchange->clientGone());
    if (!passage) co_return refuse(*exchange, passage.error());
    const auto origin =
        ClientExchange::start(std::make_unique<net::FdStream>(std::move(*passage->connection.socket)),
                              requestFor(exchange->head(), target), kForwardLimits, exchange->clientGone());
    (void)net::http::passBody(exchange, origin);
    Result<net::http::ResponseHead> head = co_await origin->head();
    if (!head) {
        gate->end(*passage, origin->bodyBytesSent(), origin->bodyBytesReceived());
        co_return refuse(*exchange, head.error());
    }
    head->headers.removeHopByHop();
    exchange->start(head->status, head->headers);
    (void)co_await net::http::passReply(origin, exchange);
    gate->end(*passage, origin->bodyBytesSent(), origin->bodyBytesReceived());
}

} // namespace

Destination connectDestination(const QByteArray& authority)
{
    const qsizetype colon = authority.lastIndexOf(':');
    if (colon <= authority.lastIndexOf(']')) return destinationOf(authority, kHttpsPort, "CONNECT");
    return destinationOf(authority.first(colon), portOf(QByteArrayView(authority).sliced(colon + 1)), "CONNECT");
}

bool isForModels(const net::http::RequestHead& head)
{
    if (head.method == "CONNECT") return false;
    const auto target = net::http::parseAbsoluteTarget(head.target);
    return target && isModels(*target);
}

QCoro::Task<void> answerProxy(std::shared_ptr<Gate> gate, models::Gateway* gateway, Speaker speaker,
                              std::shared_ptr<Exchange> exchange)
{
    if (exchange->head().method == "CONNECT") co_return co_await tunnel(gate, speaker, exchange);
    const auto target = net::http::parseAbsoluteTarget(exchange->head().target);
    if (!target)
        co_return refuse(*exchange, 400,
                         "egress: a proxy takes http://HOST/PATH, and CONNECT HOST:PORT for everything else",
                         u"PROXY_TARGET_WRONG"_s);
    if (isModels(*target)) co_return co_await gateway->answer(exchange, target->path);
    co_await forward(gate, speaker, exchange, *target);
}

} // namespace cocoonbox::api::egress
