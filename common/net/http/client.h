// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/async/wait.h"
#include "common/net/byte_stream.h"
#include "common/net/http/message.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <QTimer>
#include <stop_token>

namespace cocoonbox::net::http {

class MessageParser;

struct ClientRequest {
    QByteArray method = "GET";
    QByteArray target = "/"; // "http://host/path" when the other end is a proxy
    QByteArray host;         // the Host field
    Headers headers;         // without Host, Content-Length, Transfer-Encoding, Connection
    QByteArray body;
    // The body follows by `send` and `finishBody` instead: of this length, or of an unknown one (chunked).
    bool isStreamed = false;
    std::optional<qint64> streamLength;
};

struct ClientLimits {
    std::chrono::milliseconds headTimeout{300'000}; // from the last byte of the request to the reply's head
    std::chrono::milliseconds idleTimeout{120'000}; // between two pieces of the reply, while somebody waits for one
    qsizetype headBytesMax = 64 * 1024;
};

// One request on one connection, which is closed with it; deleting or cancelling closes at once. The reply's body is
// read only as fast as `next` takes it. Domain thread only; one coroutine reads the reply, one sends the body.
// Errors: Unavailable UPSTREAM_CLOSED, UPSTREAM_BROKE_PROTOCOL; DeadlineExceeded UPSTREAM_HEAD_TIMEOUT,
// UPSTREAM_IDLE_TIMEOUT; Cancelled.
class ClientExchange final : public QObject, public std::enable_shared_from_this<ClientExchange> {
    Q_OBJECT
public:
    static std::shared_ptr<ClientExchange> start(std::unique_ptr<ByteStream> stream, const ClientRequest& request,
                                                 ClientLimits limits = {}, std::stop_token stop = {});
    ~ClientExchange() override;

    // A streamed request's body. `send` resumes when the other side has taken enough for more.
    Task<void> send(QByteArray piece);
    void finishBody();

    // Status and headers of the final reply (1xx are passed over).
    Task<ResponseHead> head();
    // The next bytes of the body as they came off the wire (chunking removed); nothing at its end.
    Task<std::optional<QByteArray>> next();
    // The rest of the body. ResourceExhausted: REPLY_TOO_LARGE.
    Task<QByteArray> body(qsizetype bytesMax);
    void cancel();

    // Of the bodies alone, so far.
    quint64 bodyBytesSent() const { return m_bodyBytesSent; }
    quint64 bodyBytesReceived() const { return m_bodyBytesReceived; }

private:
    ClientExchange(std::unique_ptr<ByteStream> stream, ClientLimits limits);

    void sendRequest(const ClientRequest& request);
    void onReadable();
    void parse(QByteArrayView bytes);
    void onEnd();
    void onBroken();
    void onTimeout();
    void failWith(ErrorCode code, const QString& message, const QString& reason);
    void update();
    static void wake(std::optional<Promise<bool>>& waiting);

    std::unique_ptr<ByteStream> m_stream;
    ClientLimits m_limits;
    std::unique_ptr<MessageParser> m_parser;
    std::optional<ResponseHead> m_head;
    std::deque<QByteArray> m_pieces;
    qsizetype m_buffered = 0;
    std::optional<Error> m_error;
    std::optional<Promise<bool>> m_readWaiting;
    std::optional<Promise<bool>> m_sendWaiting;
    QTimer m_timer;
    std::optional<std::stop_callback<std::function<void()>>> m_onStop;
    quint64 m_bodyBytesSent = 0;
    quint64 m_bodyBytesReceived = 0;
    bool m_isChunked = false;
    bool m_ended = false;
    bool m_broken = false; // nothing more can be sent; a reply may still be there to read
};

// Sends and takes a whole reply of at most `bytesMax`.
Task<Response> fetch(std::unique_ptr<ByteStream> stream, ClientRequest request, qsizetype bytesMax,
                     ClientLimits limits = {}, std::stop_token stop = {});

} // namespace cocoonbox::net::http
