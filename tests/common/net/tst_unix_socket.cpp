// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/unix_socket.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cocoonbox;

class TestUnixSocket : public QObject {
    Q_OBJECT
private slots:
    void connectsAndTellsWhoIsThere();
    void refusesWhatIsNoSocket_data();
    void refusesWhatIsNoSocket();
    void refusesAFolderThatIsALink();
    void refusesNamesThatLeaveTheFolder();
    void saysWhenNobodyListens();
    void saysWhenTheListenerIsFull();
    void worksWithPathsLongerThanAnAddress();
    void replacesAnOldSocketInOneStep();
    void doesNotReplaceAFile();
    void setsTheMode();

private:
    QTemporaryDir m_dir;
    QString path(const char* name) const { return m_dir.filePath(QLatin1StringView(name)); }
};

void TestUnixSocket::connectsAndTellsWhoIsThere()
{
    const auto listener = net::listenUnix(path("good.sock"));
    QVERIFY(listener);
    const auto client = net::connectUnixIn(m_dir.path(), QStringLiteral("good.sock"));
    QVERIFY(client);
    const auto accepted = net::acceptFrom(listener->get());
    QVERIFY(accepted && accepted->isValid());
    const auto peer = net::peerCredentials(accepted->get());
    QVERIFY(peer);
    QCOMPARE(peer->uid, ::getuid());
    QCOMPARE(peer->pid, ::getpid());
    const auto none = net::acceptFrom(listener->get());
    QVERIFY(none && !none->isValid());
}

void TestUnixSocket::refusesWhatIsNoSocket_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("reason");
    QTest::newRow("link to a socket") << "link" << "SOCKET_IS_NOT_A_SOCKET";
    QTest::newRow("link to nothing") << "dangling" << "SOCKET_IS_NOT_A_SOCKET";
    QTest::newRow("pipe") << "fifo" << "SOCKET_IS_NOT_A_SOCKET";
    QTest::newRow("file") << "file" << "SOCKET_IS_NOT_A_SOCKET";
    QTest::newRow("folder") << "folder" << "SOCKET_IS_NOT_A_SOCKET";
    QTest::newRow("nothing") << "nothing" << "SOCKET_MISSING";
}

void TestUnixSocket::refusesWhatIsNoSocket()
{
    QFETCH(QString, name);
    QFETCH(QString, reason);
    QTemporaryDir dir;
    const auto real = net::listenUnix(dir.filePath("real.sock"));
    QVERIFY(real);
    QVERIFY(QFile::link(dir.filePath("real.sock"), dir.filePath("link")));
    QVERIFY(QFile::link(dir.filePath("missing"), dir.filePath("dangling")));
    QCOMPARE(::mkfifo(dir.filePath("fifo").toUtf8().constData(), 0600), 0);
    QVERIFY(QFile(dir.filePath("file")).open(QIODevice::WriteOnly));
    QVERIFY(QDir(dir.path()).mkdir("folder"));
    const auto fd = net::connectUnixIn(dir.path(), name);
    QVERIFY(!fd);
    QCOMPARE(fd.error().reason, reason);
}

void TestUnixSocket::refusesAFolderThatIsALink()
{
    QTemporaryDir elsewhere;
    const auto listener = net::listenUnix(elsewhere.filePath("x.sock"));
    QVERIFY(listener);
    QVERIFY(QFile::link(elsewhere.path(), path("linked")));
    const auto fd = net::connectUnixIn(path("linked"), QStringLiteral("x.sock"));
    QVERIFY(!fd);
    QCOMPARE(fd.error().reason, "SOCKET_FOLDER_MISSING");
}

void TestUnixSocket::refusesNamesThatLeaveTheFolder()
{
    for (const char* name : {"..", ".", "", "a/b", "../x.sock"}) {
        const auto fd = net::connectUnixIn(m_dir.path(), QLatin1StringView(name));
        QVERIFY(!fd);
        QCOMPARE(fd.error().reason, "SOCKET_NAME_INVALID");
    }
}

void TestUnixSocket::saysWhenNobodyListens()
{
    QVERIFY(net::listenUnix(path("left.sock"))); // closed at once, its entry stays
    const auto fd = net::connectUnixIn(m_dir.path(), QStringLiteral("left.sock"));
    QVERIFY(!fd);
    QCOMPARE(fd.error().reason, "SOCKET_REFUSED");
    QCOMPARE(fd.error().code, ErrorCode::Unavailable);
}

void TestUnixSocket::saysWhenTheListenerIsFull()
{
    net::ListenOptions options;
    options.backlog = 1;
    const auto listener = net::listenUnix(path("full.sock"), options);
    QVERIFY(listener);
    std::vector<net::UniqueFd> held;
    QString reason;
    while (held.size() < 100 && reason.isEmpty()) {
        auto fd = net::connectUnix(path("full.sock"));
        if (fd)
            held.push_back(*std::move(fd));
        else
            reason = fd.error().reason;
    }
    QCOMPARE(reason, "SOCKET_BUSY");
}

void TestUnixSocket::worksWithPathsLongerThanAnAddress()
{
    QString deep = m_dir.path();
    while (deep.size() < 300)
        deep += "/a-folder-with-a-long-name";
    QVERIFY(QDir().mkpath(deep));
    const auto listener = net::listenUnix(deep + "/door.sock");
    QVERIFY(listener);
    QVERIFY(net::connectUnix(deep + "/door.sock"));
}

void TestUnixSocket::replacesAnOldSocketInOneStep()
{
    const auto first = net::listenUnix(path("again.sock"));
    QVERIFY(first);
    const auto second = net::listenUnix(path("again.sock"));
    QVERIFY(second);
    QVERIFY(net::connectUnix(path("again.sock")));
    const auto accepted = net::acceptFrom(second->get());
    QVERIFY(accepted && accepted->isValid());
    QCOMPARE(QDir(m_dir.path()).entryList({".*"}, QDir::System | QDir::Hidden | QDir::NoDotAndDotDot).size(), 0);
}

void TestUnixSocket::doesNotReplaceAFile()
{
    QFile file(path("precious"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("x") == 1);
    file.close();
    const auto listener = net::listenUnix(path("precious"));
    QVERIFY(!listener);
    QCOMPARE(listener.error().reason, "SOCKET_PATH_TAKEN");
    QCOMPARE(QFileInfo(path("precious")).size(), 1);
}

void TestUnixSocket::setsTheMode()
{
    net::ListenOptions options;
    options.mode = 0660;
    options.group = ::getgid();
    QVERIFY(net::listenUnix(path("mode.sock"), options));
    struct stat status{};
    QCOMPARE(::lstat(path("mode.sock").toUtf8().constData(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0660));
}

QTEST_GUILESS_MAIN(TestUnixSocket)
#include "tst_unix_socket.moc"
