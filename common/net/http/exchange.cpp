// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/exchange.h"

#include "common/net/http/connection.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::net::http {

namespace {

std::unexpected<Error> clientIsGone()
{
    return fail(ErrorCode::Cancelled, u"The client went away."_s, u"CLIENT_GONE"_s);
}

bool hasNoBody(int status)
{
    return status == 204 || status == 304;
}

} // namespace

Exchange::Exchange(Connection* connection, RequestHead head) : m_connection(connection), m_head(std::move(head)) {}

Exchange::~Exchange() = default;

Task<std::optional<QByteArray>> Exchange::next()
{
    while (m_pieces.empty() && !m_bodyEnded && !m_bodyTooLarge && !m_isGone) {
        m_bodyWaiting = Promise<bool>();
        co_await m_bodyWaiting->get();
    }
    if (m_bodyTooLarge)
        co_return fail(ErrorCode::ResourceExhausted, u"The body of the request is too large."_s, u"BODY_TOO_LARGE"_s);
    if (m_isGone) co_return clientIsGone();
    if (m_pieces.empty()) co_return std::nullopt;
    QByteArray piece = std::move(m_pieces.front());
    m_pieces.pop_front();
    if (m_connection) m_connection->bodyTaken();
    co_return piece;
}

Task<QByteArray> Exchange::body()
{
    QByteArray whole;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> piece, co_await next());
        if (!piece) co_return whole;
        whole += *piece;
    }
}

void Exchange::reply(int status, Headers headers, const QByteArray& body)
{
    if (m_phase != Phase::Unanswered || !m_connection) return;
    m_phase = Phase::Finished;
    if (!hasNoBody(status)) headers.set("Content-Length", QByteArray::number(body.size()));
    const bool isBare = m_head.method == "HEAD" || hasNoBody(status);
    m_connection->writeHead(status, std::move(headers), isBare ? QByteArray() : body);
    Connection* connection = m_connection;
    m_connection.clear();
    connection->replyFinished();
}

void Exchange::reply(int status, const QByteArray& contentType, const QByteArray& body)
{
    reply(status, {{"Content-Type", contentType}}, body);
}

void Exchange::start(int status, Headers headers)
{
    if (m_phase != Phase::Unanswered || !m_connection) return;
    m_phase = Phase::Streaming;
    bool isLength = false;
    m_lengthLeft = headers.value("Content-Length").toLongLong(&isLength);
    if (m_head.method == "HEAD" || hasNoBody(status))
        m_framing = Framing::None;
    else if (isLength)
        m_framing = Framing::Length;
    else
        m_framing = m_head.minorVersion == 0 ? Framing::UntilClose : Framing::Chunked;
    if (m_framing == Framing::Chunked) headers.set("Transfer-Encoding", "chunked");
    if (m_framing == Framing::UntilClose) m_head.keepAlive = false;
    m_connection->writeHead(status, std::move(headers), {});
}

Task<void> Exchange::send(QByteArray piece)
{
    if (!m_connection) co_return clientIsGone();
    if (m_phase != Phase::Streaming) co_return fail(ErrorCode::Internal, u"A reply was sent before it was started."_s);
    if (piece.isEmpty() || m_framing == Framing::None) co_return {};
    if (m_framing == Framing::Length) m_lengthLeft -= piece.size();
    if (m_lengthLeft < 0) {
        abort();
        co_return fail(ErrorCode::DataLoss, u"A reply was longer than it had said."_s, u"REPLY_LENGTH_WRONG"_s);
    }
    if (m_framing == Framing::Chunked)
        m_connection->write(QByteArray::number(piece.size(), 16) + "\r\n" + piece + "\r\n");
    else
        m_connection->write(piece);
    while (m_connection && m_connection->isBacklogged()) {
        m_sendWaiting = Promise<bool>();
        co_await m_sendWaiting->get();
    }
    if (m_isGone) co_return clientIsGone();
    co_return {};
}

void Exchange::finish()
{
    if (m_phase != Phase::Streaming || !m_connection) return;
    if (m_framing == Framing::Length && m_lengthLeft != 0) return abort();
    m_phase = Phase::Finished;
    if (m_framing == Framing::Chunked) m_connection->write("0\r\n\r\n");
    Connection* connection = m_connection;
    m_connection.clear();
    connection->replyFinished();
}

void Exchange::abort()
{
    if (m_phase == Phase::Finished || !m_connection) return;
    m_phase = Phase::Finished;
    m_connection->closeNow();
}

Task<Exchange::Tunnelled> Exchange::tunnel(UniqueFd peer, QByteArray greeting)
{
    if (m_phase != Phase::Unanswered || !m_connection || !m_connection->startTunnel(std::move(peer), greeting))
        co_return clientIsGone();
    m_phase = Phase::Streaming;
    m_tunnelWaiting = Promise<bool>();
    co_await m_tunnelWaiting->get();
    co_return Tunnelled(m_tunnelled);
}

void Exchange::onBodyEnd()
{
    m_bodyEnded = true;
    wake(m_bodyWaiting);
}

void Exchange::onReplyFinished()
{
    m_isGone = true;
    m_connection.clear();
    m_pieces.clear();
    wake(m_sendWaiting);
    wake(m_bodyWaiting);
    wake(m_tunnelWaiting);
}

void Exchange::onGone()
{
    m_gone.request_stop();
    onReplyFinished();
}

void Exchange::wake(std::optional<Promise<bool>>& waiting)
{
    if (!waiting) return;
    const Promise<bool> promise = *std::exchange(waiting, std::nullopt);
    promise.set(true);
}

} // namespace cocoonbox::net::http
