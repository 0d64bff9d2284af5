// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/tool_server.h"
#include "tests/agent/toolhost/serve_end.h"

#include <csignal>
#include <QSignalSpy>
#include <QTest>
#include <unistd.h>

using namespace cocoonbox;
using namespace Qt::StringLiterals;
using namespace cocoonbox::testing;
using agent::toolhost::ToolServer;

class TestToolServer : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void greetsAndRunsTools();
    void refusesAnotherUser();
    void dropsWhoBreaksTheProtocol_data();
    void dropsWhoBreaksTheProtocol();
    void cancelsACall();
    void runsAProgramWithPipes();
    void runsAProgramOnATerminal();
    void tellsHowAProgramEnded_data();
    void tellsHowAProgramEnded();
    void passesSignals();
    void resizesTheTerminal();
    void feedsInputWithinItsCredit();
    void holdsAProgramBackWithoutCredit();
    void endsTheGroupWhenTheClientHangsUp();
    void endsProgramsWithTheConnection();
    void endsLeftoversWithTheProgram();

private:
    QString socket() const { return m_dir->filePath("tools.sock"); }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<ToolServer> m_server;
    std::unique_ptr<Serve> m_serve;
};

void TestToolServer::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    auto server = ToolServer::start({socket(), m_dir->path(), ::getuid(), {}});
    QVERIFY(server);
    m_server = *std::move(server);
    m_serve = std::make_unique<Serve>(socket());
    QTRY_VERIFY(!m_serve->heard.isEmpty());
}

void TestToolServer::cleanup()
{
    m_serve.reset();
    m_server.reset();
}

void TestToolServer::greetsAndRunsTools()
{
    QCOMPARE(m_serve->heard.first(), port::Message(port::Hello{}));
    m_serve->channel->send(port::CallStart{1, u"write"_s, R"({"path":"a","content":"x"})", 5000, u"agt"_s});
    m_serve->channel->send(port::CallStart{2, u"shell"_s, R"({"command":"cat a"})", 5000, u"agt"_s});
    m_serve->channel->send(port::CallStart{3, u"nonsense"_s, "{}", 5000, u"agt"_s});
    m_serve->channel->send(port::CallStart{4, u"read"_s, "[1]", 5000, u"agt"_s});
    QTRY_VERIFY(m_serve->find<port::CallResult>(2));
    QVERIFY(!m_serve->find<port::CallResult>(1)->isError);
    QVERIFY(m_serve->find<port::CallResult>(2)->text.startsWith("x\n[exit code 0"));
    QVERIFY(m_serve->find<port::CallOutput>(2));
    QVERIFY(m_serve->find<port::CallResult>(3)->isError);
    QVERIFY(m_serve->find<port::CallResult>(4)->isError);
}

void TestToolServer::refusesAnotherUser()
{
    auto server = ToolServer::start({m_dir->filePath("other.sock"), m_dir->path(), ::getuid() + 1, {}});
    QVERIFY(server);
    Serve stranger(m_dir->filePath("other.sock"));
    QTRY_VERIFY(stranger.isClosed);
    QCOMPARE((*server)->connectionCount(), 0);
    QCOMPARE(stranger.heard.size(), 0);
}

void TestToolServer::dropsWhoBreaksTheProtocol_data()
{
    QTest::addColumn<port::Message>("word");
    QTest::addColumn<bool>("greets");
    QTest::newRow("no greeting") << port::Message(port::CallCancel{1}) << false;
    QTest::newRow("other version") << port::Message(port::Hello{port::kVersion + 1}) << false;
    QTest::newRow("greets twice") << port::Message(port::Hello{}) << true;
    QTest::newRow("a word of toolhost") << port::Message(port::CallResult{1, u"x"_s, false}) << true;
}

void TestToolServer::dropsWhoBreaksTheProtocol()
{
    QFETCH(port::Message, word);
    QFETCH(bool, greets);
    Serve serve(socket(), greets);
    serve.channel->send(word);
    QTRY_VERIFY(serve.isClosed);
    QTRY_COMPARE(m_server->connectionCount(), 1);
}

void TestToolServer::cancelsACall()
{
    m_serve->channel->send(port::CallStart{1, u"shell"_s, R"({"command":"echo on; sleep 1000"})", 600'000, u"agt"_s});
    QTRY_VERIFY(m_serve->find<port::CallOutput>(1));
    m_serve->channel->send(port::CallCancel{1});
    QTRY_VERIFY(m_serve->find<port::CallResult>(1));
    QVERIFY(m_serve->find<port::CallResult>(1)->text.contains("cancelled"));
}

void TestToolServer::runsAProgramWithPipes()
{
    m_serve->start(1, {"sh", "-c", "echo out; echo err >&2; pwd; echo $FROM_CLIENT; cat; exit 5"});
    m_serve->channel->send(port::ExecStdin{1, "typed", true});
    QTRY_VERIFY(m_serve->find<port::ExecExit>(1));
    QCOMPARE(m_serve->output(1), "out\n" + m_dir->path().toUtf8() + "\nyes\ntyped");
    QCOMPARE(m_serve->output(1, true), "err\n");
    QCOMPARE(m_serve->find<port::ExecExit>(1)->exitCode, 5);
    QCOMPARE(m_serve->heard.last(), port::Message(port::ExecExit{1, 5, 0, {}}));
}

void TestToolServer::runsAProgramOnATerminal()
{
    m_serve->start(1, {"sh", "-c", "stty size; test -t 1 && tty >/dev/null && read x && echo got $x; exit 7"}, true);
    QTRY_VERIFY(m_serve->output(1).contains("33 111"));
    m_serve->channel->send(port::ExecStdin{1, "line\r", false});
    QTRY_VERIFY(m_serve->find<port::ExecExit>(1));
    QVERIFY(m_serve->output(1).contains("got line\r\n"));
    QCOMPARE(m_serve->find<port::ExecExit>(1)->exitCode, 7);
}

void TestToolServer::tellsHowAProgramEnded_data()
{
    QTest::addColumn<QStringList>("argv");
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("signal");
    QTest::newRow("well") << QStringList{"true"} << 0 << 0;
    QTest::newRow("badly") << QStringList{"sh", "-c", "exit 255"} << 255 << 0;
    QTest::newRow("killed") << QStringList{"sh", "-c", "kill -9 $$"} << 137 << 9;
    QTest::newRow("terminated") << QStringList{"sh", "-c", "kill $$"} << 143 << 15;
    QTest::newRow("no such program") << QStringList{"/no/such/program"} << 127 << 0;
    QTest::newRow("not a program") << QStringList{"/etc/passwd"} << 127 << 0;
}

void TestToolServer::tellsHowAProgramEnded()
{
    QFETCH(QStringList, argv);
    QFETCH(int, code);
    QFETCH(int, signal);
    for (const bool tty : {false, true}) {
        const quint64 id = tty ? 2 : 1;
        m_serve->start(id, argv, tty);
        QTRY_VERIFY(m_serve->find<port::ExecExit>(id));
        QCOMPARE(m_serve->find<port::ExecExit>(id)->exitCode, code);
        QCOMPARE(m_serve->find<port::ExecExit>(id)->signalNumber, signal);
        QCOMPARE(m_serve->find<port::ExecExit>(id)->failure.isEmpty(), code != 127);
    }
}

void TestToolServer::passesSignals()
{
    m_serve->start(1, {"sh", "-c", "trap 'echo got-int; exit 9' INT; echo ready; while :; do sleep 0.05; done"});
    QTRY_COMPARE(m_serve->output(1), "ready\n");
    m_serve->channel->send(port::ExecSignal{1, SIGINT});
    QTRY_VERIFY(m_serve->find<port::ExecExit>(1));
    QCOMPARE(m_serve->find<port::ExecExit>(1)->exitCode, 9);
    QVERIFY(m_serve->output(1).contains("got-int"));
}

void TestToolServer::resizesTheTerminal()
{
    m_serve->start(1, {"bash", "-c", "trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done"}, true);
    QTRY_VERIFY(m_serve->output(1).contains("ready"));
    m_serve->channel->send(port::ExecResize{1, 44, 132});
    QTRY_VERIFY(m_serve->output(1).contains("44 132"));
}

void TestToolServer::feedsInputWithinItsCredit()
{
    // 4 MiB through cat, sent only as credit allows, come back unchanged.
    m_serve->start(1, {"sh", "-c", "cat"});
    constexpr qint64 kTotal = 4 * 1024 * 1024;
    qint64 sent = 0;
    qint64 acknowledged = 0;
    QElapsedTimer elapsed;
    elapsed.start();
    while (acknowledged < kTotal && elapsed.elapsed() < 20'000) {
        while (sent < kTotal && sent - m_serve->credit(1) + 32 * 1024 <= port::kExecWindowBytes) {
            m_serve->channel->send(
                port::ExecStdin{1, QByteArray(32 * 1024, static_cast<char>('a' + sent / 32768 % 26)), false});
            sent += 32 * 1024;
        }
        const qint64 received = m_serve->output(1).size();
        if (received > acknowledged) m_serve->channel->send(port::ExecCredit{1, received - acknowledged});
        acknowledged = received;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    }
    QCOMPARE(acknowledged, kTotal);
    QCOMPARE(m_serve->output(1).at(32 * 1024 * 27), 'b');
    m_serve->channel->send(port::ExecStdin{1, {}, true});
    QTRY_VERIFY(m_serve->find<port::ExecExit>(1));
    // Beyond the credit the connection ends.
    m_serve->start(2, {"sleep", "10"});
    for (int i = 0; i < 20; ++i)
        m_serve->channel->send(port::ExecStdin{2, QByteArray(64 * 1024, 'x'), false});
    QTRY_VERIFY(m_serve->isClosed);
}

void TestToolServer::holdsAProgramBackWithoutCredit()
{
    m_serve->start(1, {"sh", "-c", "head -c 3000000 /dev/zero; echo over >&2"});
    QTRY_COMPARE(m_serve->output(1).size(), port::kExecWindowBytes);
    QVERIFY(!QTest::qWaitFor([this] { return m_serve->output(1).size() > port::kExecWindowBytes; }, 300));
    qint64 granted = 0;
    while (!m_serve->find<port::ExecExit>(1) && granted < 10'000'000) {
        const qint64 total = m_serve->output(1).size() + m_serve->output(1, true).size();
        if (total > granted) m_serve->channel->send(port::ExecCredit{1, total - granted});
        granted = total;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    }
    QCOMPARE(m_serve->output(1).size(), 3'000'000);
    QCOMPARE(m_serve->output(1, true), "over\n");
}

void TestToolServer::endsTheGroupWhenTheClientHangsUp()
{
    m_serve->start(1, {"sh", "-c", "trap '' HUP; sleep 1000 & echo $!; sleep 1000"});
    QTRY_VERIFY(m_serve->output(1).endsWith('\n'));
    const qint64 child = m_serve->output(1).trimmed().toLongLong();
    QVERIFY(isAlive(child));
    QElapsedTimer elapsed;
    elapsed.start();
    m_serve->channel->send(port::ExecHangUp{1});
    QTRY_VERIFY_WITH_TIMEOUT(m_serve->find<port::ExecExit>(1), 4'000);
    QVERIFY(elapsed.elapsed() >= 1'500); // SIGHUP was ignored, SIGKILL came after its grace
    QCOMPARE(m_serve->find<port::ExecExit>(1)->signalNumber, SIGKILL);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(child), 4'000);
}

void TestToolServer::endsProgramsWithTheConnection()
{
    m_serve->start(1, {"sh", "-c", "echo $$; sleep 1000"});
    m_serve->channel->send(
        port::CallStart{2, u"shell"_s, R"({"command":"echo $BASHPID > pid; sleep 1000"})", 600'000, u"agt"_s});
    QTRY_VERIFY(m_serve->output(1).endsWith('\n'));
    QTRY_VERIFY(QFileInfo(m_dir->filePath("pid")).size() > 0);
    const qint64 program = m_serve->output(1).trimmed().toLongLong();
    m_serve.reset();
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(program), 4'000);
    QTRY_COMPARE(m_server->connectionCount(), 0);
    // The agent's shell is still there for the next serve, with its command interrupted.
    m_serve = std::make_unique<Serve>(socket());
    m_serve->channel->send(port::CallStart{1, u"shell"_s, R"({"command":"echo $BASHPID"})", 10'000, u"agt"_s});
    QTRY_VERIFY_WITH_TIMEOUT(m_serve->find<port::CallResult>(1), 8'000);
    QCOMPARE(m_serve->find<port::CallResult>(1)->text.section('\n', 0, 0).toUtf8(),
             fileContent(m_dir->filePath("pid")).trimmed());
}

void TestToolServer::endsLeftoversWithTheProgram()
{
    m_serve->start(1, {"sh", "-c", "sleep 1000 >/dev/null 2>&1 & echo $!"});
    QTRY_VERIFY(m_serve->find<port::ExecExit>(1));
    const qint64 leftover = m_serve->output(1).trimmed().toLongLong();
    QVERIFY(leftover > 0);
    QTRY_VERIFY_WITH_TIMEOUT(!isAlive(leftover), 4'000);
}

QTEST_GUILESS_MAIN(TestToolServer)
#include "tst_tool_server.moc"
