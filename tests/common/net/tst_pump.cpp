// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/pump.h"
#include "tests/support/raw_client.h"

#include <fcntl.h>
#include <QSignalSpy>
#include <QTest>
#include <sys/socket.h>

using namespace cocoonbox;
using testing::RawClient;

namespace {

// left <-> [pump] <-> right
struct Joined {
    std::unique_ptr<RawClient> left;
    std::unique_ptr<RawClient> right;
    std::unique_ptr<net::Pump> pump;

    Joined()
    {
        int a[2];
        int b[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, a) != 0 ||
            ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, b) != 0)
            qFatal("no socket pairs");
        left = std::make_unique<RawClient>(net::UniqueFd(a[0]));
        right = std::make_unique<RawClient>(net::UniqueFd(b[1]));
        pump = std::make_unique<net::Pump>(net::UniqueFd(a[1]), net::UniqueFd(b[0]));
    }
};

QByteArray pattern(qsizetype size)
{
    QByteArray bytes(size, Qt::Uninitialized);
    for (qsizetype i = 0; i < size; ++i)
        bytes[i] = static_cast<char>((i * 131) >> 3);
    return bytes;
}

} // namespace

class TestPump : public QObject {
    Q_OBJECT
private slots:
    void carriesBothWaysUnchanged();
    void passesOnAHalfCloseAndKeepsTheOtherWay();
    void holdsLittleWhenAReaderStops();
    void endsWhenASocketGoes();
    void endsWhenNothingMovesAfterAHalfClose();
    void sendsFirstWhatItWasGiven();
};

void TestPump::carriesBothWaysUnchanged()
{
    Joined j;
    const QByteArray there = pattern(5'000'000);
    const QByteArray back = pattern(3'000'001);
    j.left->send(there);
    j.right->send(back);
    QTRY_COMPARE(j.right->received.size(), there.size());
    QTRY_COMPARE(j.left->received.size(), back.size());
    QVERIFY(j.right->received == there);
    QVERIFY(j.left->received == back);
    QCOMPARE(j.pump->bytesForward(), quint64(there.size()));
    QCOMPARE(j.pump->bytesBack(), quint64(back.size()));
}

void TestPump::passesOnAHalfCloseAndKeepsTheOtherWay()
{
    Joined j;
    QSignalSpy finished(j.pump.get(), &net::Pump::finished);
    j.left->send("question");
    j.left->finishWriting();
    QTRY_VERIFY(j.right->hasEnded);
    QCOMPARE(j.right->received, "question");
    QVERIFY(!j.left->hasEnded);
    j.right->send("answer");
    QTRY_COMPARE(j.left->received, "answer");
    QCOMPARE(finished.size(), 0);
    j.right->finishWriting();
    QTRY_COMPARE(finished.size(), 1);
    QTRY_VERIFY(j.left->hasEnded);
}

void TestPump::holdsLittleWhenAReaderStops()
{
    Joined j;
    j.right->stopReading();
    const QByteArray much = pattern(20'000'000);
    j.left->send(much);
    qint64 before = -1;
    QTRY_VERIFY(std::exchange(before, j.left->unsent()) == j.left->unsent() && j.pump->bytesForward() > 0);
    QVERIFY2(much.size() - j.left->unsent() < 2'000'000, "the pump must not take what its reader does not");
    j.right->startReading();
    QTRY_COMPARE(j.right->received.size(), much.size());
    QVERIFY(j.right->received == much);
}

void TestPump::endsWhenASocketGoes()
{
    Joined j;
    QSignalSpy finished(j.pump.get(), &net::Pump::finished);
    j.left->send("x");
    QTRY_COMPARE(j.right->received, "x");
    j.right->close();
    j.left->send(pattern(100'000));
    QTRY_COMPARE(finished.size(), 1);
    QTRY_VERIFY(j.left->hasEnded || j.left->isBroken);
}

void TestPump::endsWhenNothingMovesAfterAHalfClose()
{
    Joined j;
    j.pump->halfClosedIdleMax = std::chrono::milliseconds(300);
    QSignalSpy finished(j.pump.get(), &net::Pump::finished);
    j.left->send("last words");
    j.left->finishWriting();
    QTRY_VERIFY(j.right->hasEnded);
    for (int i = 0; i < 8; ++i) { // something moves: the pair lives
        QTest::qWait(100);
        j.right->send("still");
    }
    QVERIFY(finished.isEmpty());
    QTRY_COMPARE(finished.size(), 1);
    QVERIFY(j.left->received.endsWith("stillstill"));
}

void TestPump::sendsFirstWhatItWasGiven()
{
    int a[2];
    int b[2];
    QVERIFY(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, a) == 0);
    QVERIFY(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, b) == 0);
    RawClient left{net::UniqueFd(a[0])};
    RawClient right{net::UniqueFd(b[1])};
    const QByteArray early = pattern(300'000);
    net::Pump pump(net::UniqueFd{a[1]}, net::UniqueFd{b[0]}, early, "granted ");
    left.send("later");
    right.send("answer");
    QTRY_COMPARE(right.received.size(), early.size() + 5);
    QVERIFY(right.received == early + "later");
    QTRY_COMPARE(left.received, "granted answer");
    QCOMPARE(pump.bytesForward(), quint64(early.size() + 5));
    QCOMPARE(pump.bytesBack(), quint64(6));
}

QTEST_GUILESS_MAIN(TestPump)
#include "tst_pump.moc"
