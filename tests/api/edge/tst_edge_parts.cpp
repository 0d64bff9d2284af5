// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/bytes.h"
#include "api/edge/credential_cache.h"
#include "api/edge/grpc_wire.h"
#include "api/edge/http2_connection.h"
#include "api/edge/screen_frames.h"
#include "common/base/limits.h"

#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::api::edge;
using namespace std::chrono_literals;

namespace {

Slice sliceOf(const std::string& text)
{
    BlockRef block = BlockRef::make(text.size());
    std::ranges::copy(text, block->bytes());
    return {block, 0, text.size()};
}

std::string contentOf(const ByteQueue& queue)
{
    std::array<iovec, 1024> parts;
    std::string content;
    const int count = queue.parts(parts);
    for (int i = 0; i < count; ++i)
        content.append(static_cast<const char*>(parts[static_cast<size_t>(i)].iov_base),
                       parts[static_cast<size_t>(i)].iov_len);
    return content;
}

std::string messageOf(size_t size)
{
    std::string message(5, '\0');
    for (size_t i = 0; i < 4; ++i)
        message[i + 1] = static_cast<char>(size >> (24 - 8 * i));
    return message;
}

class FixedClock final : public Clock {
public:
    qint64 ms = 1'760'000'000'000;
    qint64 nowMs() const override { return ms; }
};

} // namespace

class TestEdgeParts : public QObject {
    Q_OBJECT

private slots:
    void queueKeepsOrderOverSmallAndLarge();
    void queueMovesExactlyWhatIsAsked();
    void largeSliceIsNotCopied();
    void manyTinyPiecesStayCompact();
    void readBufferReusesWhatNobodyHolds();
    void meterFindsTheMessageThatIsTooLong();
    void timeoutsAreReadAndWritten_data();
    void timeoutsAreReadAndWritten();
    void brokenTimeoutIsIgnored();
    void messageIsPercentEncoded();
    void screenHeadMatchesTheReader();
    void screenReaderTakesAnyCut();
    void credentialIsRenewedAtHalfLife();
    void credentialIsRenewedWhenTheClockGoesBack();
};

void TestEdgeParts::queueKeepsOrderOverSmallAndLarge()
{
    ByteQueue queue;
    std::string expected;
    for (int i = 0; i < 50; ++i) {
        const std::string piece(i % 7 == 0 ? 9000 : static_cast<size_t>(i), static_cast<char>('a' + i % 26));
        queue.append(sliceOf(piece));
        expected += piece;
    }
    QCOMPARE(queue.size(), expected.size());
    QVERIFY(contentOf(queue) == expected);
    queue.drop(10'000);
    QVERIFY(contentOf(queue) == expected.substr(10'000));
    queue.drop(queue.size());
    QVERIFY(queue.isEmpty());
    QVERIFY(contentOf(queue).empty());
}

void TestEdgeParts::queueMovesExactlyWhatIsAsked()
{
    ByteQueue from;
    ByteQueue to;
    std::string expected;
    for (int i = 0; i < 20; ++i) {
        const std::string piece(20'000, static_cast<char>('a' + i));
        from.append(sliceOf(piece));
        expected += piece;
    }
    size_t moved = 0;
    for (size_t step = 1; moved < expected.size(); step = step * 3 + 7) {
        from.moveTo(to, step);
        moved = std::min(moved + step, expected.size());
        QCOMPARE(to.size(), moved);
        QCOMPARE(from.size(), expected.size() - moved);
    }
    QVERIFY(contentOf(to) == expected);
}

void TestEdgeParts::largeSliceIsNotCopied()
{
    const Slice slice = sliceOf(std::string(10'000, 'x'));
    ByteQueue queue;
    queue.append(slice);
    iovec part{};
    QCOMPARE(queue.parts({&part, 1}), 1);
    QVERIFY(part.iov_base == slice.bytes());
    QVERIFY(slice.block->isShared());
    queue.clear();
    QVERIFY(!slice.block->isShared());
}

void TestEdgeParts::manyTinyPiecesStayCompact()
{
    ByteQueue queue;
    const Slice slice = sliceOf("x");
    for (int i = 0; i < 4096; ++i)
        queue.append(slice);
    std::array<iovec, 16> parts;
    QCOMPARE(queue.parts(parts), 1);
    QVERIFY(!slice.block->isShared());
}

void TestEdgeParts::readBufferReusesWhatNobodyHolds()
{
    ReadBuffer buffer;
    const char* start = buffer.room().data();
    QCOMPARE(buffer.room().size(), kReadBlockBytes);
    Slice held = buffer.taken(1000);
    QVERIFY(buffer.room().data() == start + 1000);
    held = {};
    QVERIFY(buffer.room().data() == start);
    held = buffer.taken(kReadBlockBytes - 100);
    QVERIFY(buffer.room().data() != start); // too little room is left behind it
    QCOMPARE(buffer.room().size(), kReadBlockBytes);
}

void TestEdgeParts::meterFindsTheMessageThatIsTooLong()
{
    constexpr size_t kMax = limits::kMessageBytesMax;
    MessageMeter meter;
    QVERIFY(meter.pass(messageOf(3) + "abc" + messageOf(0) + messageOf(kMax)));
    const std::string half(kMax / 2, 'x');
    QVERIFY(meter.pass(half));
    QVERIFY(meter.pass(half));
    const std::string tooLong = messageOf(kMax + 1);
    for (size_t i = 0; i < 4; ++i)
        QVERIFY(meter.pass(tooLong.substr(i, 1)));
    QVERIFY(!meter.pass(tooLong.substr(4)));
}

void TestEdgeParts::timeoutsAreReadAndWritten_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("ns");
    QTest::newRow("hours") << QByteArray("2H") << qint64(7'200'000'000'000);
    QTest::newRow("minutes") << QByteArray("1M") << qint64(60'000'000'000);
    QTest::newRow("seconds") << QByteArray("10S") << qint64(10'000'000'000);
    QTest::newRow("milli") << QByteArray("250m") << qint64(250'000'000);
    QTest::newRow("micro") << QByteArray("99999999u") << qint64(99'999'999'000);
    QTest::newRow("nano") << QByteArray("0n") << qint64(0);
    QTest::newRow("a year at most") << QByteArray("99999999H") << qint64(31'536'000'000'000'000);
}

void TestEdgeParts::timeoutsAreReadAndWritten()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, ns);
    const auto timeout = timeoutOf(text.toStdString());
    QVERIFY(timeout);
    QCOMPARE(timeout->count(), ns);
    const auto again = timeoutOf(timeoutText(*timeout));
    QVERIFY(again);
    QVERIFY(*again <= *timeout && *again > *timeout - *timeout / 1000 - 1ns);
}

void TestEdgeParts::brokenTimeoutIsIgnored()
{
    for (const char* text : {"", "S", "10", "10x", "-1S", "123456789S", "1.5S", " 1S", "1 S"})
        QVERIFY2(!timeoutOf(text), text);
}

void TestEdgeParts::messageIsPercentEncoded()
{
    const HeaderBlock answer =
        answerOf({ErrorCode::NotFound, QString::fromUtf8("100 % grün\n"), "TEST_REASON", {}, {}});
    QCOMPARE(std::string(answer.find("grpc-status")), "5");
    QCOMPARE(std::string(answer.find("grpc-message")), "100 %25 gr%C3%BCn%0A");
    QCOMPARE(std::string(answer.find("x-cocoonbox-reason")), "TEST_REASON");
}

void TestEdgeParts::screenHeadMatchesTheReader()
{
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{127}, size_t{128}, size_t{16'383}, size_t{16'384}, size_t{65'536}}) {
        char head[kScreenHeadBytesMax];
        const size_t headBytes = writeScreenHead(std::end(head), size);
        const std::string wire = std::string(std::end(head) - headBytes, headBytes) + std::string(size, 'p');
        std::string received;
        ScreenFrameReader reader;
        QVERIFY(reader.read(wire, [&](std::string_view data) { received += data; }));
        QCOMPARE(received.size(), size);
    }
}

void TestEdgeParts::screenReaderTakesAnyCut()
{
    std::string wire;
    std::string expected;
    for (int i = 0; i < 40; ++i) {
        const std::string data(static_cast<size_t>(i * 5), static_cast<char>('a' + i % 26));
        char head[kScreenHeadBytesMax];
        const size_t headBytes = writeScreenHead(std::end(head), data.size());
        wire += std::string(std::end(head) - headBytes, headBytes) + data;
        expected += data;
    }
    for (const size_t cut : {size_t{1}, size_t{3}, size_t{64}, wire.size()}) {
        std::string received;
        ScreenFrameReader reader;
        for (size_t at = 0; at < wire.size(); at += cut)
            QVERIFY(reader.read(wire.substr(at, cut), [&](std::string_view data) { received += data; }));
        QVERIFY(received == expected);
    }
}

void TestEdgeParts::credentialIsRenewedAtHalfLife()
{
    FixedClock clock;
    CredentialCache cache(*crypto::KeyPair::generate(), clock);
    const api::boxes::Route route{"box_1", "wake1", "usr_1", {}};
    const std::string first = cache.credentialFor(route);
    clock.ms += 299'000;
    QCOMPARE(cache.credentialFor(route), first);
    clock.ms += 1'000;
    const std::string second = cache.credentialFor(route);
    QVERIFY(second != first);
    const api::boxes::Route woken{"box_1", "wake2", "usr_1", {}};
    QVERIFY(cache.credentialFor(woken) != second);
}

void TestEdgeParts::credentialIsRenewedWhenTheClockGoesBack()
{
    FixedClock clock;
    CredentialCache cache(*crypto::KeyPair::generate(), clock);
    const api::boxes::Route route{"box_1", "wake1", "usr_1", {}};
    const std::string first = cache.credentialFor(route);
    clock.ms -= 240'000;
    QVERIFY(cache.credentialFor(route) != first);
}

QTEST_APPLESS_MAIN(TestEdgeParts)
#include "tst_edge_parts.moc"
