// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/connection.h"

#include <QPointer>

namespace cocoonbox::net::http {

namespace {

// Owns the handler's run. What it leaves unsaid is said for it.
QCoro::Task<void> runHandler(Handler handler, std::shared_ptr<Exchange> exchange)
{
    co_await handler(exchange);
    exchange->reply(500, "text/plain", "The request was not answered.\n");
    exchange->abort();
}

} // namespace

Connection::Connection(std::unique_ptr<ByteStream> stream, const ServerOptions& options, QObject* parent)
    : QObject(parent), m_stream(std::move(stream)), m_options(options),
      m_parser(MessageParser::Kind::Request, options.limits.headBytesMax)
{
    m_readTimer.setSingleShot(true);
    m_writeTimer.setSingleShot(true);
    connect(m_stream.get(), &ByteStream::readable, this, &Connection::onReadable);
    connect(m_stream.get(), &ByteStream::broken, this, &Connection::closeNow);
    connect(m_stream.get(), &ByteStream::drained, this, [this] {
        if (m_exchange) m_exchange->onDrained();
    });
    m_readTimer.callOnTimeout(this, &Connection::onReadTimeout);
    m_writeTimer.callOnTimeout(this, &Connection::onWriteTimeout);
    m_readTimer.start(options.limits.headTimeout);
    m_stream->setReading(true);
}

Connection::~Connection()
{
    m_stream->close();
    countTunnel();
    if (m_exchange) std::exchange(m_exchange, nullptr)->onGone();
}

void Connection::refuseBusy()
{
    refuse(503, "Too many connections. Try again.");
}

void Connection::onReadable()
{
    char buffer[kReadBytes];
    const qsizetype n = m_stream->read(buffer, sizeof buffer);
    if (n == 0) return;
    // An end during a reply counts as the client's going away, as proxies have it.
    if (n == ByteStream::kEnded) return closeNow();
    if (m_state == State::Lingering) return;
    m_input.append(buffer, n);
    process();
}

void Connection::process()
{
    if (std::exchange(m_processing, true)) return;
    const QPointer<Connection> self(this);
    while (m_state == State::BetweenRequests || (m_state == State::Exchanging && !m_requestEnded)) {
        qsizetype used = 0;
        QByteArray body;
        const MessageParser::Step step = m_parser.feed(m_input, used, body);
        m_input.remove(0, used);
        const bool goOn = onStep(step, body);
        if (!self) return;
        if (!goOn) break;
    }
    m_processing = false;
    updateReading();
}

// Whether another step may follow.
bool Connection::onStep(MessageParser::Step step, const QByteArray& body)
{
    const QPointer<Connection> self(this);
    if (!body.isEmpty() && (!onBodyBytes(body) || !self)) return false;
    switch (step) {
    case MessageParser::Step::NeedMore:
        if (m_state == State::BetweenRequests && m_parser.isInHead() &&
            m_readTimer.intervalAsDuration() != m_options.limits.headTimeout)
            m_readTimer.start(m_options.limits.headTimeout);
        return !m_input.isEmpty();
    case MessageParser::Step::Head: return onHead();
    case MessageParser::Step::End:
        m_requestEnded = true;
        if (m_exchange) {
            m_readTimer.stop();
            m_exchange->onBodyEnd();
        }
        return true;
    case MessageParser::Step::HeadTooLarge: refuse(431, "The head of the request is larger than 16 KiB."); return false;
    case MessageParser::Step::BadVersion: refuse(505, "This version of HTTP is not spoken here."); return false;
    case MessageParser::Step::Bad: refuse(400, "The request breaks HTTP/1.1."); return false;
    }
    return false;
}

bool Connection::onHead()
{
    RequestHead head = m_parser.takeRequest();
    m_requestEnded = false;
    m_bodyBytes = 0;
    if (!isHostRight(head)) {
        refuse(400, "The request must name its host, once.");
        return false;
    }
    if (!head.chunked && head.headers.contains("Transfer-Encoding")) {
        refuse(400, "The only transfer coding here is chunked.");
        return false;
    }
    m_bodyBytesMax = m_options.bodyBytesMax ? m_options.bodyBytesMax(head) : 0;
    if (head.contentLength.value_or(0) > m_bodyBytesMax) {
        refuse(413, "The body is larger than " + QByteArray::number(m_bodyBytesMax) + " bytes.");
        return false;
    }
    const bool hasBody = head.chunked || head.contentLength.value_or(0) > 0;
    if (hasBody && head.minorVersion == 1 && head.headers.value("Expect").toLower() == "100-continue")
        write("HTTP/1.1 100 Continue\r\n\r\n");
    m_readTimer.start(m_options.limits.bodyTimeout);
    m_state = State::Exchanging;
    m_exchange = std::make_shared<Exchange>(this, std::move(head));
    const QPointer<Connection> self(this);
    // The run owns itself: it ends with the handler, which learns through the exchange when the client is gone.
    (void)runHandler(m_options.handler, m_exchange);
    return self && (m_state == State::Exchanging || m_state == State::BetweenRequests);
}

bool Connection::isHostRight(const RequestHead& head) const
{
    const qsizetype hosts = head.headers.count("Host");
    return hosts == 1 || (hosts == 0 && head.minorVersion == 0);
}

bool Connection::onBodyBytes(const QByteArray& body)
{
    if (m_state != State::Exchanging) return false;
    m_bodyBytes += body.size();
    m_readTimer.start(m_options.limits.bodyTimeout);
    if (m_bodyBytes <= m_bodyBytesMax) {
        m_exchange->onBody(body);
        return true;
    }
    m_exchange->onBodyTooLarge();
    if (m_exchange->isAnswered())
        closeNow();
    else
        refuse(413, "The body is larger than " + QByteArray::number(m_bodyBytesMax) + " bytes.");
    return false;
}

void Connection::onReadTimeout()
{
    if (m_state == State::Lingering && m_stream->bytesToWrite() > 0) return m_readTimer.start(kLinger);
    if (m_state == State::Lingering || (m_state == State::BetweenRequests && !m_parser.isInHead())) return closeNow();
    if (m_exchange && m_exchange->m_phase != Exchange::Phase::Unanswered) return closeNow();
    refuse(408, "The request did not arrive in time.");
}

void Connection::onWriteTimeout()
{
    const qint64 onWire = m_written - m_stream->bytesToWrite();
    if (m_stream->bytesToWrite() == 0) return;
    if (onWire == m_writtenAtCheck) return closeNow();
    m_writtenAtCheck = onWire;
    m_writeTimer.start(m_options.limits.writeTimeout);
}

// Reading stays on while it can tell of the client's going away, and off while the client must be held back.
void Connection::updateReading()
{
    if (m_state == State::Closed || m_state == State::Tunnelling) return;
    qsizetype ahead = m_input.size();
    bool isHeldBack = ahead > kPipelineBytes;
    if (m_state == State::Exchanging && !m_requestEnded && m_exchange) {
        ahead = 0;
        for (const QByteArray& piece : m_exchange->m_pieces)
            ahead += piece.size();
        isHeldBack = ahead > kBodyAheadBytes;
        if (isHeldBack)
            m_readTimer.stop(); // the handler is slow, not the client
        else if (!m_readTimer.isActive())
            m_readTimer.start(m_options.limits.bodyTimeout);
    }
    m_stream->setReading(!isHeldBack);
}

// An answer to what never becomes an exchange, or to one that cannot go on.
void Connection::refuse(int status, const QByteArray& why)
{
    m_requestEnded = false; // what else arrives belongs to nothing
    const std::shared_ptr<Exchange> exchange = std::exchange(m_exchange, nullptr);
    const QByteArray body = why + '\n';
    writeHead(status, {{"Content-Type", "text/plain"}, {"Content-Length", QByteArray::number(body.size())}}, body);
    const QPointer<Connection> self(this);
    if (exchange) exchange->onGone();
    if (self && m_state != State::Closed) linger();
}

void Connection::writeHead(int status, Headers headers, const QByteArray& tail)
{
    if (!mayKeepAlive())
        headers.set("Connection", "close");
    else if (m_exchange && m_exchange->m_head.minorVersion == 0)
        headers.set("Connection", "keep-alive");
    QByteArray out = "HTTP/1.1 " + QByteArray::number(status) + ' ' + statusText(status) + "\r\n";
    appendFields(out, headers);
    out += "\r\n" + tail;
    write(out);
}

void Connection::write(const QByteArray& bytes)
{
    m_stream->write(bytes);
    m_written += bytes.size();
    if (m_stream->bytesToWrite() == 0 || m_writeTimer.isActive()) return;
    m_writtenAtCheck = m_written - m_stream->bytesToWrite();
    m_writeTimer.start(m_options.limits.writeTimeout);
}

// Without the rest of the request nothing can follow on this connection.
bool Connection::mayKeepAlive() const
{
    if (!m_exchange || m_exchange->m_head.method == "CONNECT") return false;
    const RequestHead& head = m_exchange->m_head;
    return head.keepAlive && (m_requestEnded || (!head.chunked && head.contentLength.value_or(0) == 0));
}

void Connection::replyFinished()
{
    if (m_state != State::Exchanging) return;
    const bool keepAlive = mayKeepAlive();
    // Who still waits for the rest of the body learns that there is no use for it.
    std::exchange(m_exchange, nullptr)->onReplyFinished();
    if (!keepAlive) return linger();
    m_state = State::BetweenRequests;
    m_readTimer.start(m_options.limits.idleTimeout);
    if (m_processing) return; // the loop goes on by itself, with the end of the empty body first
    // From the loop: a client that sends requests in a row must not grow the stack.
    QMetaObject::invokeMethod(this, &Connection::process, Qt::QueuedConnection);
}

bool Connection::startTunnel(UniqueFd peer, const QByteArray& greeting)
{
    UniqueFd own = m_stream->takeSocket();
    if (!own.isValid()) return false;
    m_state = State::Tunnelling;
    m_readTimer.stop();
    m_writeTimer.stop();
    m_tunnel = std::make_unique<Pump>(std::move(own), std::move(peer), std::exchange(m_input, {}), greeting);
    connect(m_tunnel.get(), &Pump::finished, this, &Connection::closeNow);
    return true;
}

void Connection::countTunnel()
{
    if (m_tunnel && m_exchange) m_exchange->m_tunnelled = {m_tunnel->bytesForward(), m_tunnel->bytesBack()};
}

// Ours is said. The client is read for a moment longer, so that its unread bytes do not reset what we said.
void Connection::linger()
{
    m_state = State::Lingering;
    m_input.clear();
    m_stream->finishWriting();
    m_stream->setReading(true);
    m_readTimer.start(kLinger);
}

void Connection::closeNow()
{
    if (m_state == State::Closed) return;
    m_state = State::Closed;
    m_readTimer.stop();
    m_writeTimer.stop();
    m_stream->close();
    countTunnel();
    const QPointer<Connection> self(this);
    if (m_exchange) std::exchange(m_exchange, nullptr)->onGone();
    if (self) emit closed();
}

} // namespace cocoonbox::net::http
