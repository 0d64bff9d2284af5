// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/fd_stream.h"
#include "common/net/http/client.h"
#include "tests/support/raw_client.h"

#include <QElapsedTimer>
#include <QTest>
#include <sys/socket.h>

using namespace cocoonbox;
using namespace std::chrono_literals;
using net::http::ClientExchange;
using net::http::ClientLimits;
using net::http::ClientRequest;
using testing::RawClient;

namespace {

// A client's stream and the scripted server at its other end.
struct Ends {
    std::unique_ptr<net::FdStream> stream;
    std::unique_ptr<RawClient> server;

    Ends()
    {
        int fds[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) != 0) qFatal("no socket pair");
        stream = std::make_unique<net::FdStream>(net::UniqueFd(fds[0]));
        server = std::make_unique<RawClient>(net::UniqueFd(fds[1]));
    }
};

ClientRequest get()
{
    ClientRequest request;
    request.target = "/x";
    request.host = "h";
    return request;
}

QString reasonOf(const QByteArray& reply, bool closes, ClientLimits limits = {})
{
    Ends ends;
    auto exchange = ClientExchange::start(std::move(ends.stream), get(), limits);
    ends.server->send(reply);
    if (closes) ends.server->finishWriting();
    const auto head = QCoro::waitFor(exchange->head());
    if (!head) return head.error().reason;
    const auto body = QCoro::waitFor(exchange->body(1000));
    return body ? QString::fromUtf8(*body) : body.error().reason;
}

} // namespace

class TestHttpClient : public QObject {
    Q_OBJECT
private slots:
    void sendsAndTakesAWholeReply();
    void reads_data();
    void reads();
    void timesOut();
    void givesPiecesAsTheyCome();
    void holdsTheServerBack();
    void cancelsAtOnce();
    void closesWhenLetGo();
    void streamsARequestBody();
};

void TestHttpClient::sendsAndTakesAWholeReply()
{
    Ends ends;
    ClientRequest request = get();
    request.method = "POST";
    request.target = "http://models/x";
    request.headers.add("A", "b\r\nEvil: 1");
    request.body = "body";
    ends.server->send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nContent-Length: 3\r\nX: y\r\n\r\nabc");
    const auto reply = QCoro::waitFor(net::http::fetch(std::move(ends.stream), request, 1000));
    QVERIFY(reply);
    QCOMPARE(reply->head.status, 201);
    QCOMPARE(reply->head.headers.value("x"), "y");
    QCOMPARE(reply->body, "abc");
    QTRY_VERIFY(ends.server->hasEnded);
    QCOMPARE(ends.server->received, "POST http://models/x HTTP/1.1\r\nHost: h\r\nA: b  Evil: 1\r\nContent-Length: 4\r\n"
                                    "Connection: close\r\n\r\nbody");
}

void TestHttpClient::reads_data()
{
    QTest::addColumn<QByteArray>("reply");
    QTest::addColumn<bool>("closes");
    QTest::addColumn<QString>("expected");
    QTest::newRow("length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") << false << "ok";
    QTest::newRow("chunks") << QByteArray(
                                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n")
                            << false << "ok";
    QTest::newRow("until the end") << QByteArray("HTTP/1.1 200 OK\r\n\r\nok") << true << "ok";
    QTest::newRow("nothing") << QByteArray("HTTP/1.1 204 No Content\r\n\r\n") << false << "";
    QTest::newRow("cut head") << QByteArray("HTTP/1.1 200 O") << true << "UPSTREAM_CLOSED";
    QTest::newRow("cut length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok") << true
                                << "UPSTREAM_CLOSED";
    QTest::newRow("cut chunks") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
                                << true << "UPSTREAM_CLOSED";
    QTest::newRow("no HTTP") << QByteArray("SSH-2.0-x\r\n") << false << "UPSTREAM_BROKE_PROTOCOL";
    QTest::newRow("head without end") << QByteArray("HTTP/1.1 200 OK\r\nA: " + QByteArray(70'000, 'a')) << false
                                      << "UPSTREAM_BROKE_PROTOCOL";
    QTest::newRow("too long") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + QByteArray(1001, 'a'))
                              << false << "REPLY_TOO_LARGE";
}

void TestHttpClient::reads()
{
    QFETCH(QByteArray, reply);
    QFETCH(bool, closes);
    QFETCH(QString, expected);
    QCOMPARE(reasonOf(reply, closes), expected);
}

void TestHttpClient::timesOut()
{
    QCOMPARE(reasonOf("", false, {100ms, 5s, 1000}), "UPSTREAM_HEAD_TIMEOUT");
    QCOMPARE(reasonOf("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok", false, {5s, 100ms, 1000}),
             "UPSTREAM_IDLE_TIMEOUT");
}

void TestHttpClient::givesPiecesAsTheyCome()
{
    Ends ends;
    const auto exchange = ClientExchange::start(std::move(ends.stream), get());
    ends.server->send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    QVERIFY(QCoro::waitFor(exchange->head()));
    for (const QByteArray piece : {"first", "second"}) {
        ends.server->send("6\r\n" + piece.leftJustified(6, ' ') + "\r\n");
        const auto got = QCoro::waitFor(exchange->next());
        QVERIFY(got && *got);
        QCOMPARE(**got, piece.leftJustified(6, ' '));
    }
    ends.server->send("0\r\n\r\n");
    const auto end = QCoro::waitFor(exchange->next());
    QVERIFY(end && !*end);
}

void TestHttpClient::holdsTheServerBack()
{
    Ends ends;
    const auto exchange = ClientExchange::start(std::move(ends.stream), get());
    constexpr qint64 kBytes = 20'000'000;
    ends.server->send("HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n" + QByteArray(kBytes, 'a'));
    QVERIFY(QCoro::waitFor(exchange->head()));
    qint64 before = -1;
    QTRY_VERIFY(std::exchange(before, ends.server->unsent()) == ends.server->unsent());
    QVERIFY(ends.server->unsent() > kBytes - 2'000'000);
    const auto body = QCoro::waitFor(exchange->body(kBytes));
    QVERIFY(body);
    QCOMPARE(body->size(), kBytes);
}

void TestHttpClient::cancelsAtOnce()
{
    Ends ends;
    std::stop_source stop;
    const auto exchange = ClientExchange::start(std::move(ends.stream), get(), {}, stop.get_token());
    QTimer::singleShot(50, this, [&stop] { stop.request_stop(); });
    const auto head = QCoro::waitFor(exchange->head());
    QVERIFY(!head);
    QCOMPARE(head.error().code, ErrorCode::Cancelled);
    QTRY_VERIFY_WITH_TIMEOUT(ends.server->hasEnded, 500);
}

void TestHttpClient::closesWhenLetGo()
{
    Ends ends;
    auto exchange = ClientExchange::start(std::move(ends.stream), get());
    QTRY_VERIFY(ends.server->received.endsWith("\r\n\r\n"));
    exchange.reset();
    QTRY_VERIFY_WITH_TIMEOUT(ends.server->hasEnded, 500);
}

void TestHttpClient::streamsARequestBody()
{
    Ends ends;
    ClientRequest request = get();
    request.method = "POST";
    request.isStreamed = true;
    const auto exchange = ClientExchange::start(std::move(ends.stream), request);
    QVERIFY(QCoro::waitFor(exchange->send("abc")));
    QTRY_VERIFY(ends.server->received.endsWith("\r\n\r\n3\r\nabc\r\n"));
    exchange->finishBody();
    QTRY_VERIFY(ends.server->received.endsWith("0\r\n\r\n"));
    ends.server->send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    QCOMPARE(QCoro::waitFor(exchange->head())->status, 200);
}

QTEST_GUILESS_MAIN(TestHttpClient)
#include "tst_http_client.moc"
