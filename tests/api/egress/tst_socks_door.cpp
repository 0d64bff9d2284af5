// SPDX-License-Identifier: AGPL-3.0-only
// A box's SOCKS5 door: what it grants, what it refuses and how, a handshake in any pieces.
#include "tests/api/egress/door_rig.h"

#include <QtEndian>
#include <QTest>

using namespace cocoonbox;
using api::egress::Policy;
using testing::DoorRig;
using testing::Origin;

namespace {

QByteArray bytes(std::initializer_list<int> values)
{
    QByteArray out;
    for (const int value : values)
        out += static_cast<char>(value);
    return out;
}

const QByteArray kGreeting = bytes({5, 1, 0});
const QByteArray kAgreed = bytes({5, 0});

QByteArray portBytes(quint16 port)
{
    return bytes({port >> 8, port & 0xff});
}

QByteArray toLocal(quint16 port)
{
    return bytes({5, 1, 0, 1, 127, 0, 0, 1}) + portBytes(port);
}

QByteArray toName(const QByteArray& name, quint16 port)
{
    return bytes({5, 1, 0, 3, static_cast<int>(name.size())}) + name + portBytes(port);
}

QByteArray reply(int code)
{
    return bytes({5, code, 0, 1, 0, 0, 0, 0, 0, 0});
}

} // namespace

class TestSocksDoor : public QObject {
    Q_OBJECT
private slots:
    void answers_data();
    void answers();
    void tunnelsInWhateverPieces();
    void takesNamesAndRecordsIt();
    void deniesWhatThePolicyDoes();
    void isShutWhereThePolicyDoesNotOpenIt();
    void endsTunnelsAndHandshakesWithTheDoor();
};

void TestSocksDoor::answers_data()
{
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<QByteArray>("hears");
    const auto row = [](const char* name, const QByteArray& says, const QByteArray& hears) {
        QTest::newRow(name) << says << hears;
    };
    row("only a password", bytes({5, 1, 2}), bytes({5, 0xff}));
    row("BIND", kGreeting + bytes({5, 2, 0, 1, 1, 1, 1, 1, 0, 80}), kAgreed + reply(7));
    row("UDP ASSOCIATE", kGreeting + bytes({5, 3, 0, 1, 1, 1, 1, 1, 0, 80}), kAgreed + reply(7));
    row("another kind of address", kGreeting + bytes({5, 1, 0, 9, 1, 1}), kAgreed + reply(8));
    row("another kind of address, and BIND", kGreeting + bytes({5, 2, 0, 9, 1, 1}), kAgreed + reply(8));
    row("a name of no letters", kGreeting + bytes({5, 1, 0, 3, 0, 0, 80}), kAgreed + reply(1));
    row("port 0", kGreeting + toName("allowed.example", 0), kAgreed + reply(2));
    row("a host without a rule", kGreeting + toName("evil.example", 443), kAgreed + reply(2));
    row("a port without a rule", kGreeting + toName("allowed.example", 143), kAgreed + reply(2));
    row("SOCKS4", bytes({4, 1, 1, 0xbb, 127, 0, 0, 1, 0}), bytes({0, 0x5b, 0, 0, 0, 0, 0, 0}));
    row("HTTP", "GET / HTTP/1.1\r\n\r\n", {});
    row("not SOCKS after the greeting", kGreeting + "GET /", kAgreed);
}

void TestSocksDoor::answers()
{
    QFETCH(QByteArray, says);
    QFETCH(QByteArray, hears);
    const DoorRig rig(Policy({{"allowed", "allowed.example", {}, {993}}}, true));
    for (const bool whole : {true, false}) {
        const auto client = rig.client("socks.sock");
        QVERIFY(client);
        if (whole) client->send(says);
        for (qsizetype i = 0; !whole && i < says.size(); ++i)
            client->send(says.sliced(i, 1));
        QTRY_VERIFY(client->hasEnded || client->isBroken);
        QCOMPARE(client->received, hears);
    }
}

void TestSocksDoor::tunnelsInWhateverPieces()
{
    const DoorRig rig(Policy({{"local", "127.0.0.1", {}, {}}}, true));
    for (const bool whole : {true, false}) {
        Origin origin;
        const auto client = rig.client("socks.sock");
        const QByteArray says = kGreeting + toLocal(origin.serverPort()) + "early bird";
        if (whole) client->send(says);
        for (qsizetype i = 0; !whole && i < says.size(); ++i)
            client->send(says.sliced(i, 1));
        QTRY_COMPARE(origin.received(), "early bird");
        origin.peer()->send("welcome");
        QTRY_COMPARE(client->received, kAgreed + reply(0) + "welcome");
        client->finishWriting();
        QTRY_VERIFY(origin.hasEnded());
        origin.peer()->send("!");
        QTRY_VERIFY(client->received.endsWith("welcome!"));
    }
}

void TestSocksDoor::takesNamesAndRecordsIt()
{
    const DoorRig rig(Policy({{"name", "localhost", {"CONNECT"}, {}}}, true));
    Origin origin;
    const auto client = rig.client("socks.sock");
    client->send(kGreeting + toName("localhost", origin.serverPort()));
    QTRY_COMPARE(client->received, kAgreed + reply(0));
    client->send("12345");
    QTRY_COMPARE(origin.received(), "12345");
    client->close();
    origin.peer()->close();
    QTRY_COMPARE(rig.audited().size(), 2);
    QCOMPARE(rig.audited().at(0)["method"].toString(), "SOCKS5");
    QCOMPARE(rig.audited().at(0)["host"].toString(), "localhost");
    QCOMPARE(rig.audited().at(0)["address"].toString(), "127.0.0.1");
    QCOMPARE(rig.audited().at(1)["sent_bytes"].toInt(), 5);
}

void TestSocksDoor::deniesWhatThePolicyDoes()
{
    const DoorRig rig(Policy({{"read", "127.0.0.1", {"GET"}, {}}}, true));
    Origin origin;
    const auto client = rig.client("socks.sock");
    client->send(kGreeting + toLocal(origin.serverPort()));
    QTRY_COMPARE(client->received, kAgreed + reply(2));
    const DoorRig blocked(Policy({{"any", "*", {}, {}}}, true), {});
    const auto second = blocked.client("socks.sock");
    second->send(kGreeting + toLocal(origin.serverPort()));
    QTRY_COMPARE(second->received, kAgreed + reply(2));
    QCOMPARE(origin.accepted(), 0);
    const quint16 nobody = Origin().serverPort();
    const DoorRig open(Policy({{"any", "*", {}, {}}}, true));
    const auto third = open.client("socks.sock");
    third->send(kGreeting + toLocal(nobody));
    QTRY_COMPARE(third->received, kAgreed + reply(4));
}

void TestSocksDoor::isShutWhereThePolicyDoesNotOpenIt()
{
    const DoorRig rig(Policy({{"any", "*", {}, {}}}, false));
    Origin origin;
    const auto client = rig.client("socks.sock");
    client->send(kGreeting + toLocal(origin.serverPort()));
    QTRY_COMPARE(client->received, kAgreed + reply(2));
    QCOMPARE(origin.accepted(), 0);
}

void TestSocksDoor::endsTunnelsAndHandshakesWithTheDoor()
{
    const DoorRig rig(Policy({{"any", "*", {}, {}}}, true));
    Origin origin;
    const auto tunnel = rig.client("socks.sock");
    tunnel->send(kGreeting + toLocal(origin.serverPort()));
    QTRY_COMPARE(tunnel->received, kAgreed + reply(0));
    const auto half = rig.client("socks.sock");
    half->send(kGreeting);
    QTRY_COMPARE(half->received, kAgreed);
    rig.doors->closeDoor("box_1");
    QTRY_VERIFY(tunnel->hasEnded || tunnel->isBroken);
    QTRY_VERIFY(half->hasEnded || half->isBroken);
    QTRY_VERIFY(origin.hasEnded());
    QTRY_COMPARE(rig.audited().size(), 2);
}

QTEST_GUILESS_MAIN(TestSocksDoor)
#include "tst_socks_door.moc"
