// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/api/edge/edge_fixture.h"

#include "cocoonbox/agent/v1/session.pb.h"

#include <poll.h>
#include <QFile>
#include <QRandomGenerator>
#include <QTest>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace std::chrono_literals;

namespace {

// The box's RFB server, as far as a socket can tell; one client.
class FakeScreen {
public:
    explicit FakeScreen(const QString& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const QByteArray name = QFile::encodeName(path);
        std::copy_n(name.constData(), name.size(), address.sun_path);
        m_listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::bind(m_listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) qFatal("cannot bind");
        ::listen(m_listener, 4);
    }
    ~FakeScreen()
    {
        hangUp();
        ::close(m_listener);
    }
    void accept() { m_fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC); }
    void hangUp()
    {
        if (m_fd >= 0) ::close(std::exchange(m_fd, -1));
    }
    void send(const std::string& bytes)
    {
        size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t count = ::send(m_fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) return;
            sent += static_cast<size_t>(count);
        }
    }
    // Sends for as long as the socket takes bytes within the limit; answers how many.
    size_t flood(std::chrono::milliseconds limit)
    {
        const std::string bytes(64 << 10, 'p');
        size_t sum = 0;
        pollfd waited{m_fd, POLLOUT, 0};
        while (::poll(&waited, 1, static_cast<int>(limit.count())) == 1) {
            const ssize_t count = ::send(m_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (count <= 0) break;
            sum += static_cast<size_t>(count);
        }
        return sum;
    }
    std::string receive(size_t count)
    {
        std::string bytes(count, '\0');
        return ::recv(m_fd, bytes.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count) ? bytes : std::string();
    }
    bool isHungUp()
    {
        char byte = 0;
        pollfd waited{m_fd, POLLIN, 0};
        return ::poll(&waited, 1, 3000) == 1 && ::recv(m_fd, &byte, 1, 0) == 0;
    }

private:
    int m_listener = -1;
    int m_fd = -1;
};

std::string frame(const std::string& data)
{
    agent::v1::ScreenClientFrame message;
    message.set_data(data);
    return message.SerializeAsString();
}

std::string noise(size_t size)
{
    std::string bytes(size, '\0');
    QRandomGenerator random(42);
    for (char& c : bytes)
        c = static_cast<char>(random.generate());
    return bytes;
}

} // namespace

class TestEdgeScreen : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();
    void bytesGoUnchangedBothWays();
    void framesAreAtMost64KiB();
    void slowViewerStopsTheServer();
    void missingServerIsTold();
    void serverThatStartsLateIsWaitedFor();
    void serverThatDiesIsTold();
    void viewerThatLeavesHangsUp();
    void viewerThatHalfClosesEndsOk();
    void brokenFrameIsRefused_data();
    void brokenFrameIsRefused();
    void tokenAndBoxAreChecked();

private:
    std::unique_ptr<RawCall> open()
    {
        auto call = m_fixture->call("/cocoonbox.agent.v1.Session/Screen");
        call->write(frame({}));
        return call;
    }
    std::string readBytes(RawCall& call, size_t count)
    {
        std::string bytes;
        while (bytes.size() < count) {
            const auto message = call.read();
            agent::v1::ScreenServerFrame parsed;
            if (!message || !parsed.ParseFromString(*message)) break;
            m_largestFrame = std::max(m_largestFrame, parsed.data().size());
            bytes += parsed.data();
        }
        return bytes;
    }

    std::unique_ptr<EdgeFixture> m_fixture;
    std::unique_ptr<FakeScreen> m_screen;
    size_t m_largestFrame = 0;
};

void TestEdgeScreen::init()
{
    m_fixture = std::make_unique<EdgeFixture>();
    m_screen = std::make_unique<FakeScreen>(m_fixture->folder.filePath("rfb"));
    m_largestFrame = 0;
    api::edge::EdgeOptions options;
    options.dialLimit = 700ms;
    m_fixture->startEdge(options);
}

void TestEdgeScreen::cleanup()
{
    m_fixture.reset();
    m_screen.reset();
}

void TestEdgeScreen::bytesGoUnchangedBothWays()
{
    const auto call = open();
    m_screen->accept();
    m_screen->send("RFB 003.008\n");
    QCOMPARE(readBytes(*call, 12), "RFB 003.008\n");
    for (const size_t size : {size_t{1}, size_t{127}, size_t{128}, size_t{16383}, size_t{16384}, size_t{65536}}) {
        const std::string bytes = noise(size);
        QVERIFY(call->write(frame(bytes)));
        QVERIFY(m_screen->receive(size) == bytes);
        m_screen->send(bytes);
        QVERIFY(readBytes(*call, size) == bytes);
    }
}

void TestEdgeScreen::framesAreAtMost64KiB()
{
    const auto call = open();
    m_screen->accept();
    const std::string picture = noise(8 << 20);
    std::jthread sender([&] { m_screen->send(picture); });
    QVERIFY(readBytes(*call, picture.size()) == picture);
    QVERIFY(m_largestFrame <= 64 << 10);
}

void TestEdgeScreen::slowViewerStopsTheServer()
{
    const auto call = open();
    m_screen->accept();
    m_screen->send("x");
    QCOMPARE(readBytes(*call, 1), "x"); // and no more
    const size_t taken = m_screen->flood(500ms);
    QVERIFY2(taken < 16 << 20, QByteArray::number(taken));
    QCOMPARE(readBytes(*call, taken).size(), taken);
    QVERIFY(m_screen->flood(500ms) > 0);
}

void TestEdgeScreen::missingServerIsTold()
{
    m_screen.reset();
    QFile::remove(m_fixture->folder.filePath("rfb"));
    const auto call = open();
    const auto start = std::chrono::steady_clock::now();
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(call->reason(), "SCREEN_UNREACHABLE");
    QVERIFY(std::chrono::steady_clock::now() - start < 1500ms);
}

void TestEdgeScreen::serverThatStartsLateIsWaitedFor()
{
    m_screen.reset();
    QFile::remove(m_fixture->folder.filePath("rfb"));
    const auto call = open();
    QVERIFY(call->write(frame("early")));
    std::this_thread::sleep_for(200ms);
    m_screen = std::make_unique<FakeScreen>(m_fixture->folder.filePath("rfb"));
    m_screen->accept();
    QCOMPARE(m_screen->receive(5), "early");
}

void TestEdgeScreen::serverThatDiesIsTold()
{
    const auto call = open();
    m_screen->accept();
    m_screen->send("last words");
    m_screen->hangUp();
    QCOMPARE(readBytes(*call, 10), "last words");
    QVERIFY(!call->read());
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::UNAVAILABLE);
    QCOMPARE(call->reason(), "SCREEN_LOST");
}

void TestEdgeScreen::viewerThatLeavesHangsUp()
{
    auto call = open();
    m_screen->accept();
    m_screen->send("x");
    QCOMPARE(readBytes(*call, 1), "x");
    call.reset();
    QVERIFY(m_screen->isHungUp());
}

void TestEdgeScreen::viewerThatHalfClosesEndsOk()
{
    const auto call = open();
    m_screen->accept();
    QVERIFY(call->write(frame("bye")));
    call->writesDone();
    QVERIFY(call->finish().ok());
    QCOMPARE(m_screen->receive(3), "bye");
    QVERIFY(m_screen->isHungUp());
}

void TestEdgeScreen::brokenFrameIsRefused_data()
{
    QTest::addColumn<QByteArray>("message");
    QTest::newRow("not protobuf") << QByteArray("\xff\xff\xff");
    QTest::newRow("length beyond the end") << QByteArray("\x0a\x7fxyz");
    QTest::newRow("group") << QByteArray("\x0b");
    QTest::newRow("over 64 KiB") << QByteArray::fromStdString(frame(std::string((64 << 10) + 1, 'x')));
}

void TestEdgeScreen::brokenFrameIsRefused()
{
    QFETCH(QByteArray, message);
    const auto call = open();
    m_screen->accept();
    call->write(message.toStdString());
    QCOMPARE(call->finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    QCOMPARE(call->reason(), "FRAME_MALFORMED");
    QVERIFY(m_screen->isHungUp());
}

void TestEdgeScreen::tokenAndBoxAreChecked()
{
    const std::string path = "/cocoonbox.agent.v1.Session/Screen";
    QCOMPARE(m_fixture->outcomeOf(path, {{"x-cocoonbox-box", "box_ann"}}).reason, "TOKEN_MISSING");
    QCOMPARE(m_fixture->outcomeOf(path, {{"authorization", "Bearer token-ben"}, {"x-cocoonbox-box", "box_ann"}}).reason,
             "BOX_UNKNOWN");
    QCOMPARE(m_fixture->outcomeOf(path, EdgeFixture::ann("box_asleep")).reason, "BOX_ASLEEP");
}

QTEST_GUILESS_MAIN(TestEdgeScreen)
#include "tst_edge_screen.moc"
