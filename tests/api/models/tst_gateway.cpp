// SPDX-License-Identifier: AGPL-3.0-only
#include "api/models/gateway.h"
#include "common/net/http/server.h"
#include "common/net/tcp_socket.h"
#include "tests/support/raw_client.h"

#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace std::chrono_literals;
using api::models::Gateway;
using api::models::Upstream;
using net::http::Exchange;
using testing::RawClient;

namespace {

// The scripted model server: remembers what it was asked and answers by the request's X-Script.
struct Script {
    QByteArray target;
    net::http::Headers headers;
    QByteArray body;
    qint64 bodyBytes = 0;
    bool clientIsGone = false;
    qint64 sent = 0;
};

QCoro::Task<void> streamFor(Script* script, std::shared_ptr<Exchange> exchange)
{
    exchange->start(200, {{"Content-Type", "text/event-stream"}, {"Set-Cookie", "a=b"}, {"X-Request-Id", "req_1"}});
    for (int i = 0; i < 5; ++i) {
        if (!co_await exchange->send("data: " + QByteArray::number(i) + "\n\n")) break;
        ++script->sent;
        (void)co_await sleepFor(100ms);
    }
    exchange->finish();
}

QCoro::Task<void> answerScript(Script* script, std::shared_ptr<Exchange> exchange)
{
    const QByteArray what = exchange->head().headers.value("X-Script");
    script->target = exchange->head().target;
    script->headers = exchange->head().headers;
    if (what == "early") co_return exchange->reply(413, "application/json", "{\"too\":\"big\"}");
    for (;;) {
        const auto piece = co_await exchange->next();
        if (!piece || !*piece) break;
        script->bodyBytes += (*piece)->size();
        if (script->body.size() < 1000) script->body += **piece;
    }
    if (what == "stream") {
        co_await streamFor(script, exchange);
    } else if (what == "error") {
        exchange->reply(429, {{"Content-Type", "application/json"}, {"Retry-After", "7"}}, "{\"error\":\"slow down\"}");
    } else if (what == "flood" || what == "cut") {
        exchange->start(200, {});
        while (co_await exchange->send(QByteArray(64 * 1024, 'f'))) {
            script->sent += 64 * 1024;
            if (what == "cut") co_return;
        }
        script->clientIsGone = true;
    } else if (what == "silent") {
        Promise<bool> gone;
        const std::stop_callback onGone(exchange->clientGone(), [gone] { gone.set(true); });
        script->clientIsGone = co_await gone.get();
    } else {
        exchange->reply(200, "application/json", "{\"ok\":true}");
    }
}

std::unique_ptr<net::http::Server> serve(quint16& port, net::http::Handler handler)
{
    auto listener = net::listenTcp("127.0.0.1", 0);
    port = *net::localPort(listener->get());
    net::http::ServerOptions options;
    options.handler = std::move(handler);
    options.bodyBytesMax = [](const net::http::RequestHead&) { return api::models::kRequestBytesMax; };
    return std::make_unique<net::http::Server>(*std::move(listener), std::move(options));
}

} // namespace

class TestGateway : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void addsTheKeyAndDropsTheClients_data();
    void addsTheKeyAndDropsTheClients();
    void passesBodiesExactly();
    void passesPiecesAsTheyCome();
    void passesErrorsOn();
    void passesAnEarlyAnswerOn();
    void saysWhenNothingIsConfigured_data();
    void saysWhenNothingIsConfigured();
    void saysWhenTheUpstreamIsNotThere();
    void saysWhenTheUpstreamIsSilent();
    void refusesOtherRoutes();
    void cutsWhenTheUpstreamCuts();
    void closesTheUpstreamWhenTheClientGoes();
    void closesASilentUpstreamWhenTheClientGoes();
    void holdsTheUpstreamBack();
    void refusesABodyOverTheLimit();
    void readsConfiguration_data();
    void readsConfiguration();
    void refusesABadConfiguration();
    void checksCertificates();

private:
    void open(std::optional<Upstream> upstream, api::models::GatewayLimits limits = {});
    std::unique_ptr<RawClient> client() const;
    QByteArray request(const QByteArray& path, const QByteArray& fields, const QByteArray& body = "{}") const;
    QByteArray talk(const QByteArray& request) const;

    QTemporaryDir m_dir;
    Script m_script;
    quint16 m_upstreamPort = 0;
    quint16 m_port = 0;
    std::unique_ptr<net::http::Server> m_upstream;
    std::unique_ptr<Gateway> m_gateway;
    std::unique_ptr<net::http::Server> m_server;
};

void TestGateway::init()
{
    m_script = {};
    m_upstream = serve(m_upstreamPort, [this](std::shared_ptr<Exchange> exchange) {
        return answerScript(&m_script, std::move(exchange));
    });
    QFile key(m_dir.filePath("key"));
    QVERIFY(key.open(QIODevice::WriteOnly) && key.write("sk-real-key\n") > 0);
    key.close();
    auto upstream =
        Upstream::create(QStringLiteral("http://127.0.0.1:%1/prefix/").arg(m_upstreamPort), m_dir.filePath("key"));
    QVERIFY(upstream);
    open(*std::move(upstream), {2s, 2s, 2s});
}

void TestGateway::open(std::optional<Upstream> upstream, api::models::GatewayLimits limits)
{
    m_server.reset();
    m_gateway = std::make_unique<Gateway>(std::move(upstream), limits);
    m_server = serve(m_port, [gateway = m_gateway.get()](std::shared_ptr<Exchange> exchange) {
        return gateway->answer(exchange, exchange->head().target);
    });
}

void TestGateway::cleanup()
{
    m_server.reset();
    m_upstream.reset();
    QCoreApplication::processEvents();
}

std::unique_ptr<RawClient> TestGateway::client() const
{
    return std::make_unique<RawClient>(std::move(**QCoro::waitFor(net::connectTcp("127.0.0.1", m_port, 2s))));
}

QByteArray TestGateway::request(const QByteArray& path, const QByteArray& fields, const QByteArray& body) const
{
    return "POST " + path + " HTTP/1.1\r\nHost: models.cocoonbox.internal\r\nConnection: close\r\n" + fields +
           "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" + body;
}

QByteArray TestGateway::talk(const QByteArray& request) const
{
    const auto c = client();
    c->send(request);
    (void)QTest::qWaitFor([&c] { return c->hasEnded || c->isBroken; }, 10'000);
    return c->received;
}

void TestGateway::addsTheKeyAndDropsTheClients_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("chat") << QByteArray("/v1/chat/completions") << QByteArray("Authorization")
                          << QByteArray("Bearer sk-real-key");
    QTest::newRow("messages") << QByteArray("/v1/messages?beta=true") << QByteArray("X-Api-Key")
                              << QByteArray("sk-real-key");
}

void TestGateway::addsTheKeyAndDropsTheClients()
{
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, field);
    QFETCH(QByteArray, value);
    const QByteArray reply =
        talk(request(path, "Authorization: Bearer box\r\nx-api-key: box\r\nProxy-Authorization: x\r\nCookie: c=1\r\n"
                           "anthropic-version: 2023-06-01\r\nProxy-Connection: keep-alive\r\nX-Kept: yes\r\n"));
    QVERIFY2(reply.startsWith("HTTP/1.1 200 OK\r\n") && reply.endsWith("{\"ok\":true}"), reply.constData());
    QCOMPARE(m_script.target, "/prefix" + path);
    QCOMPARE(m_script.headers.value(field), value);
    QCOMPARE(m_script.headers.count("Authorization") + m_script.headers.count("X-Api-Key"), 1);
    for (const char* gone : {"Cookie", "Proxy-Authorization", "Proxy-Connection"})
        QVERIFY(!m_script.headers.contains(gone));
    QCOMPARE(m_script.headers.value("anthropic-version"), "2023-06-01");
    QCOMPARE(m_script.headers.value("X-Kept"), "yes");
    QCOMPARE(m_script.headers.value("Host"), "127.0.0.1:" + QByteArray::number(m_upstreamPort));
    QVERIFY(!reply.contains("sk-real-key"));
}

void TestGateway::passesBodiesExactly()
{
    const QByteArray odd = "{ \"a\" : \xFF\xFE \r\n\t \"\\u0000\" }";
    QVERIFY(talk(request("/v1/messages", "", odd)).startsWith("HTTP/1.1 200"));
    QCOMPARE(m_script.body, odd);
    m_script = {};
    const QByteArray chunked =
        talk("POST /v1/messages HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
             "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    QVERIFY(chunked.startsWith("HTTP/1.1 200"));
    QCOMPARE(m_script.body, "abcde");
    m_script = {};
    QVERIFY(talk(request("/v1/messages", "", QByteArray(30'000'000, 'b'))).startsWith("HTTP/1.1 200"));
    QCOMPARE(m_script.bodyBytes, 30'000'000);
}

void TestGateway::passesPiecesAsTheyCome()
{
    const auto c = client();
    c->send(request("/v1/chat/completions", "X-Script: stream\r\n"));
    QList<qint64> times;
    QElapsedTimer elapsed;
    elapsed.start();
    int seen = 0;
    while (!c->hasEnded && elapsed.elapsed() < 5'000) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 100);
        for (; c->received.count("data: ") > seen; ++seen)
            times.append(elapsed.elapsed());
    }
    QCOMPARE(times.size(), 5);
    for (qsizetype i = 1; i < times.size(); ++i)
        QVERIFY2(times.at(i) - times.at(i - 1) >= 50, "pieces must not be gathered");
    QVERIFY(c->received.contains("X-Request-Id: req_1\r\n"));
    QVERIFY(!c->received.contains("Set-Cookie"));
    QVERIFY(c->received.endsWith("0\r\n\r\n"));
}

void TestGateway::passesErrorsOn()
{
    const QByteArray reply = talk(request("/v1/messages", "X-Script: error\r\n"));
    QVERIFY(reply.startsWith("HTTP/1.1 429 Too Many Requests\r\n"));
    QVERIFY(reply.contains("Retry-After: 7\r\n"));
    QVERIFY(reply.endsWith("{\"error\":\"slow down\"}"));
}

void TestGateway::passesAnEarlyAnswerOn()
{
    const QByteArray reply = talk(request("/v1/messages", "X-Script: early\r\n", QByteArray(20'000'000, 'b')));
    QVERIFY2(reply.startsWith("HTTP/1.1 413 ") && reply.endsWith("{\"too\":\"big\"}"), reply.constData());
}

void TestGateway::saysWhenNothingIsConfigured_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<bool>("isMessages");
    QTest::newRow("chat") << QByteArray("/v1/chat/completions") << false;
    QTest::newRow("messages") << QByteArray("/v1/messages") << true;
}

void TestGateway::saysWhenNothingIsConfigured()
{
    QFETCH(QByteArray, path);
    QFETCH(bool, isMessages);
    open(std::nullopt);
    const QByteArray reply = talk(request(path, ""));
    QVERIFY(reply.startsWith("HTTP/1.1 503 "));
    QVERIFY(reply.contains("X-Cocoonbox-Reason: MODELS_NOT_CONFIGURED\r\n"));
    const QJsonObject body = QJsonDocument::fromJson(reply.sliced(reply.indexOf("\r\n\r\n") + 4)).object();
    QCOMPARE(body["type"].toString(), isMessages ? "error" : "");
    QCOMPARE(body["error"]["type"].toString(), isMessages ? "api_error" : "server_error");
    QVERIFY(body["error"]["message"].toString().contains("models.base-url"));
}

void TestGateway::saysWhenTheUpstreamIsNotThere()
{
    m_upstream.reset();
    const QByteArray reply = talk(request("/v1/messages", ""));
    QVERIFY(reply.startsWith("HTTP/1.1 502 "));
    QVERIFY(reply.contains("X-Cocoonbox-Reason: UPSTREAM_UNREACHABLE\r\n"));
}

void TestGateway::saysWhenTheUpstreamIsSilent()
{
    const QByteArray reply = talk(request("/v1/messages", "X-Script: silent\r\n"));
    QVERIFY2(reply.startsWith("HTTP/1.1 504 "), reply.constData());
    QVERIFY(reply.contains("UPSTREAM_HEAD_TIMEOUT"));
    QTRY_VERIFY(m_script.clientIsGone);
}

void TestGateway::refusesOtherRoutes()
{
    QVERIFY(talk(request("/v1/files", "")).startsWith("HTTP/1.1 404 "));
    QVERIFY(talk(request("/v1/messages/../files", "")).startsWith("HTTP/1.1 404 "));
    QVERIFY(talk(request("/v1/models", "")).startsWith("HTTP/1.1 405 "));
    QVERIFY(talk("GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startsWith("HTTP/1.1 200 "));
    QCOMPARE(m_script.target, "/prefix/v1/models");
}

void TestGateway::cutsWhenTheUpstreamCuts()
{
    const QByteArray reply = talk(request("/v1/messages", "X-Script: cut\r\n"));
    QVERIFY(reply.startsWith("HTTP/1.1 200 "));
    QVERIFY2(!reply.endsWith("0\r\n\r\n"), "a cut reply must not look complete");
}

void TestGateway::closesTheUpstreamWhenTheClientGoes()
{
    auto c = client();
    c->send(request("/v1/messages", "X-Script: flood\r\n"));
    QTRY_VERIFY(c->received.size() > 1'000'000);
    c.reset();
    QTRY_VERIFY_WITH_TIMEOUT(m_script.clientIsGone, 1'000);
}

void TestGateway::closesASilentUpstreamWhenTheClientGoes()
{
    auto c = client();
    c->send(request("/v1/messages", "X-Script: silent\r\n"));
    QTRY_VERIFY(m_script.headers.contains("X-Script") && m_script.bodyBytes == 2);
    c.reset();
    QTRY_VERIFY_WITH_TIMEOUT(m_script.clientIsGone, 500);
}

void TestGateway::holdsTheUpstreamBack()
{
    const auto c = client();
    c->stopReading();
    c->send(request("/v1/messages", "X-Script: flood\r\n"));
    qint64 before = -1;
    QTRY_VERIFY(std::exchange(before, m_script.sent) == m_script.sent && m_script.sent > 0);
    QVERIFY(!QTest::qWaitFor([&] { return m_script.sent > before + 1'000'000; }, 300));
    QVERIFY2(m_script.sent < 24'000'000, "what the client does not take must not pile up here");
    c->startReading();
    QTRY_VERIFY(m_script.sent > before + 4'000'000);
}

void TestGateway::refusesABodyOverTheLimit()
{
    const auto c = client();
    c->send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 33554433\r\n\r\n");
    QTRY_VERIFY(c->received.startsWith("HTTP/1.1 413 "));
    QVERIFY(m_script.target.isEmpty());
    const auto chunked = client();
    chunked->send("POST /v1/messages HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 40; ++i)
        chunked->send("100000\r\n" + QByteArray(0x100000, 'c') + "\r\n");
    QTRY_VERIFY_WITH_TIMEOUT(chunked->received.startsWith("HTTP/1.1 413 "), 10'000);
}

void TestGateway::readsConfiguration_data()
{
    QTest::addColumn<QString>("url");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QByteArray>("prefix");
    QTest::newRow("https") << "https://api.example.com" << "api.example.com" << 443 << QByteArray();
    QTest::newRow("v1") << "https://api.example.com/v1/" << "api.example.com" << 443 << QByteArray();
    QTest::newRow("prefix") << "http://127.0.0.1:8080/openai" << "127.0.0.1" << 8080 << QByteArray("/openai");
    QTest::newRow("prefix and v1") << "http://[::1]/a/b/v1" << "::1" << 80 << QByteArray("/a/b");
}

void TestGateway::readsConfiguration()
{
    QFETCH(QString, url);
    QFETCH(QString, host);
    QFETCH(int, port);
    QFETCH(QByteArray, prefix);
    const auto upstream = Upstream::create(url, m_dir.filePath("key"));
    QVERIFY(upstream);
    QCOMPARE(upstream->host, host);
    QCOMPARE(upstream->port, quint16(port));
    QCOMPARE(upstream->pathPrefix, prefix);
    QCOMPARE(upstream->key.reveal("test"), "sk-real-key");
}

void TestGateway::refusesABadConfiguration()
{
    for (const char* url :
         {"ftp://x", "api.example.com", "https://", "https://u:p@x", "https://x?a=b", "https://x#f"}) {
        const auto upstream = Upstream::create(QLatin1StringView(url), {});
        QVERIFY2(!upstream, url);
        QCOMPARE(upstream.error().reason, "MODELS_BASE_URL_INVALID");
    }
    const auto noKey = Upstream::create("https://x", m_dir.filePath("missing"));
    QVERIFY(!noKey);
    QCOMPARE(noKey.error().reason, "MODELS_KEY_UNREADABLE");
    QFile key(m_dir.filePath("odd-key"));
    QVERIFY(key.open(QIODevice::WriteOnly) && key.write("two words\n") > 0);
    key.close();
    QVERIFY(!Upstream::create("https://x", m_dir.filePath("odd-key")));
}

// A server whose certificate nobody signed never gets the key.
void TestGateway::checksCertificates()
{
    QProcess make;
    make.start("openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                           "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                           m_dir.filePath("tls.key"), "-out", m_dir.filePath("tls.crt")});
    QVERIFY(make.waitForFinished(20'000) && make.exitCode() == 0);
    quint16 port = 0;
    {
        const auto probe = net::listenTcp("127.0.0.1", 0);
        port = *net::localPort(probe->get());
    }
    QProcess server;
    server.start("openssl", {"s_server", "-accept", QStringLiteral("127.0.0.1:%1").arg(port), "-key",
                             m_dir.filePath("tls.key"), "-cert", m_dir.filePath("tls.crt"), "-quiet"});
    QVERIFY(server.waitForStarted());
    QTRY_VERIFY(QCoro::waitFor(net::connectTcp("127.0.0.1", port, 1s)));
    auto upstream = Upstream::create(QStringLiteral("https://127.0.0.1:%1").arg(port), m_dir.filePath("key"));
    open(*std::move(upstream));
    const QByteArray reply = talk(request("/v1/messages", ""));
    QVERIFY2(reply.startsWith("HTTP/1.1 502 "), reply.constData());
    QVERIFY(!server.readAllStandardOutput().contains("sk-real-key"));
    server.kill();
    server.waitForFinished();
}

QTEST_GUILESS_MAIN(TestGateway)
#include "tst_gateway.moc"
