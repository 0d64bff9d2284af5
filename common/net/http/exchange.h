// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/async/wait.h"
#include "common/net/http/message.h"
#include "common/net/unique_fd.h"

#include <deque>
#include <memory>
#include <QPointer>
#include <stop_token>

namespace cocoonbox::net::http {

class Connection;

// One request and its reply, as a handler sees them. Outlives its connection: once the client is gone every call
// answers Cancelled (CLIENT_GONE) or does nothing. Domain thread only; one coroutine reads the body, one sends the
// reply.
class Exchange final {
public:
    Exchange(Connection* connection, RequestHead head);
    ~Exchange();

    const RequestHead& head() const { return m_head; }

    // The next piece of the body; nothing at its end. The client is held back until pieces are taken.
    // ResourceExhausted: BODY_TOO_LARGE (over the route's limit; the client has been told). Cancelled: CLIENT_GONE.
    Task<std::optional<QByteArray>> next();
    // The rest of the body in one piece.
    Task<QByteArray> body();

    // A whole reply. Content-Length is added; Date, Server and the like are not.
    void reply(int status, Headers headers, const QByteArray& body);
    void reply(int status, const QByteArray& contentType, const QByteArray& body);

    // A streamed reply: start, then send any number of pieces, each on the wire at once, then finish. With a
    // Content-Length among the headers the pieces must add up to it, else finish cuts the connection.
    void start(int status, Headers headers);
    // Resumes when the client has taken enough for another piece; `piece` itself is always sent whole.
    Task<void> send(QByteArray piece);
    void finish();
    // Cuts the connection, so that the client sees an incomplete reply. Nothing once the reply is finished.
    void abort();
    bool isAnswered() const { return m_phase != Phase::Unanswered; }

    struct Tunnelled {
        quint64 sent = 0;     // from the client to the peer
        quint64 received = 0; // back
    };
    // Instead of a reply: says `greeting`, then joins the client with `peer`, half-closes passed on, until both have
    // ended or the server goes. Cancelled: CLIENT_GONE.
    Task<Tunnelled> tunnel(UniqueFd peer, QByteArray greeting);

    // Triggered when the client goes away before the reply is finished.
    std::stop_token clientGone() const { return m_gone.get_token(); }

private:
    friend class Connection;
    enum class Phase { Unanswered, Streaming, Finished };
    enum class Framing { Chunked, Length, UntilClose, None };

    void onBody(const QByteArray& piece)
    {
        m_pieces.push_back(piece);
        wake(m_bodyWaiting);
    }
    void onBodyEnd();
    void onBodyTooLarge() { m_bodyTooLarge = true; }
    void onDrained() { wake(m_sendWaiting); }
    void onReplyFinished();
    void onGone();
    static void wake(std::optional<Promise<bool>>& waiting);

    QPointer<Connection> m_connection;
    RequestHead m_head;
    std::deque<QByteArray> m_pieces;
    std::optional<Promise<bool>> m_bodyWaiting;
    std::optional<Promise<bool>> m_sendWaiting;
    std::optional<Promise<bool>> m_tunnelWaiting;
    Tunnelled m_tunnelled;
    std::stop_source m_gone;
    Phase m_phase = Phase::Unanswered;
    Framing m_framing = Framing::None;
    qint64 m_lengthLeft = 0;
    bool m_bodyEnded = false;
    bool m_bodyTooLarge = false;
    bool m_isGone = false;
};

} // namespace cocoonbox::net::http
