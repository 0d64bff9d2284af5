// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/client.h"

#include "common/net/http/parser.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::net::http {

namespace {

constexpr qsizetype kReadBytes = 64 * 1024;
constexpr qsizetype kBufferedBytesMax = 256 * 1024;
constexpr qint64 kPendingWriteBytesMax = 256 * 1024;

bool mayCarryBody(const ClientRequest& request)
{
    return request.method != "GET" && request.method != "HEAD" && request.method != "DELETE";
}

} // namespace

std::shared_ptr<ClientExchange> ClientExchange::start(std::unique_ptr<ByteStream> stream, const ClientRequest& request,
                                                      ClientLimits limits, std::stop_token stop)
{
    // The last reference may go in the middle of one of our own slots: close then, and be deleted from the loop.
    const std::shared_ptr<ClientExchange> exchange(new ClientExchange(std::move(stream), limits),
                                                   [](ClientExchange* self) {
                                                       self->m_stream->close();
                                                       self->deleteLater();
                                                   });
    exchange->m_onStop.emplace(std::move(stop), [weak = exchange->weak_from_this()] {
        postToDomain([weak] {
            if (const auto self = weak.lock()) self->cancel();
        });
    });
    if (request.method == "HEAD") exchange->m_parser->expectNoBody();
    exchange->sendRequest(request);
    return exchange;
}

ClientExchange::ClientExchange(std::unique_ptr<ByteStream> stream, ClientLimits limits)
    : m_stream(std::move(stream)), m_limits(limits),
      m_parser(std::make_unique<MessageParser>(MessageParser::Kind::Response, limits.headBytesMax))
{
    connect(m_stream.get(), &ByteStream::readable, this, &ClientExchange::onReadable);
    connect(m_stream.get(), &ByteStream::drained, this, [this] {
        const auto self = shared_from_this();
        wake(m_sendWaiting);
    });
    connect(m_stream.get(), &ByteStream::broken, this, &ClientExchange::onBroken);
    m_timer.setSingleShot(true);
    m_timer.callOnTimeout(this, &ClientExchange::onTimeout);
}

ClientExchange::~ClientExchange() = default;

void ClientExchange::sendRequest(const ClientRequest& request)
{
    QByteArray out = request.method + ' ' + request.target + " HTTP/1.1\r\n";
    Headers headers({{"Host", request.host}});
    for (const Headers::Field& field : request.headers.fields())
        headers.add(field.name, field.value);
    m_isChunked = request.isStreamed && !request.streamLength;
    const qint64 length = request.isStreamed ? request.streamLength.value_or(0) : request.body.size();
    if (m_isChunked)
        headers.add("Transfer-Encoding", "chunked");
    else if (length > 0 || mayCarryBody(request))
        headers.add("Content-Length", QByteArray::number(length));
    headers.add("Connection", "close");
    appendFields(out, headers);
    out += "\r\n";
    if (!request.isStreamed) out += request.body;
    m_stream->write(out);
    m_stream->setReading(true);
    m_timer.start(m_limits.headTimeout);
}

Task<void> ClientExchange::send(QByteArray piece)
{
    const auto self = shared_from_this();
    if (m_error) co_return std::unexpected(*m_error);
    m_bodyBytesSent += static_cast<quint64>(piece.size());
    if (!piece.isEmpty() && !m_broken)
        m_stream->write(m_isChunked ? QByteArray::number(piece.size(), 16) + "\r\n" + piece + "\r\n" : piece);
    while (!m_error && !m_broken && m_stream->bytesToWrite() > kPendingWriteBytesMax) {
        m_sendWaiting = Promise<bool>();
        co_await m_sendWaiting->get();
    }
    if (m_error) co_return std::unexpected(*m_error);
    if (!m_head) m_timer.start(m_limits.headTimeout);
    co_return {};
}

void ClientExchange::finishBody()
{
    if (m_isChunked && !m_broken && !m_error) m_stream->write("0\r\n\r\n");
}

Task<ResponseHead> ClientExchange::head()
{
    const auto self = shared_from_this();
    while (!m_head && !m_error) {
        m_readWaiting = Promise<bool>();
        co_await m_readWaiting->get();
    }
    if (!m_head) co_return std::unexpected(*m_error);
    co_return *m_head;
}

Task<std::optional<QByteArray>> ClientExchange::next()
{
    const auto self = shared_from_this();
    while (m_pieces.empty() && !m_ended && !m_error) {
        m_readWaiting = Promise<bool>();
        update();
        co_await m_readWaiting->get();
    }
    if (!m_pieces.empty()) {
        QByteArray piece = std::move(m_pieces.front());
        m_pieces.pop_front();
        m_buffered -= piece.size();
        update();
        co_return piece;
    }
    if (m_error) co_return std::unexpected(*m_error);
    co_return std::nullopt;
}

Task<QByteArray> ClientExchange::body(qsizetype bytesMax)
{
    const auto self = shared_from_this();
    QByteArray whole;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> piece, co_await next());
        if (!piece) co_return whole;
        whole += *piece;
        if (whole.size() <= bytesMax) continue;
        cancel();
        co_return fail(ErrorCode::ResourceExhausted, u"The reply is larger than %1 bytes."_s.arg(bytesMax),
                       u"REPLY_TOO_LARGE"_s);
    }
}

void ClientExchange::cancel()
{
    failWith(ErrorCode::Cancelled, u"The request was cancelled."_s, u"CANCELLED"_s);
}

void ClientExchange::onReadable()
{
    const auto self = shared_from_this();
    char buffer[kReadBytes];
    const qsizetype n = m_stream->read(buffer, sizeof buffer);
    if (n == 0) return;
    if (n == ByteStream::kEnded) {
        if (m_head && m_parser->finish()) return onEnd();
        return failWith(ErrorCode::Unavailable,
                        u"The other side closed the connection before its reply was complete."_s, u"UPSTREAM_CLOSED"_s);
    }
    parse(QByteArrayView(buffer, n));
    if (m_error || m_ended) return;
    update();
    if (m_head) wake(m_readWaiting);
}

void ClientExchange::parse(QByteArrayView bytes)
{
    for (bool goOn = true; goOn;) {
        qsizetype used = 0;
        QByteArray body;
        const MessageParser::Step step = m_parser->feed(bytes, used, body);
        bytes = bytes.sliced(used);
        m_buffered += body.size();
        m_bodyBytesReceived += static_cast<quint64>(body.size());
        if (!body.isEmpty()) m_pieces.push_back(std::move(body));
        switch (step) {
        case MessageParser::Step::NeedMore: goOn = !bytes.isEmpty(); break;
        case MessageParser::Step::Head: {
            ResponseHead head = m_parser->takeResponse();
            if (head.status >= 200) m_head = std::move(head);
            break;
        }
        case MessageParser::Step::End:
            if (m_head) return onEnd();
            break;
        case MessageParser::Step::Bad:
        case MessageParser::Step::HeadTooLarge:
        case MessageParser::Step::BadVersion:
            return failWith(ErrorCode::Unavailable, u"The other side does not answer in HTTP/1.1."_s,
                            u"UPSTREAM_BROKE_PROTOCOL"_s);
        }
    }
}

void ClientExchange::onEnd()
{
    m_ended = true;
    m_timer.stop();
    m_stream->close();
    m_broken = true;
    wake(m_sendWaiting);
    wake(m_readWaiting);
}

// A server may answer and close before it has read the whole request: its reply is still worth reading.
void ClientExchange::onBroken()
{
    const auto self = shared_from_this();
    m_broken = true;
    wake(m_sendWaiting);
}

void ClientExchange::onTimeout()
{
    const auto self = shared_from_this();
    if (m_head)
        failWith(ErrorCode::DeadlineExceeded, u"The other side stopped in the middle of its reply."_s,
                 u"UPSTREAM_IDLE_TIMEOUT"_s);
    else
        failWith(ErrorCode::DeadlineExceeded, u"The other side did not answer in time."_s, u"UPSTREAM_HEAD_TIMEOUT"_s);
}

void ClientExchange::failWith(ErrorCode code, const QString& message, const QString& reason)
{
    if (m_error || m_ended) return;
    const auto self = shared_from_this();
    m_error = Error{code, message, reason, {}, std::source_location::current()};
    m_timer.stop();
    m_stream->close();
    wake(m_sendWaiting);
    wake(m_readWaiting);
}

// Reads while there is room; the idle time runs only while somebody waits for bytes.
void ClientExchange::update()
{
    if (m_error || m_ended) return;
    m_stream->setReading(m_buffered < kBufferedBytesMax);
    if (!m_head) return;
    if (m_pieces.empty())
        m_timer.start(m_limits.idleTimeout);
    else
        m_timer.stop();
}

void ClientExchange::wake(std::optional<Promise<bool>>& waiting)
{
    if (!waiting) return;
    const Promise<bool> promise = *std::exchange(waiting, std::nullopt);
    promise.set(true);
}

Task<Response> fetch(std::unique_ptr<ByteStream> stream, ClientRequest request, qsizetype bytesMax, ClientLimits limits,
                     std::stop_token stop)
{
    const std::shared_ptr<ClientExchange> exchange = ClientExchange::start(std::move(stream), request, limits, stop);
    CO_TRY_ASSIGN(ResponseHead head, co_await exchange->head());
    CO_TRY_ASSIGN(QByteArray body, co_await exchange->body(bytesMax));
    co_return Response{std::move(head), std::move(body)};
}

} // namespace cocoonbox::net::http
