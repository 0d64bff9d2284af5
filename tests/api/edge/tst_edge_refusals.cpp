// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/gate.h"
#include "common/net/unix_socket.h"
#include "common/rpc/channel.h"
#include "tests/api/edge/edge_fixture.h"

#include <QCoroTask>
#include <QTcpSocket>
#include <QTest>
#include <QUrl>
#include <thread>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace std::chrono_literals;

using Metadata = EdgeFixture::Metadata;

class TestEdgeRefusals : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void pathsGoWhereTheyBelong_data();
    void pathsGoWhereTheyBelong();
    void eachRefusalHasItsOwnReason_data();
    void eachRefusalHasItsOwnReason();
    void unknownMethodOfTheApiIsUnimplemented();
    void messageOver4MiBIsRefusedUpwards();
    void messageOver4MiBIsRefusedDownwards();
    void metadataOver16KiBIsRefused();
    void streamsPerUserAreLimited();
    void deadAgentIsToldWithinTheDialLimit();
    void agentThatStartsLateIsWaitedFor();
    void boxThatDiesMidStreamIsToldAtOnce();
    void boxThatStandsStillIsGivenUp();
    void boxThatIsOnlyQuietIsKept();
    void clientThatSaysNothingIsCutOff();
    void agentThatRestartsServesTheNextCall();
    void stopEndsLiveCalls();
    void stopIsQuickWhenNothingIsLive();
    void plaintextToTheWorldIsRefused();
    void takenAddressIsTold();
    void nonsenseIsCutOff();

private:
    std::unique_ptr<EdgeFixture> m_fixture;
};

void TestEdgeRefusals::init()
{
    m_fixture = std::make_unique<EdgeFixture>();
    api::edge::EdgeOptions options;
    options.dialLimit = 700ms;
    options.streamsPerUser = 20;
    m_fixture->startEdge(options);
}

void TestEdgeRefusals::cleanup()
{
    m_fixture.reset();
}

void TestEdgeRefusals::pathsGoWhereTheyBelong_data()
{
    using api::edge::Destination;
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<int>("destination");
    const auto row = [](const char* path, Destination destination) {
        QTest::newRow(path) << QByteArray(path) << static_cast<int>(destination);
    };
    row("/cocoonbox.agent.v1.Agents/Send", Destination::Agent);
    row("/cocoonbox.agent.v1.Session/Screen", Destination::Screen);
    row("/cocoonbox.agent.v1.Session/Events", Destination::Agent);
    row("/cocoonbox.agent.v1.State/Save", Destination::Private);
    row("/cocoonbox.agent.v1.State", Destination::Private);
    row("/cocoonbox.agent.v1.RoutineControl/Run", Destination::Private);
    row("/cocoonbox.agent.v1.StateOfMind/Ask", Destination::Agent);
    row("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Destination::Private);
    row("/cocoonbox.agent.v2.Agents/Send", Destination::Control);
    row("/cocoonbox.control.v1.Boxes/Get", Destination::Control);
    row("cocoonbox.agent.v1.State/Save", Destination::Control);
    row("", Destination::Control);
}

void TestEdgeRefusals::pathsGoWhereTheyBelong()
{
    QFETCH(QByteArray, path);
    QFETCH(int, destination);
    QCOMPARE(static_cast<int>(api::edge::destinationOf(path.toStdString())), destination);
}

void TestEdgeRefusals::eachRefusalHasItsOwnReason_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("authorization");
    QTest::addColumn<QByteArray>("box");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("reason");
    const QByteArray echo = QByteArray::fromStdString(kTestService + "Echo");
    const QByteArray ann = "Bearer token-ann";
    const auto row = [](const char* name, const QByteArray& path, const QByteArray& authorization,
                        const QByteArray& box, grpc::StatusCode code, const char* reason) {
        QTest::newRow(name) << path << authorization << box << static_cast<int>(code) << QString::fromLatin1(reason);
    };
    using enum grpc::StatusCode;
    row("no token", echo, "", "box_ann", UNAUTHENTICATED, "TOKEN_MISSING");
    row("unknown token", echo, "Bearer nobody", "box_ann", UNAUTHENTICATED, "TOKEN_UNKNOWN");
    row("no box", echo, ann, "", INVALID_ARGUMENT, "BOX_MISSING");
    row("unknown box", echo, ann, "box_none", NOT_FOUND, "BOX_UNKNOWN");
    row("another user's box", echo, "Bearer token-ben", "box_ann", NOT_FOUND, "BOX_UNKNOWN");
    row("sleeping box", echo, ann, "box_asleep", FAILED_PRECONDITION, "BOX_ASLEEP");
    row("state", "/cocoonbox.agent.v1.State/Save", ann, "box_ann", PERMISSION_DENIED, "SERVICE_PRIVATE");
    row("routines", "/cocoonbox.agent.v1.RoutineControl/Run", ann, "box_ann", PERMISSION_DENIED, "SERVICE_PRIVATE");
    row("reflection", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", ann, "box_ann", PERMISSION_DENIED,
        "SERVICE_PRIVATE");
    row("private without token", "/cocoonbox.agent.v1.State/Save", "", "box_ann", UNAUTHENTICATED, "TOKEN_MISSING");
}

void TestEdgeRefusals::eachRefusalHasItsOwnReason()
{
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, authorization);
    QFETCH(QByteArray, box);
    QFETCH(int, code);
    QFETCH(QString, reason);
    Metadata metadata;
    if (!authorization.isEmpty()) metadata.emplace("authorization", authorization.toStdString());
    if (!box.isEmpty()) metadata.emplace("x-cocoonbox-box", box.toStdString());
    const auto outcome = m_fixture->outcomeOf(path.toStdString(), metadata);
    QCOMPARE(static_cast<int>(outcome.code), code);
    QCOMPARE(outcome.reason, reason);
    QVERIFY(outcome.message.size() > 10);
    QVERIFY(outcome.time < 500ms);
    QCOMPARE(m_fixture->boxes.dials(), 0);
}

void TestEdgeRefusals::unknownMethodOfTheApiIsUnimplemented()
{
    const auto outcome = m_fixture->outcomeOf("/some.other.v1.Service/Method", EdgeFixture::ann());
    QCOMPARE(outcome.code, grpc::StatusCode::UNIMPLEMENTED);
}

void TestEdgeRefusals::messageOver4MiBIsRefusedUpwards()
{
    const auto call = m_fixture->call("Upper");
    call->write(std::string((4 << 20) + 1, 'x'));
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    QCOMPARE(call->reason(), "MESSAGE_TOO_LARGE");
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRefusals::messageOver4MiBIsRefusedDownwards()
{
    const auto call = m_fixture->call("Big");
    QVERIFY(!call->read());
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRefusals::metadataOver16KiBIsRefused()
{
    auto metadata = EdgeFixture::ann();
    metadata.emplace("x-large", std::string(20'000, 'x'));
    const auto outcome = m_fixture->outcomeOf(kTestService + "Echo", metadata);
    QCOMPARE(outcome.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
    QCOMPARE(m_fixture->agent.openCalls(), 0);
}

void TestEdgeRefusals::streamsPerUserAreLimited()
{
    std::vector<std::unique_ptr<RawCall>> calls;
    for (int i = 0; i < 20; ++i) {
        calls.push_back(m_fixture->call("Hold"));
        QVERIFY(calls.back()->readHeaders());
    }
    const auto outcome = m_fixture->outcomeOf(kTestService + "Echo", EdgeFixture::ann());
    QCOMPARE(outcome.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
    QCOMPARE(outcome.reason, "STREAM_LIMIT");
    calls.clear();
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
}

void TestEdgeRefusals::deadAgentIsToldWithinTheDialLimit()
{
    const auto outcome = m_fixture->outcomeOf(kTestService + "Echo", EdgeFixture::ann("box_down"));
    QCOMPARE(outcome.code, grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(outcome.reason, "AGENT_UNREACHABLE");
    QVERIFY(outcome.time < 1500ms);
}

void TestEdgeRefusals::agentThatStartsLateIsWaitedFor()
{
    m_fixture->agent.stop();
    std::jthread starter([this] {
        std::this_thread::sleep_for(250ms);
        m_fixture->agent.start();
    });
    const auto call = m_fixture->call("Echo");
    call->write("patience");
    QCOMPARE(call->read(), "patience");
}

void TestEdgeRefusals::boxThatDiesMidStreamIsToldAtOnce()
{
    const auto call = m_fixture->call("Echo");
    call->write("x");
    QVERIFY(call->read());
    const auto start = std::chrono::steady_clock::now();
    m_fixture->boxes.cut();
    QVERIFY(!call->read());
    const grpc::Status status = call->finish();
    QCOMPARE(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(call->reason(), "BOX_LOST");
    QVERIFY(std::chrono::steady_clock::now() - start < 500ms);
}

void TestEdgeRefusals::boxThatStandsStillIsGivenUp()
{
    // It takes the connection, as the kernel does for a stopped program, and never says a word.
    const QString path = m_fixture->folder.filePath("frozen");
    const auto listener = net::listenUnix(path);
    QVERIFY(listener);
    m_fixture->boxes.add("box_frozen", "usr_ann", path, {});
    api::edge::EdgeOptions options;
    options.boxSilenceMax = 300ms;
    m_fixture->startEdge(options);
    const auto outcome = m_fixture->outcomeOf(kTestService + "Echo", EdgeFixture::ann("box_frozen"));
    QCOMPARE(outcome.code, grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(outcome.reason, "BOX_LOST");
    QVERIFY(outcome.time >= 300ms && outcome.time < 1500ms);
}

void TestEdgeRefusals::boxThatIsOnlyQuietIsKept()
{
    api::edge::EdgeOptions options;
    options.boxSilenceMax = 300ms;
    m_fixture->startEdge(options);
    const auto call = m_fixture->call("Echo");
    call->write("hello");
    QCOMPARE(call->read(), "hello");
    QTest::qWait(1000); // three times the limit: its HTTP/2 answers the pings
    call->write("still here");
    QCOMPARE(call->read(), "still here");
}

void TestEdgeRefusals::clientThatSaysNothingIsCutOff()
{
    api::edge::EdgeOptions options;
    options.greetingLimit = 200ms;
    m_fixture->startEdge(options);
    QTcpSocket socket;
    socket.connectToHost("127.0.0.1", static_cast<quint16>(m_fixture->edge->port()));
    QVERIFY(socket.waitForConnected(2000));
    QVERIFY(socket.waitForDisconnected(2000) || socket.state() == QAbstractSocket::UnconnectedState);
}

void TestEdgeRefusals::agentThatRestartsServesTheNextCall()
{
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
    const auto open = m_fixture->call("Hold");
    QVERIFY(open->readHeaders());
    m_fixture->agent.stop();
    QVERIFY(!open->finish().ok());
    m_fixture->agent.start();
    for (int i = 0; i < 3; ++i)
        QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
}

void TestEdgeRefusals::stopEndsLiveCalls()
{
    const auto call = m_fixture->call("Hold");
    QVERIFY(call->readHeaders());
    QCoro::waitFor(m_fixture->edge->stop(200ms));
    const grpc::Status status = call->finish();
    QCOMPARE(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(call->reason(), "API_STOPPING");
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRefusals::stopIsQuickWhenNothingIsLive()
{
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
    const auto start = std::chrono::steady_clock::now();
    QCoro::waitFor(m_fixture->edge->stop(10s));
    QVERIFY(std::chrono::steady_clock::now() - start < 2s);
}

void TestEdgeRefusals::plaintextToTheWorldIsRefused()
{
    api::edge::EdgeOptions options;
    options.address = "0.0.0.0:0";
    const auto refused =
        api::edge::Edge::start(options, m_fixture->tokens, m_fixture->boxes, m_fixture->key, m_fixture->clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "PLAINTEXT_REFUSED");
}

void TestEdgeRefusals::takenAddressIsTold()
{
    api::edge::EdgeOptions options;
    options.address = QStringLiteral("127.0.0.1:%1").arg(m_fixture->edge->port());
    const auto refused =
        api::edge::Edge::start(options, m_fixture->tokens, m_fixture->boxes, m_fixture->key, m_fixture->clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().reason, "ADDRESS_IN_USE");
}

void TestEdgeRefusals::nonsenseIsCutOff()
{
    QTcpSocket socket;
    socket.connectToHost("127.0.0.1", static_cast<quint16>(m_fixture->edge->port()));
    QVERIFY(socket.waitForConnected(2000));
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    QVERIFY(socket.waitForDisconnected(2000) || socket.state() == QAbstractSocket::UnconnectedState);
    QCOMPARE(m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann()).code, grpc::StatusCode::OK);
}

QTEST_GUILESS_MAIN(TestEdgeRefusals)
#include "tst_edge_refusals.moc"
