// SPDX-License-Identifier: AGPL-3.0-only
// The doors of a box as a folder has them, and the models behind them.
#include "tests/api/egress/door_rig.h"

#include <QProcess>
#include <QTest>

using namespace cocoonbox;
using testing::DoorRig;

class TestDoors : public QObject {
    Q_OBJECT
private slots:
    void leadsToTheModels();
    void saysItWithCurl();
    void refusesWhatIsNoProxysTarget();
    void closesWithTheBox();
    void opensAgainOverAnOldDoor();
    void refusesAFolderThatIsNone();
};

void TestDoors::leadsToTheModels()
{
    const DoorRig rig;
    const auto c = rig.client("http.sock");
    c->send(
        "POST http://Models.Cocoonbox.Internal/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}");
    QTRY_VERIFY(c->received.contains("models_not_configured"));
    QVERIFY(c->received.startsWith("HTTP/1.1 503 "));
    QVERIFY(c->received.contains("models.base-url"));
}

void TestDoors::saysItWithCurl()
{
    const DoorRig rig;
    const auto run = [&rig](const char* target) {
        QProcess curl;
        curl.start("curl", {"-sS", "--max-time", "5", "--unix-socket", rig.dir.filePath("http.sock"), "-w",
                            " %{http_code}", "--request-target", target, "http://x/"});
        (void)QTest::qWaitFor([&curl] { return curl.state() == QProcess::NotRunning; }, 10'000);
        return curl.readAllStandardOutput();
    };
    QCOMPARE(run("http://example.com/"), "egress denied: example.com\n 403");
    QVERIFY(run("http://models.cocoonbox.internal/v1/models").endsWith(" 503"));
}

void TestDoors::refusesWhatIsNoProxysTarget()
{
    const DoorRig rig;
    for (const char* target : {"/v1/models", "https://example.com/", "http://user@example.com/", "*", "ftp://x/"}) {
        const auto c = rig.client("http.sock");
        c->send(QByteArray("GET ") + target + " HTTP/1.1\r\nHost: models.cocoonbox.internal\r\n\r\n");
        QTRY_VERIFY(c->received.contains("\r\n\r\n"));
        QVERIFY2(c->received.startsWith("HTTP/1.1 400 "), c->received.constData());
    }
}

void TestDoors::closesWithTheBox()
{
    const DoorRig rig;
    const auto c = rig.client("http.sock");
    c->send("GET http://models.cocoonbox.internal/v1/models HTTP/1.1\r\nHost: x\r\n\r\n");
    QTRY_VERIFY(!c->received.isEmpty());
    rig.doors->closeDoor("box_1");
    QTRY_VERIFY(c->hasEnded);
    QVERIFY(!rig.client("http.sock"));
    QVERIFY(!QFile::exists(rig.dir.filePath("http.sock")));
    QCOMPARE(rig.doors->openCount(), 0);
    rig.doors->closeDoor("box_1");
}

void TestDoors::opensAgainOverAnOldDoor()
{
    const DoorRig rig;
    QVERIFY(rig.doors->openDoor("box_1", "usr_1", rig.dir.path()));
    QCOMPARE(rig.doors->openCount(), 1);
    QVERIFY(rig.client("http.sock"));
    QCOMPARE(QFileInfo(rig.dir.filePath("http.sock")).permissions() & QFile::WriteOther, QFile::WriteOther);
}

void TestDoors::refusesAFolderThatIsNone()
{
    const DoorRig rig;
    const auto opened = rig.doors->openDoor("box_2", "usr_1", rig.dir.filePath("missing"));
    QVERIFY(!opened);
    QCOMPARE(rig.doors->openCount(), 1);
}

QTEST_GUILESS_MAIN(TestDoors)
#include "tst_doors.moc"
