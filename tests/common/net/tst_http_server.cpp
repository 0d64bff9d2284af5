// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/server.h"
#include "common/net/tcp_socket.h"
#include "common/net/unix_socket.h"
#include "tests/support/raw_client.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace std::chrono_literals;
using net::http::Exchange;
using testing::RawClient;

namespace {

struct Seen {
    int requests = 0;
    bool isGone = false;
    qint64 sent = 0;
};

// /echo gives the body back; /stream sends 64 KiB pieces until the client has gone; /hang waits for that;
// /early answers without reading; anything else: "METHOD TARGET".
QCoro::Task<void> serve(Seen* seen, std::shared_ptr<Exchange> exchange)
{
    ++seen->requests;
    const QByteArray target = exchange->head().target;
    if (target == "/echo") {
        const Result<QByteArray> body = co_await exchange->body();
        if (body) exchange->reply(200, "text/plain", *body);
    } else if (target == "/stream") {
        exchange->start(200, {{"Content-Type", "text/event-stream"}});
        while (co_await exchange->send(QByteArray(64 * 1024, 's')))
            seen->sent += 64 * 1024;
        seen->isGone = exchange->clientGone().stop_requested();
    } else if (target == "/hang") {
        Promise<bool> gone;
        const std::stop_callback onGone(exchange->clientGone(), [gone] { gone.set(true); });
        seen->isGone = co_await gone.get();
    } else if (target == "/pieces") {
        exchange->start(200, {});
        for (const char* piece : {"one ", "two ", "three"})
            (void)co_await exchange->send(piece);
        exchange->finish();
    } else if (target == "/unanswered") {
        co_return;
    } else if (target == "/cut") {
        exchange->start(200, {});
        (void)co_await exchange->send("half");
    } else {
        exchange->reply(200, "text/plain", exchange->head().method + ' ' + target);
    }
}

} // namespace

class TestHttpServer : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_server.reset(); }
    void answersOnKeptConnections();
    void answersPipelinedRequestsInOrder();
    void answersHeadWithoutABody();
    void refuses_data();
    void refuses();
    void cutsAHeadOverTheLimit();
    void cutsABodyAtTheRoutesLimit();
    void cutsAChunkedBodyAtTheRoutesLimit();
    void closesSlowHeads();
    void keepsToTheConnectionCap();
    void saysContinue();
    void streamsInChunks();
    void cutsAnUnfinishedStream();
    void holdsAStreamBackAndTellsOfTheClientsEnd();
    void tellsAWaitingHandlerOfTheClientsEnd();
    void answers500ForAnUnansweredRequest();
    void closesAfterEarlyRefusalWithoutLosingIt();
    void servesCurl();
    void servesManyRequestsQuickly();

private:
    std::unique_ptr<RawClient> client() const;
    QByteArray talk(const QByteArray& request) const;

    QTemporaryDir m_dir;
    Seen m_seen;
    net::http::ServerLimits m_limits;
    std::unique_ptr<net::http::Server> m_server;
    quint16 m_port = 0;
};

void TestHttpServer::init()
{
    m_seen = {};
    m_limits = {};
    m_limits.headTimeout = 500ms;
    m_limits.connectionsMax = 32;
    auto listener = net::listenTcp("127.0.0.1", 0);
    QVERIFY(listener);
    m_port = *net::localPort(listener->get());
    net::http::ServerOptions options;
    options.limits = m_limits;
    options.handler = [this](std::shared_ptr<Exchange> exchange) { return serve(&m_seen, std::move(exchange)); };
    options.bodyBytesMax = [](const net::http::RequestHead& head) { return head.target == "/echo" ? 1'000'000 : 0; };
    m_server = std::make_unique<net::http::Server>(*std::move(listener), std::move(options));
}

std::unique_ptr<RawClient> TestHttpServer::client() const
{
    const auto fd = QCoro::waitFor(net::connectTcp("127.0.0.1", m_port, 2s));
    return std::make_unique<RawClient>(std::move(**fd));
}

// Sends and waits for the connection's end.
QByteArray TestHttpServer::talk(const QByteArray& request) const
{
    const auto c = client();
    c->send(request);
    (void)QTest::qWaitFor([&c] { return c->hasEnded; }, 5000);
    return c->hasEnded ? c->received : "not closed: " + c->received;
}

void TestHttpServer::answersOnKeptConnections()
{
    const auto c = client();
    c->send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_COMPARE(c->received, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\nGET /a");
    c->received.clear();
    c->send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhel");
    c->send("lo");
    QTRY_VERIFY(c->received.endsWith("\r\n\r\nhello"));
    c->received.clear();
    c->send("GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    QTRY_VERIFY(c->hasEnded);
    QVERIFY(c->received.contains("Connection: close\r\n") && c->received.endsWith("GET /b"));
    QCOMPARE(m_server->connectionCount(), 1);
    c->close();
    QTRY_COMPARE(m_server->connectionCount(), 0);
}

void TestHttpServer::answersPipelinedRequestsInOrder()
{
    const auto c = client();
    QByteArray all;
    for (int i = 0; i < 200; ++i)
        all += "GET /" + QByteArray::number(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
    c->send(all);
    QTRY_VERIFY(c->received.endsWith("GET /199"));
    QCOMPARE(c->received.count("HTTP/1.1 200 OK"), 200);
    QVERIFY(c->received.indexOf("GET /17") < c->received.indexOf("GET /18"));
}

void TestHttpServer::answersHeadWithoutABody()
{
    const auto c = client();
    c->send("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(c->received.endsWith("\r\n\r\n"));
    QVERIFY(c->received.contains("Content-Length: 7\r\n"));
    c->send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(c->received.endsWith("GET /b"));
}

void TestHttpServer::refuses_data()
{
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<int>("status");
    const auto row = [](const char* name, QByteArray request, int status = 400) {
        QTest::newRow(name) << request << status;
    };
    row("length and chunked",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    row("chunked and length",
        "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n");
    row("two lengths", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nhello");
    row("the same length twice",
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello");
    row("a list of lengths", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nhello");
    row("negative length", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n");
    row("length with a plus", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nhello");
    row("length beyond 64 bits", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n");
    row("hexadecimal length", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nhello");
    row("chunked is not last", "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n");
    row("unknown coding", "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n");
    row("bad chunk size", "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    row("huge chunk size", "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n");
    row("no host", "GET / HTTP/1.1\r\n\r\n");
    row("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    row("bare line feeds", "GET / HTTP/1.1\nHost: x\n\n");
    row("one bare line feed", "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n");
    row("bare carriage return", "GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n");
    row("folded field", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n");
    row("space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n");
    row("space in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n");
    row("zero byte in a value", QByteArray("GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n", 35));
    row("no field name", "GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n");
    row("unknown method", "FROB / HTTP/1.1\r\nHost: x\r\n\r\n");
    row("TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03");
    row("version 0.9", "GET / HTTP/0.9\r\nHost: x\r\n\r\n", 505);
    row("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
}

void TestHttpServer::refuses()
{
    QFETCH(QByteArray, request);
    QFETCH(int, status);
    const QByteArray answer = talk(request);
    QVERIFY2(answer.startsWith("HTTP/1.1 " + QByteArray::number(status)), answer.constData());
    QVERIFY(answer.contains("Connection: close\r\n"));
    QCOMPARE(answer.count("HTTP/1.1 "), 1); // nothing that was smuggled behind it is answered
}

void TestHttpServer::cutsAHeadOverTheLimit()
{
    const auto c = client();
    c->send("GET / HTTP/1.1\r\nHost: x\r\nA: ");
    for (int i = 0; i < 100 && !c->isBroken; ++i)
        c->send(QByteArray(1024 * 1024, 'a'));
    QTRY_VERIFY(c->received.startsWith("HTTP/1.1 431 "));
    QTRY_VERIFY_WITH_TIMEOUT(c->hasEnded || c->isBroken, 10'000);
    QCOMPARE(m_seen.requests, 0);
}

void TestHttpServer::cutsABodyAtTheRoutesLimit()
{
    QVERIFY(talk("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000001\r\n\r\n").startsWith("HTTP/1.1 413 "));
    QVERIFY(talk("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n").startsWith("HTTP/1.1 413 "));
    QCOMPARE(m_seen.requests, 0);
}

void TestHttpServer::cutsAChunkedBodyAtTheRoutesLimit()
{
    const auto c = client();
    c->send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100 && !c->isBroken; ++i)
        c->send("10000\r\n" + QByteArray(0x10000, 'a') + "\r\n");
    QTRY_VERIFY(c->received.startsWith("HTTP/1.1 413 "));
}

void TestHttpServer::closesSlowHeads()
{
    QElapsedTimer elapsed;
    elapsed.start();
    QCOMPARE(talk({}), "");
    const auto slow = client();
    slow->send("GET / HTTP/1.1\r\nHo");
    QTRY_VERIFY(slow->hasEnded);
    QVERIFY(slow->received.startsWith("HTTP/1.1 408 "));
    QVERIFY(elapsed.elapsed() < 4'000);
}

void TestHttpServer::keepsToTheConnectionCap()
{
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 32; ++i) {
        clients.push_back(client());
        clients.back()->send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    QTRY_COMPARE(m_seen.requests, 32);
    const QByteArray over = talk("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY2(over.startsWith("HTTP/1.1 503 "), over.constData());
    clients.clear();
    QTRY_VERIFY(m_server->connectionCount() < 32);
    QVERIFY(talk("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").endsWith("GET /"));
}

void TestHttpServer::saysContinue()
{
    const auto c = client();
    c->send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    QTRY_COMPARE(c->received, "HTTP/1.1 100 Continue\r\n\r\n");
    c->send("ok");
    QTRY_VERIFY(c->received.endsWith("\r\n\r\nok"));
}

void TestHttpServer::streamsInChunks()
{
    const auto c = client();
    c->send("GET /pieces HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_COMPARE(c->received, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n");
    // An old client gets the bytes and the end.
    const QByteArray old = talk("GET /pieces HTTP/1.0\r\n\r\n");
    QVERIFY2(old.endsWith("\r\n\r\none two three"), old.constData());
}

void TestHttpServer::cutsAnUnfinishedStream()
{
    const QByteArray answer = talk("GET /cut HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(answer.contains("half"));
    QVERIFY(!answer.contains("0\r\n\r\n"));
}

void TestHttpServer::holdsAStreamBackAndTellsOfTheClientsEnd()
{
    auto c = client();
    c->stopReading();
    c->send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n");
    qint64 before = -1;
    QTRY_VERIFY(std::exchange(before, m_seen.sent) == m_seen.sent && m_seen.sent > 0);
    QVERIFY2(m_seen.sent < 16'000'000, "a stalled reader must hold the handler back");
    c->startReading();
    QTRY_VERIFY(m_seen.sent > before + 2'000'000);
    QVERIFY(!m_seen.isGone);
    c.reset();
    QTRY_VERIFY(m_seen.isGone);
    QTRY_COMPARE(m_server->connectionCount(), 0);
}

void TestHttpServer::tellsAWaitingHandlerOfTheClientsEnd()
{
    auto c = client();
    c->send("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_COMPARE(m_seen.requests, 1);
    QVERIFY(!m_seen.isGone);
    c.reset();
    QTRY_VERIFY_WITH_TIMEOUT(m_seen.isGone, 500);
}

void TestHttpServer::answers500ForAnUnansweredRequest()
{
    const auto c = client();
    c->send("GET /unanswered HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(c->received.startsWith("HTTP/1.1 500 "));
}

void TestHttpServer::closesAfterEarlyRefusalWithoutLosingIt()
{
    const auto c = client();
    c->send("POST /other HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n" + QByteArray(5'000'000, 'a'));
    QTRY_VERIFY(c->received.contains("larger than 0 bytes"));
    QTRY_VERIFY(c->hasEnded);
    QVERIFY(!c->isBroken);
}

void TestHttpServer::servesCurl()
{
    const auto run = [this](QStringList words) {
        QProcess curl;
        curl.start("curl", QStringList{"-sS", "--max-time", "10"} + words);
        (void)QTest::qWaitFor([&curl] { return curl.state() == QProcess::NotRunning; }, 10'000);
        return curl.readAllStandardOutput() + curl.readAllStandardError();
    };
    const QString base = QStringLiteral("http://127.0.0.1:%1").arg(m_port);
    QCOMPARE(run({base + "/x?y=1", base + "/z"}), "GET /x?y=1GET /z");
    QCOMPARE(run({base + "/pieces"}), "one two three");
    QCOMPARE(run({"-X", "POST", "--data-binary", "abc", "-H", "Transfer-Encoding: chunked", base + "/echo"}), "abc");
    QCOMPARE(run({"-I", "-o", "/dev/null", "-w", "%{http_code}", base + "/x"}), "200");
}

void TestHttpServer::servesManyRequestsQuickly()
{
    const auto c = client();
    QElapsedTimer elapsed;
    elapsed.start();
    for (int i = 0; i < 1000; ++i) {
        c->received.clear();
        c->send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
        while (!c->received.endsWith("GET /a") && elapsed.elapsed() < 10'000)
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 100);
    }
    qInfo("a kept connection answers in %lld us", elapsed.nsecsElapsed() / 1'000'000);
    QVERIFY(elapsed.elapsed() < 5'000);
}

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
