// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/relay/relay.h"
#include "common/net/http/server.h"
#include "common/net/tcp_socket.h"
#include "common/net/unix_socket.h"
#include "tests/support/raw_client.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace std::chrono_literals;
using agent::relay::Relay;
using testing::RawClient;

namespace {

// A door that says what it was asked for.
QCoro::Task<void> answerDoor(std::shared_ptr<net::http::Exchange> exchange)
{
    const Result<QByteArray> body = co_await exchange->body();
    if (body) exchange->reply(200, "text/plain", exchange->head().target + ' ' + *body);
}

std::unique_ptr<net::http::Server> openDoor(const QString& path)
{
    auto listener = net::listenUnix(path);
    if (!listener) return nullptr;
    net::http::ServerOptions options;
    options.handler = [](std::shared_ptr<net::http::Exchange> exchange) { return answerDoor(std::move(exchange)); };
    options.bodyBytesMax = [](const net::http::RequestHead&) { return 1000; };
    return std::make_unique<net::http::Server>(*std::move(listener), std::move(options));
}

} // namespace

class TestRelay : public QObject {
    Q_OBJECT
private slots:
    void init();
    void leadsToTheDoor();
    void servesCurlAsAProxy();
    void outlivesARestartOfTheHost();
    void closesWhenNoDoorAnswers();
    void neverFollowsALink();
    void letsOnlySoManyIn();

private:
    std::unique_ptr<RawClient> client() const;
    QByteArray ask(const QByteArray& target) const;
    void start(int liveMax = 256);

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Relay> m_relay;
};

void TestRelay::init()
{
    m_relay.reset();
    m_dir = std::make_unique<QTemporaryDir>();
    start();
}

void TestRelay::start(int liveMax)
{
    auto relay = Relay::start({m_dir->path(), {{0, "http.sock"}, {0, "socks.sock"}}, liveMax, 600ms});
    QVERIFY(relay);
    m_relay = *std::move(relay);
}

std::unique_ptr<RawClient> TestRelay::client() const
{
    return std::make_unique<RawClient>(std::move(**QCoro::waitFor(net::connectTcp("127.0.0.1", m_relay->port(0), 2s))));
}

QByteArray TestRelay::ask(const QByteArray& target) const
{
    const auto c = client();
    c->send("GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    (void)QTest::qWaitFor([&c] { return c->hasEnded || c->isBroken; }, 5000);
    return c->received;
}

void TestRelay::leadsToTheDoor()
{
    const auto door = openDoor(m_dir->filePath("http.sock"));
    QVERIFY(door);
    QVERIFY(ask("http://models/x").endsWith("http://models/x "));
    QTRY_COMPARE(m_relay->liveCount(), 0);
}

void TestRelay::servesCurlAsAProxy()
{
    const auto door = openDoor(m_dir->filePath("http.sock"));
    QProcess curl;
    curl.start("curl", {"-sS", "--max-time", "5", "-x", QStringLiteral("http://127.0.0.1:%1").arg(m_relay->port(0)),
                        "-d", "body", "http://models.cocoonbox.internal/v1/x"});
    QTRY_COMPARE(curl.state(), QProcess::NotRunning);
    QCOMPARE(curl.readAllStandardOutput(), "http://models.cocoonbox.internal/v1/x body");
}

void TestRelay::outlivesARestartOfTheHost()
{
    auto door = openDoor(m_dir->filePath("http.sock"));
    QVERIFY(ask("/1").endsWith("/1 "));
    door.reset();
    // Asked while nobody is there: the connection waits for the door.
    const auto c = client();
    c->send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_COMPARE(m_relay->liveCount(), 1);
    door = openDoor(m_dir->filePath("http.sock"));
    QTRY_VERIFY(c->received.endsWith("/2 "));
}

void TestRelay::closesWhenNoDoorAnswers()
{
    const auto c = client();
    QTRY_VERIFY(c->hasEnded || c->isBroken);
    QTRY_COMPARE(m_relay->liveCount(), 0);
}

void TestRelay::neverFollowsALink()
{
    QTemporaryDir elsewhere;
    const auto door = openDoor(elsewhere.filePath("secret.sock"));
    QVERIFY(QFile::link(elsewhere.filePath("secret.sock"), m_dir->filePath("http.sock")));
    QCOMPARE(ask("/x"), "");
}

void TestRelay::letsOnlySoManyIn()
{
    start(4);
    const auto door = openDoor(m_dir->filePath("http.sock"));
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(client());
        clients.back()->send("GET /n HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    const auto answered = [&clients] {
        return std::ranges::count_if(clients, [](const auto& c) { return c->received.endsWith("/n "); });
    };
    QTRY_COMPARE(answered(), 4);
    QCOMPARE(m_relay->liveCount(), 4);
    for (int i = 0; i < 4; ++i)
        clients[static_cast<size_t>(i)]->close();
    QTRY_COMPARE(answered(), 8);
}

QTEST_GUILESS_MAIN(TestRelay)
#include "tst_relay.moc"
