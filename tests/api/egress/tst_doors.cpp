// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/doors.h"
#include "api/models/gateway.h"
#include "common/net/unix_socket.h"
#include "tests/support/raw_client.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using api::egress::Doors;
using testing::RawClient;

class TestDoors : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_doors.reset(); }
    void refusesEverythingButTheModels_data();
    void refusesEverythingButTheModels();
    void leadsToTheModels();
    void refusesWithCurl();
    void refusesSocks_data();
    void refusesSocks();
    void closesWithTheBox();
    void opensAgainOverAnOldDoor();
    void refusesAFolderThatIsNone();

private:
    std::unique_ptr<RawClient> client(const char* name) const
    {
        auto fd = net::connectUnixIn(m_dir->path(), QLatin1StringView(name));
        return fd ? std::make_unique<RawClient>(*std::move(fd)) : nullptr;
    }

    api::models::Gateway m_gateway{std::nullopt};
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Doors> m_doors;
};

void TestDoors::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    m_doors = std::make_unique<Doors>(m_gateway);
    QVERIFY(m_doors->openDoor("box_1", "usr_1", m_dir->path()));
}

void TestDoors::refusesEverythingButTheModels_data()
{
    QTest::addColumn<QByteArray>("request");
    QTest::addColumn<QByteArray>("denied");
    const auto row = [](const char* name, QByteArray request, QByteArray denied) {
        QTest::newRow(name) << request << denied;
    };
    row("another host", "GET http://example.com/x HTTP/1.1\r\nHost: models.cocoonbox.internal\r\n\r\n", "example.com");
    row("CONNECT", "CONNECT models.cocoonbox.internal:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        "models.cocoonbox.internal:443");
    row("another port", "GET http://models.cocoonbox.internal:22/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "models.cocoonbox.internal");
    row("a user in front", "GET http://models.cocoonbox.internal@evil.com/ HTTP/1.1\r\nHost: h\r\n\r\n", "h");
    row("a name that ends so", "GET http://x.models.cocoonbox.internal/ HTTP/1.1\r\nHost: h\r\n\r\n",
        "x.models.cocoonbox.internal");
    row("the box's own name", "GET http://127.0.0.1/ HTTP/1.1\r\nHost: h\r\n\r\n", "127.0.0.1");
    row("no absolute form", "GET /v1/models HTTP/1.1\r\nHost: models.cocoonbox.internal\r\n\r\n",
        "models.cocoonbox.internal");
    row("https", "GET https://models.cocoonbox.internal/ HTTP/1.1\r\nHost: h\r\n\r\n", "h");
    row("with a body", "POST http://example.com/ HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody", "example.com");
}

void TestDoors::refusesEverythingButTheModels()
{
    QFETCH(QByteArray, request);
    QFETCH(QByteArray, denied);
    const auto c = client("http.sock");
    QVERIFY(c);
    c->send(request);
    QTRY_VERIFY(c->received.contains("nothing else yet"));
    QVERIFY(c->received.startsWith("HTTP/1.1 403 Forbidden\r\n"));
    QVERIFY(c->received.contains("X-Cocoonbox-Reason: EGRESS_DENIED\r\n"));
    QVERIFY2(c->received.contains("\r\n\r\negress denied: " + denied + '\n'), c->received.constData());
}

void TestDoors::leadsToTheModels()
{
    const auto c = client("http.sock");
    c->send(
        "POST http://Models.Cocoonbox.Internal/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    QTRY_VERIFY(c->received.contains("models_not_configured"));
    QVERIFY(c->received.startsWith("HTTP/1.1 503 "));
    QVERIFY(c->received.contains("models.base-url"));
}

void TestDoors::refusesWithCurl()
{
    const auto run = [this](QStringList words) {
        QProcess curl;
        curl.start("curl", QStringList{"-sS", "--max-time", "5", "--unix-socket", m_dir->filePath("http.sock"), "-w",
                                       " %{http_code}"} +
                               words);
        (void)QTest::qWaitFor([&curl] { return curl.state() == QProcess::NotRunning; }, 10'000);
        return curl.readAllStandardOutput();
    };
    QVERIFY(run({"--request-target", "http://example.com/", "http://example.com/"})
                .startsWith("egress denied: example.com\n"));
    QVERIFY(run({"--request-target", "http://example.com/", "http://example.com/"}).endsWith(" 403"));
    QVERIFY(run({"--request-target", "http://models.cocoonbox.internal/v1/models", "http://x/"}).endsWith(" 503"));
}

void TestDoors::refusesSocks_data()
{
    QTest::addColumn<QByteArray>("says");
    QTest::addColumn<QByteArray>("hears");
    QTest::newRow("SOCKS5") << QByteArray("\x05\x02\0\x02\x05\x01\0\x03\x0b"
                                          "example.com\x01\xbb",
                                          22)
                            << QByteArray("\x05\0\x05\x02\0\x01\0\0\0\0\0\0", 12);
    QTest::newRow("SOCKS4") << QByteArray("\x04\x01\x01\xbb\x7f\0\0\x01\0", 9) << QByteArray("\0\x5b\0\0\0\0\0\0", 8);
    QTest::newRow("HTTP") << QByteArray("GET / HTTP/1.1\r\n\r\n") << QByteArray();
}

void TestDoors::refusesSocks()
{
    QFETCH(QByteArray, says);
    QFETCH(QByteArray, hears);
    for (const bool whole : {true, false}) {
        const auto c = client("socks.sock");
        QVERIFY(c);
        if (whole) c->send(says);
        for (qsizetype i = 0; !whole && i < says.size(); ++i)
            c->send(says.sliced(i, 1));
        QTRY_VERIFY(c->hasEnded || c->isBroken);
        QCOMPARE(c->received, hears);
    }
}

void TestDoors::closesWithTheBox()
{
    const auto c = client("http.sock");
    c->send("GET http://models.cocoonbox.internal/v1/models HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(!c->received.isEmpty());
    m_doors->closeDoor("box_1");
    QTRY_VERIFY(c->hasEnded);
    QVERIFY(!client("http.sock"));
    QVERIFY(!QFile::exists(m_dir->filePath("http.sock")));
    QCOMPARE(m_doors->openCount(), 0);
    m_doors->closeDoor("box_1");
}

void TestDoors::opensAgainOverAnOldDoor()
{
    QVERIFY(m_doors->openDoor("box_1", "usr_1", m_dir->path()));
    QCOMPARE(m_doors->openCount(), 1);
    QVERIFY(client("http.sock"));
    QCOMPARE(QFileInfo(m_dir->filePath("http.sock")).permissions() & QFile::WriteOther, QFile::WriteOther);
}

void TestDoors::refusesAFolderThatIsNone()
{
    const auto opened = m_doors->openDoor("box_2", "usr_1", m_dir->filePath("missing"));
    QVERIFY(!opened);
    QCOMPARE(m_doors->openCount(), 1);
}

QTEST_GUILESS_MAIN(TestDoors)
#include "tst_doors.moc"
