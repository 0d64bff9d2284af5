// SPDX-License-Identifier: AGPL-3.0-only
// A box's HTTP proxy against origins that the test plays: tunnels, forwarded requests, refusals, and what the audit has
// of them.
#include "api/egress/http_door.h"
#include "tests/api/egress/door_rig.h"

#include <QTest>

using namespace cocoonbox;
using namespace std::chrono_literals;
using api::egress::connectDestination;
using api::egress::Policy;
using testing::DoorRig;
using testing::Origin;
using testing::RawClient;

namespace {

const Policy kLocal({{"local", "127.0.0.1", {}, {}}}, true);
constexpr char kGranted[] = "HTTP/1.1 200 Connection Established\r\n\r\n";

// A tunnel to the origin, or nothing.
std::unique_ptr<RawClient> tunnelTo(const DoorRig& rig, const Origin& origin)
{
    auto client = rig.client("http.sock");
    client->send("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    if (!QTest::qWaitFor([&] { return client->received == kGranted && origin.peer(); })) return nullptr;
    return client;
}

QByteArray forwarded(const Origin& origin, const QByteArray& method, const QByteArray& rest)
{
    return method + " http://127.0.0.1:" + origin.port() + "/a?b=1 HTTP/1.1\r\nHost: elsewhere\r\n" + rest;
}

} // namespace

class TestHttpDoor : public QObject {
    Q_OBJECT
private slots:
    void readsAuthorities_data();
    void readsAuthorities();
    void tunnelsBothWaysAndRecordsIt();
    void passesOnWhatCameTooEarly();
    void passesHalfClosesOn();
    void endsTunnelsWithTheDoor();
    void forwardsARequestAsAClient();
    void forwardsABodyAsItComes();
    void forwardsMoreThanAModelWouldTake();
    void streamsAReplyAsItComes();
    void cutsAReplyThatTheOriginCut();
    void deniesWhatNoRuleAllows_data();
    void deniesWhatNoRuleAllows();
    void neverReachesABlockedAddress();
    void tellsOfAnOriginThatIsNotThere();
    void followsThePolicyAndKeepsOpenTunnels();
    void letsOnlySoManyInAndTheRestWait();
};

void TestHttpDoor::readsAuthorities_data()
{
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<int>("port");
    const auto row = [](const char* authority, const char* host, int port) {
        QTest::newRow(authority) << QByteArray(host) << port;
    };
    row("a.example", "a.example", 443);
    row("a.example:8443", "a.example", 8443);
    row("[2606:4700::1]", "2606:4700::1", 443);
    row("[2606:4700::1]:22", "2606:4700::1", 22);
    for (const char* malformed :
         {"", ":443", "a:", "a:0", "a:99999", "a:+8443", "a:443:8443", "a: 443", "[::1", "[a]:1", "::1]", "[]:1",
          "[::1]x", "[::1]:", "2606:4700::1", "[1.2.3.4]:1", "[fe80::1%1]:1"})
        QTest::newRow(malformed) << QByteArray() << 0;
}

void TestHttpDoor::readsAuthorities()
{
    QFETCH(QByteArray, host);
    QFETCH(int, port);
    const auto destination = connectDestination(QTest::currentDataTag());
    QCOMPARE(destination.port, port);
    if (port != 0) QCOMPARE(destination.host, host);
}

void TestHttpDoor::tunnelsBothWaysAndRecordsIt()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = tunnelTo(rig, origin);
    QVERIFY(client);
    client->send("hello");
    QTRY_COMPARE(origin.received(), "hello");
    origin.peer()->send("welcome");
    QTRY_COMPARE(client->received, QByteArray(kGranted) + "welcome");
    QCOMPARE(rig.audited().size(), 1);
    client->close();
    origin.peer()->close();
    QTRY_COMPARE(rig.audited().size(), 2);
    const QJsonObject allowed = rig.audited().at(0);
    QCOMPARE(allowed["decision"].toString(), "allow");
    QCOMPARE(allowed["box"].toString(), "box_1");
    QCOMPARE(allowed["user"].toString(), "usr_1");
    QCOMPARE(allowed["host"].toString(), "127.0.0.1");
    QCOMPARE(allowed["port"].toInt(), int(origin.serverPort()));
    QCOMPARE(allowed["method"].toString(), "CONNECT");
    QCOMPARE(allowed["rule"].toString(), "local");
    QCOMPARE(allowed["address"].toString(), "127.0.0.1");
    const QJsonObject ended = rig.audited().at(1);
    QCOMPARE(ended["decision"].toString(), "end");
    QCOMPARE(ended["number"], allowed["number"]);
    QCOMPARE(ended["sent_bytes"].toInt(), 5);
    QCOMPARE(ended["received_bytes"].toInt(), 7);
}

void TestHttpDoor::passesOnWhatCameTooEarly()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    client->send("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\nearly bird");
    QTRY_COMPARE(origin.received(), "early bird");
    QCOMPARE(client->received, kGranted);
}

void TestHttpDoor::passesHalfClosesOn()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = tunnelTo(rig, origin);
    QVERIFY(client);
    client->send("all of it");
    client->finishWriting();
    QTRY_VERIFY(origin.hasEnded());
    QCOMPARE(origin.received(), "all of it");
    origin.peer()->send("answer");
    origin.peer()->finishWriting();
    QTRY_VERIFY(client->hasEnded);
    QCOMPARE(client->received, QByteArray(kGranted) + "answer");
}

void TestHttpDoor::endsTunnelsWithTheDoor()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = tunnelTo(rig, origin);
    QVERIFY(client);
    rig.doors->closeDoor("box_1");
    QTRY_VERIFY(client->hasEnded || client->isBroken);
    QTRY_VERIFY(origin.hasEnded());
    QTRY_COMPARE(rig.audited().size(), 2);
}

void TestHttpDoor::forwardsARequestAsAClient()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    client->send(forwarded(origin, "GET",
                           "Accept: text/html\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nUpgrade: websocket\r\n"
                           "Proxy-Authorization: Basic x\r\nTE: trailers\r\n\r\n"));
    QTRY_VERIFY(origin.received().endsWith("\r\n\r\n"));
    QCOMPARE(origin.received(), "GET /a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:" + origin.port() +
                                    "\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    origin.peer()->send(
        "HTTP/1.1 302 Found\r\nLocation: /next\r\nSet-Cookie: a=b\r\nConnection: X-Back\r\nX-Back: 1\r\n"
        "Content-Length: 4\r\n\r\nbody");
    QTRY_VERIFY(client->received.endsWith("\r\n\r\nbody"));
    QVERIFY(client->received.startsWith("HTTP/1.1 302 Found\r\n"));
    QVERIFY(client->received.contains("Location: /next\r\n"));
    QVERIFY(client->received.contains("Set-Cookie: a=b\r\n"));
    QVERIFY(!client->received.contains("X-Back"));
    QTRY_COMPARE(rig.audited().size(), 2);
    QCOMPARE(rig.audited().at(0)["method"].toString(), "GET");
    QCOMPARE(rig.audited().at(1)["received_bytes"].toInt(), 4);
}

void TestHttpDoor::forwardsABodyAsItComes()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    client->send(forwarded(origin, "POST", "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"));
    QTRY_VERIFY(origin.received().endsWith("\r\n\r\n5\r\nfirst\r\n"));
    client->send("0\r\n\r\n");
    QTRY_VERIFY(origin.received().endsWith("0\r\n\r\n"));
    origin.peer()->send("HTTP/1.1 204 No Content\r\n\r\n");
    QTRY_VERIFY(client->received.startsWith("HTTP/1.1 204 "));
    QTRY_COMPARE(rig.audited().size(), 2);
    QCOMPARE(rig.audited().at(1)["sent_bytes"].toInt(), 5);
}

void TestHttpDoor::forwardsMoreThanAModelWouldTake()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    const QByteArray body(40'000'000, 'x');
    client->send(forwarded(origin, "PUT", "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n"));
    client->send(body);
    QTRY_VERIFY_WITH_TIMEOUT(origin.received().size() > body.size(), 20s);
    QVERIFY(origin.received().endsWith(body));
    const auto toModels = rig.client("http.sock");
    toModels->send(
        "POST http://models.cocoonbox.internal/v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 40000000\r\n\r\n");
    QTRY_VERIFY(toModels->received.startsWith("HTTP/1.1 413 "));
}

void TestHttpDoor::streamsAReplyAsItComes()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    client->send(forwarded(origin, "GET", "\r\n"));
    QTRY_VERIFY(origin.peer() && origin.received().endsWith("\r\n\r\n"));
    origin.peer()->send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n");
    QTRY_VERIFY(client->received.contains("data: 1\n\n"));
    origin.peer()->send("data: 2\n\n");
    QTRY_VERIFY(client->received.contains("data: 2\n\n"));
    origin.peer()->finishWriting();
    QTRY_VERIFY(client->received.endsWith("0\r\n\r\n"));
}

void TestHttpDoor::cutsAReplyThatTheOriginCut()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = rig.client("http.sock");
    client->send(forwarded(origin, "GET", "\r\n"));
    QTRY_VERIFY(origin.peer() && origin.received().endsWith("\r\n\r\n"));
    origin.peer()->send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
    QTRY_VERIFY(client->received.endsWith("only this"));
    origin.peer()->finishWriting();
    QTRY_VERIFY(client->hasEnded || client->isBroken);
}

void TestHttpDoor::deniesWhatNoRuleAllows_data()
{
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<int>("port");
    const auto row = [](const char* name, const char* request, const char* host, int port) {
        QTest::newRow(name) << QByteArray(request) + " HTTP/1.1\r\nHost: x\r\n\r\n" << QByteArray(host) << port;
    };
    row("another host", "CONNECT evil.example:443", "evil.example", 443);
    row("another port", "CONNECT only.example:8443", "only.example", 8443);
    row("by another method", "POST http://read.example/", "read.example", 80);
    row("forwarded", "GET http://evil.example:81/x", "evil.example", 81);
    row("a tunnel under a rule for GET", "CONNECT read.example:443", "read.example", 443);
    row("a port that is none", "CONNECT only.example:99999", "only.example", 0);
    row("the models by a tunnel", "CONNECT models.cocoonbox.internal:443", "models.cocoonbox.internal", 443);
    row("the models at another port", "GET http://models.cocoonbox.internal:22/", "models.cocoonbox.internal", 22);
}

void TestHttpDoor::deniesWhatNoRuleAllows()
{
    QFETCH(QByteArray, request);
    QFETCH(QByteArray, host);
    QFETCH(int, port);
    const DoorRig rig(Policy({{"only", "only.example", {}, {443}}, {"read", "read.example", {"GET"}, {}}}, true));
    const auto client = rig.client("http.sock");
    client->send(request);
    QTRY_VERIFY(client->received.contains("\r\n\r\negress denied: " + host + '\n'));
    QVERIFY(client->received.startsWith("HTTP/1.1 403 Forbidden\r\n"));
    QVERIFY(client->received.contains("X-Cocoonbox-Reason: EGRESS_DENIED\r\n"));
    QCOMPARE(rig.audited().size(), 1);
    QCOMPARE(rig.audited().at(0)["decision"].toString(), "deny");
    QCOMPARE(rig.audited().at(0)["host"].toString().toLatin1(), host);
    QCOMPARE(rig.audited().at(0)["port"].toInt(), port);
    QCOMPARE(rig.audited().at(0)["reason"].toString(), port == 0 ? "DESTINATION_MALFORMED" : "NO_RULE");
}

void TestHttpDoor::neverReachesABlockedAddress()
{
    const DoorRig rig(Policy({{"any", "*", {}, {}}}, true), {});
    Origin origin;
    for (const char* host :
         {"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433", "0177.0.0.1", "127.1"}) {
        const auto client = rig.client("http.sock");
        client->send(QByteArray("CONNECT ") + host + ':' + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\n");
        QTRY_VERIFY_WITH_TIMEOUT(!client->received.isEmpty(), 10s);
        const bool isRefused =
            client->received.startsWith("HTTP/1.1 403 ") || client->received.startsWith("HTTP/1.1 502 ");
        QVERIFY2(isRefused, (host + (' ' + client->received)).constData());
    }
    QCOMPARE(origin.accepted(), 0);
    QCOMPARE(rig.audited().at(0)["reason"].toString(), "EGRESS_ADDRESS_BLOCKED");
    QCOMPARE(rig.audited().at(0)["decision"].toString(), "deny");
}

void TestHttpDoor::tellsOfAnOriginThatIsNotThere()
{
    const DoorRig rig(kLocal);
    const QByteArray port = Origin().port();
    const auto client = rig.client("http.sock");
    client->send("CONNECT 127.0.0.1:" + port + " HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(client->received.startsWith("HTTP/1.1 502 "));
    QVERIFY(client->received.contains("egress: upstream unreachable"));
    QCOMPARE(rig.audited().at(0)["reason"].toString(), "EGRESS_UNREACHABLE");
    QCOMPARE(rig.audited().at(0)["decision"].toString(), "allow");
}

void TestHttpDoor::followsThePolicyAndKeepsOpenTunnels()
{
    const DoorRig rig(kLocal);
    Origin origin;
    const auto client = tunnelTo(rig, origin);
    QVERIFY(client);
    rig.gate->change(Policy(), {});
    const auto second = rig.client("http.sock");
    second->send("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(second->received.startsWith("HTTP/1.1 403 "));
    client->send("still here");
    QTRY_COMPARE(origin.received(), "still here");
}

void TestHttpDoor::letsOnlySoManyInAndTheRestWait()
{
    const DoorRig rig(kLocal);
    Origin origin;
    std::vector<std::unique_ptr<RawClient>> held;
    for (int i = 0; i < 256; ++i) {
        held.push_back(tunnelTo(rig, origin));
        QVERIFY(held.back());
    }
    const auto late = rig.client("http.sock");
    QVERIFY(late);
    late->send("CONNECT 127.0.0.1:" + origin.port() + " HTTP/1.1\r\nHost: x\r\n\r\n");
    QTest::qWait(200);
    QCOMPARE(late->received, QByteArray());
    rig.gate->change(Policy(), {}); // the one that waits is let in by the policy of then
    held.front()->close();
    origin.first()->close();
    QTRY_VERIFY(late->received.startsWith("HTTP/1.1 403 "));
}

QTEST_GUILESS_MAIN(TestHttpDoor)
#include "tst_http_door.moc"
