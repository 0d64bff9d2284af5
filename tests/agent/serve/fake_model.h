// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/http/server.h"
#include "common/net/tcp_socket.h"

#include <deque>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace cocoonbox::test {

// What the model's server does with one request.
struct ModelTurn {
    int status = 200;
    net::http::Headers headers{{"Content-Type", "text/event-stream"}};
    QList<QByteArray> pieces; // of the body, each sent on its own
    bool hangs = false;       // after the pieces: silence until the client goes
    bool cuts = false;        // after the pieces: the connection breaks
};

inline QByteArray frame(const QJsonObject& json)
{
    return "data: " + QJsonDocument(json).toJson(QJsonDocument::Compact) + "\n\n";
}
inline QByteArray deltaFrame(const QJsonObject& delta, const QJsonValue& finish = QJsonValue::Null)
{
    return frame({{"choices", QJsonArray{QJsonObject{{"index", 0}, {"delta", delta}, {"finish_reason", finish}}}}});
}
inline ModelTurn says(const QStringList& words)
{
    ModelTurn turn;
    for (const QString& word : words)
        turn.pieces.append(deltaFrame({{"content", word}}));
    turn.pieces.append(deltaFrame({}, "stop") + "data: [DONE]\n\n");
    return turn;
}
struct CallSpec {
    QString tool;
    QString arguments;
};
inline ModelTurn calls(const QList<CallSpec>& specs, const QString& text = {}, const QString& finish = "tool_calls")
{
    ModelTurn turn;
    if (!text.isEmpty()) turn.pieces.append(deltaFrame({{"content", text}}));
    for (qsizetype i = 0; i < specs.size(); ++i)
        turn.pieces.append(deltaFrame(
            {{"tool_calls", QJsonArray{QJsonObject{{"index", i},
                                                   {"id", QString("m%1").arg(i)},
                                                   {"type", "function"},
                                                   {"function", QJsonObject{{"name", specs[i].tool},
                                                                            {"arguments", specs[i].arguments}}}}}}}));
    turn.pieces.append(deltaFrame({}, finish) + "data: [DONE]\n\n");
    return turn;
}
inline ModelTurn refuses(int status, const QByteArray& body,
                         net::http::Headers headers = {{"Content-Type", "application/json"}})
{
    return {.status = status, .headers = std::move(headers), .pieces = {body}};
}

// A model's server on loopback that plays its turns in order and keeps the requests. It takes what a proxy takes.
class FakeModel final {
public:
    std::deque<ModelTurn> turns;
    QList<QJsonObject> requests;
    QList<qint64> requestTimesMs;
    int clientsGone = 0;

    FakeModel()
    {
        net::UniqueFd listener = std::move(*net::listenTcp("127.0.0.1", 0));
        m_port = *net::localPort(listener.get());
        m_server = std::make_unique<net::http::Server>(
            std::move(listener),
            net::http::ServerOptions{
                .handler = [this](std::shared_ptr<net::http::Exchange> e) { return serve(std::move(e)); },
                .bodyBytesMax = [](const net::http::RequestHead&) { return qint64{16 << 20}; },
                .limits = {}});
    }
    quint16 port() const { return m_port; }

private:
    QCoro::Task<void> serve(std::shared_ptr<net::http::Exchange> exchange)
    {
        const Result<QByteArray> body = co_await exchange->body();
        requests.append(QJsonDocument::fromJson(body.value_or(QByteArray())).object());
        requestTimesMs.append(QDateTime::currentMSecsSinceEpoch());
        if (turns.empty()) {
            exchange->reply(500, "text/plain", "the script is over");
            co_return;
        }
        const ModelTurn turn = std::move(turns.front());
        turns.pop_front();
        exchange->start(turn.status, turn.headers);
        for (const QByteArray& piece : turn.pieces)
            if (!co_await exchange->send(piece)) co_return;
        if (turn.cuts) {
            exchange->abort();
        } else if (turn.hangs) {
            Promise<bool> gone;
            const std::stop_callback onGone(exchange->clientGone(), [gone] { gone.set(true); });
            co_await gone.get();
            ++clientsGone;
        } else {
            exchange->finish();
        }
    }

    quint16 m_port = 0;
    std::unique_ptr<net::http::Server> m_server;
};

} // namespace cocoonbox::test
