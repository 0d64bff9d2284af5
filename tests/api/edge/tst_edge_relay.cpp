// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/credential.h"
#include "tests/api/edge/edge_fixture.h"

#include <QTest>
#include <thread>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace std::chrono_literals;

class TestEdgeRelay : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void messagesGoThereAndBack();
    void metadataTrailersAndStatusPassThrough();
    void textOfAnErrorKeepsItsLetters();
    void credentialReplacesTheToken();
    void credentialIsKeptPerWake();
    void deadlineReachesTheAgent();
    void deadlineEndsACallThatHangs();
    void cancelReachesTheAgent();
    void clientThatVanishesCancels();
    void orderHoldsOver100000Messages();
    void stalledReaderStopsTheAgent();
    void stalledAgentStopsTheClient();
    void twoHundredStreamsAtOnce();
    void largeMessagesPassUnchanged();

private:
    std::unique_ptr<EdgeFixture> m_fixture;
};

void TestEdgeRelay::init()
{
    m_fixture = std::make_unique<EdgeFixture>();
    m_fixture->startEdge();
}

void TestEdgeRelay::cleanup()
{
    m_fixture.reset();
}

void TestEdgeRelay::messagesGoThereAndBack()
{
    const auto call = m_fixture->call("Echo");
    QVERIFY(call->write("one"));
    QCOMPARE(call->read(), "one");
    QVERIFY(call->write(""));
    QCOMPARE(call->read(), "");
    call->writesDone();
    QCOMPARE(call->read(), std::nullopt);
    QVERIFY(call->finish().ok());
}

void TestEdgeRelay::metadataTrailersAndStatusPassThrough()
{
    auto metadata = EdgeFixture::ann();
    metadata.emplace("x-mine", "text");
    metadata.emplace("x-mine-bin", std::string("\0\x80\xff", 3));
    const auto call = m_fixture->call("Echo", metadata);
    call->write("x");
    QVERIFY(call->read());
    call->writesDone();
    QVERIFY(call->finish().ok());
    QCOMPARE(call->header("x-initial"), "here");
    QCOMPARE(call->header("x-initial-bin"), QByteArray("\0\xff", 2));
    QCOMPARE(call->trailer("x-test"), "trailer");
    QCOMPARE(call->trailer("x-test-bin"), QByteArray("\x01\0\xfe", 3));
    const auto seen = m_fixture->agent.lastCall().metadata;
    QCOMPARE(seen.value("x-mine"), "text");
    QCOMPARE(seen.value("x-mine-bin"), QByteArray("\0\x80\xff", 3));
}

void TestEdgeRelay::textOfAnErrorKeepsItsLetters()
{
    const auto outcome = m_fixture->outcomeOf(kTestService + "Fail", EdgeFixture::ann());
    QCOMPARE(outcome.code, grpc::StatusCode::ALREADY_EXISTS);
    QCOMPARE(outcome.reason, "TEST_FAILED");
    QCOMPARE(outcome.message, QString::fromUtf8("schon da: grün, 100 %"));
}

void TestEdgeRelay::credentialReplacesTheToken()
{
    auto metadata = EdgeFixture::ann();
    metadata.emplace("x-cocoonbox-credential", "v1.forged.forged");
    const auto call = m_fixture->call("Echo", metadata);
    call->writesDone();
    QVERIFY(call->finish().ok());
    const auto seen = m_fixture->agent.lastCall().metadata;
    QVERIFY(!seen.contains("authorization"));
    const crypto::Identity identity{"box_ann", "wake1", m_fixture->key.publicKey().keyId(), m_fixture->key.publicKey()};
    const auto verified =
        crypto::verifyCredential(seen.value("x-cocoonbox-credential"), identity, m_fixture->clock.nowMs() / 1000);
    QVERIFY2(verified, verified ? "" : qPrintable(verified.error().reason));
}

void TestEdgeRelay::credentialIsKeptPerWake()
{
    const auto credentialOfACall = [this] {
        m_fixture->outcomeOf(kTestService + "Upper", EdgeFixture::ann());
        return m_fixture->agent.lastCall().metadata.value("x-cocoonbox-credential");
    };
    const QByteArray first = credentialOfACall();
    QCOMPARE(credentialOfACall(), first);
    QCOMPARE(m_fixture->boxes.dials(), 1);
    m_fixture->boxes.wakeAgain("box_ann", "wake2");
    const QByteArray second = credentialOfACall();
    QVERIFY(second != first);
    QCOMPARE(m_fixture->boxes.dials(), 2);
}

void TestEdgeRelay::deadlineReachesTheAgent()
{
    const auto call = m_fixture->call("Echo", EdgeFixture::ann(), 5s);
    call->write("x");
    QVERIFY(call->read());
    const auto left = m_fixture->agent.lastCall().deadline - std::chrono::system_clock::now();
    QVERIFY(left > 3s && left <= 5s);
}

void TestEdgeRelay::deadlineEndsACallThatHangs()
{
    const auto call = m_fixture->call("Hold", EdgeFixture::ann(), 300ms);
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRelay::cancelReachesTheAgent()
{
    const auto call = m_fixture->call("Hold");
    QVERIFY(call->readHeaders());
    call->cancel();
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::CANCELLED);
    QVERIFY(eventually([this] { return m_fixture->agent.cancelledCalls() == 1; }));
}

void TestEdgeRelay::clientThatVanishesCancels()
{
    {
        const auto call = m_fixture->call("Hold");
        QVERIFY(call->readHeaders());
        m_fixture->channel.reset();
    }
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRelay::orderHoldsOver100000Messages()
{
    constexpr int kMessages = 100'000;
    constexpr int kInFlight = 256;
    const auto call = m_fixture->call("Echo");
    int sent = 0;
    for (int received = 0; received < kMessages; ++received) {
        for (; sent < kMessages && sent < received + kInFlight; ++sent)
            QVERIFY(call->write(std::to_string(sent)));
        const auto message = call->read();
        if (message != std::to_string(received))
            QFAIL(qPrintable(QStringLiteral("message %1 is out of order").arg(received)));
    }
    call->writesDone();
    QVERIFY(call->finish().ok());
}

void TestEdgeRelay::stalledReaderStopsTheAgent()
{
    const auto call = m_fixture->call("Flood");
    QVERIFY(call->read()); // and no more
    qint64 last = -1;
    while (last != m_fixture->agent.floodedBytes()) {
        last = m_fixture->agent.floodedBytes();
        std::this_thread::sleep_for(300ms);
    }
    // The windows of client and edge, the sockets between; nothing that grows with time.
    QVERIFY2(last < 24 << 20, QByteArray::number(last));
    for (int i = 0; i < 200; ++i)
        QVERIFY(call->read());
    QVERIFY(eventually([this, last] { return m_fixture->agent.floodedBytes() > last; }));
}

void TestEdgeRelay::stalledAgentStopsTheClient()
{
    const auto call = m_fixture->call("Hold");
    const std::string message(64 << 10, 'x');
    int taken = 0;
    while (taken < 1000 && call->tryWrite(message, 300ms))
        ++taken;
    QVERIFY2(taken < 300, QByteArray::number(taken));
}

void TestEdgeRelay::twoHundredStreamsAtOnce()
{
    std::vector<std::unique_ptr<RawCall>> calls;
    for (int i = 0; i < 200; ++i) {
        calls.push_back(m_fixture->call("Echo"));
        QVERIFY(calls.back()->write(std::to_string(i)));
    }
    for (int i = 0; i < 200; ++i)
        QCOMPARE(calls[static_cast<size_t>(i)]->read(), std::to_string(i));
    QCOMPARE(m_fixture->agent.openCalls(), 200);
    QCOMPARE(m_fixture->boxes.dials(), 1);
    calls.clear();
    QVERIFY(eventually([this] { return m_fixture->agent.openCalls() == 0; }));
}

void TestEdgeRelay::largeMessagesPassUnchanged()
{
    const auto call = m_fixture->call("Echo");
    for (const size_t size :
         {size_t{1}, size_t{8191}, size_t{8192}, size_t{65536}, size_t{1} << 20, (size_t{4} << 20)}) {
        std::string message(size, '\0');
        for (size_t i = 0; i < size; ++i)
            message[i] = static_cast<char>((i * 2654435761u) >> 13);
        QVERIFY(call->write(message));
        const auto echoed = call->read();
        QVERIFY(echoed == message);
    }
}

QTEST_GUILESS_MAIN(TestEdgeRelay)
#include "tst_edge_relay.moc"
