// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/wires/chat/chat_wire.h"

#include "agent/serve/wires/chat/chat_reply.h"
#include "agent/serve/wires/chat/chat_request.h"
#include "common/net/fd_stream.h"
#include "common/net/http/client.h"
#include "common/net/tcp_socket.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QLocale>
#include <QTimeZone>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::wires::chat {

namespace {

constexpr qsizetype kErrorBodyBytesMax = 64 * 1024;

// Failures of the connection: the same request may succeed.
WireFailure fromConnection(const Error& error)
{
    const bool silent = error.code == ErrorCode::DeadlineExceeded;
    return {.error = {ErrorCode::Unavailable,
                      silent ? u"The model's server has gone silent."_s
                             : u"The model's server cannot be reached: %1"_s.arg(error.message),
                      silent ? u"MODEL_SILENT"_s : u"MODEL_UNREACHABLE"_s, error.detail, error.where},
            .mayRetry = error.code != ErrorCode::Cancelled,
            .retryAfter = {}};
}

bool statusMayRetry(int status, const QJsonObject& body)
{
    // A used-up budget is reported as 429 as well; waiting does not fill it.
    const QJsonObject error = body.value("error"_L1).toObject();
    const QString code = error.value("code"_L1).toString() + error.value("type"_L1).toString();
    if (code.contains("insufficient_quota"_L1) || code.contains("billing"_L1)) return false;
    return status == 408 || status == 409 || status == 429 || status >= 500;
}

WireFailure notAStream(const QJsonObject& body)
{
    const QString sentence = errorSentence(body);
    return {.error = {ErrorCode::Unavailable,
                      sentence.isEmpty() ? u"The model's server answered with something that is no event stream."_s
                                         : u"The model's server answered with an error: %1"_s.arg(sentence),
                      u"MODEL_NOT_A_STREAM"_s,
                      {},
                      std::source_location::current()},
            .mayRetry = !sentence.isEmpty(),
            .retryAfter = {}};
}

WireFailure silent()
{
    return fromConnection({ErrorCode::DeadlineExceeded, {}, {}, {}, std::source_location::current()});
}

bool isEventStream(const net::http::ResponseHead& head)
{
    return head.headers.value("content-type").trimmed().toLower().startsWith("text/event-stream");
}

} // namespace

std::optional<std::chrono::milliseconds> parseRetryAfter(const QByteArray& value, qint64 nowMs)
{
    const QByteArray text = value.trimmed();
    bool isNumber = false;
    const double seconds = text.toDouble(&isNumber);
    if (isNumber && seconds >= 0 && seconds < 1e6)
        return std::chrono::milliseconds(static_cast<qint64>(seconds * 1000));
    QDateTime date = QLocale::c().toDateTime(QString::fromLatin1(text), u"ddd, dd MMM yyyy hh:mm:ss 'GMT'"_s);
    if (!date.isValid()) return std::nullopt;
    date.setTimeZone(QTimeZone::utc());
    return std::chrono::milliseconds(std::max<qint64>(0, date.toMSecsSinceEpoch() - nowMs));
}

QCoro::Task<std::expected<ChatWire::Exchange, WireFailure>> ChatWire::post(QByteArray body, std::stop_token stop)
{
    auto socket = co_await net::connectTcp(m_options.proxyAddress, m_options.proxyPort, m_options.connectTimeout, stop);
    if (!socket) co_return std::unexpected(fromConnection(socket.error()));
    net::http::ClientRequest request;
    request.method = "POST";
    request.target = m_options.url.toEncoded();
    request.host = m_options.url.authority(QUrl::FullyEncoded).toLatin1();
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", "text/event-stream"},
                       {"Accept-Encoding", "identity"},
                       {"User-Agent", "cocoonbox-agent/" COCOONBOX_VERSION}};
    request.body = std::move(body);
    net::http::ClientLimits limits;
    limits.headTimeout = m_options.headTimeout;
    limits.idleTimeout = m_options.idleTimeout;
    co_return net::http::ClientExchange::start(std::make_unique<net::FdStream>(std::move(**socket)), request, limits,
                                               stop);
}

QCoro::Task<WireFailure> ChatWire::refused(Exchange exchange, int status, QByteArray retryAfter)
{
    const Result<QByteArray> body = co_await exchange->body(kErrorBodyBytesMax);
    const QJsonObject json = QJsonDocument::fromJson(body.value_or(QByteArray())).object();
    const QString sentence = errorSentence(json);
    QString message = u"The model's server refused the request with status %1"_s.arg(status);
    message += sentence.isEmpty() ? u"."_s : u": %1"_s.arg(sentence);
    const ErrorCode code = status >= 500 || status == 429 ? ErrorCode::Unavailable : ErrorCode::FailedPrecondition;
    co_return WireFailure{
        .error = {code, message, u"MODEL_REFUSED_%1"_s.arg(status), {}, std::source_location::current()},
        .mayRetry = statusMayRetry(status, json),
        .retryAfter = parseRetryAfter(retryAfter, QDateTime::currentMSecsSinceEpoch())};
}

QCoro::Task<std::expected<ModelReply, WireFailure>>
ChatWire::attempt(ModelRequest request, std::function<void(QString)> onText, std::stop_token stop)
{
    CO_TRY_ASSIGN(const Exchange exchange,
                  co_await post(encodeRequest(request, m_askUsage ? AskUsage::Yes : AskUsage::No), stop));
    const Result<net::http::ResponseHead> head = co_await exchange->head();
    if (!head) co_return std::unexpected(fromConnection(head.error()));
    if (head->status != 200) {
        WireFailure failure = co_await refused(exchange, head->status, head->headers.value("retry-after"));
        // Some servers refuse a field they do not know; this one we can do without.
        const bool usageRefused = head->status == 400 && failure.error.message.contains("stream_options"_L1);
        failure.mayRetry = failure.mayRetry || (usageRefused && std::exchange(m_askUsage, false));
        co_return std::unexpected(std::move(failure));
    }
    if (!isEventStream(*head)) {
        const Result<QByteArray> body = co_await exchange->body(kErrorBodyBytesMax);
        co_return std::unexpected(notAStream(QJsonDocument::fromJson(body.value_or(QByteArray())).object()));
    }
    ChatReply reply;
    QElapsedTimer sinceProgress;
    sinceProgress.start();
    while (!reply.isDone()) {
        Result<std::optional<QByteArray>> piece = co_await exchange->next();
        if (!piece) co_return std::unexpected(fromConnection(piece.error()));
        if (!*piece) break;
        const qint64 before = reply.progress();
        CO_TRY_ASSIGN(const QString text, reply.feed(**piece));
        if (reply.progress() > before) sinceProgress.restart();
        if (sinceProgress.durationElapsed() > m_options.progressTimeout) co_return std::unexpected(silent());
        if (!text.isEmpty()) onText(text);
    }
    co_return reply.finish();
}

} // namespace cocoonbox::agent::serve::wires::chat
