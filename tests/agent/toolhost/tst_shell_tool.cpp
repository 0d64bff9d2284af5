// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/shell_tool.h"
#include "tests/agent/toolhost/tool_fixture.h"

#include <csignal>
#include <QDir>
#include <QElapsedTimer>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using agent::toolhost::ToolResult;
namespace shell = agent::toolhost::shell;

class TestShellTool : public QObject {
    Q_OBJECT
private slots:
    void init();
    void givesOutputExitCodeAndFolder();
    void keepsStateBetweenCalls();
    void keepsSessionsApart();
    void takesAnyCommandText_data();
    void takesAnyCommandText();
    void interruptsAtTheTimeoutAndKeepsTheSession_data();
    void interruptsAtTheTimeoutAndKeepsTheSession();
    void endsAShellThatCannotBeInterrupted();
    void startsAnewAfterExit();
    void keepsBackgroundJobs();
    void boundsAHugeOutput();
    void survivesABrokenTerminal();
    void cancelInterrupts();
    void streamsAsItComes();
    void takesTurnsInOneSession();
    void boundsTheNumberOfSessions();
    void comesBackAfterErrorsThatReachThePrompt();

private:
    ToolResult run(const QString& command, int timeoutSeconds = 20) const
    {
        return runTool(*m_tool, {{"command", command}, {"timeout_seconds", timeoutSeconds}});
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<shell::ShellTool> m_tool;
};

void TestShellTool::init()
{
    m_tool.reset();
    m_dir = std::make_unique<QTemporaryDir>();
    m_tool = std::make_unique<shell::ShellTool>(shell::ShellOptions{m_dir->path(), m_dir->filePath(".out"), 500ms});
}

void TestShellTool::givesOutputExitCodeAndFolder()
{
    ToolResult result = run("echo out; echo err >&2; printf last");
    QCOMPARE(result.text, u"out\nerr\nlast\n[exit code 0, in %1]"_s.arg(m_dir->path()));
    QVERIFY(!result.isError);
    result = run("(exit 42)");
    QCOMPARE(result.text, u"[exit code 42, in %1]"_s.arg(m_dir->path()));
    QVERIFY(!result.isError);
    QVERIFY(run("no-such-command-here").text.contains("[exit code 127"));
    QVERIFY(run("tty; test -t 0 && echo terminal").text.contains("terminal"));
}

void TestShellTool::keepsStateBetweenCalls()
{
    QVERIFY(run("mkdir -p sub && cd sub; export A=b; f() { echo \"f $1\"; }").text.endsWith("/sub]"));
    QVERIFY(run("echo $A; f x; pwd").text.startsWith(u"b\nf x\n%1/sub\n"_s.arg(m_dir->path())));
}

void TestShellTool::keepsSessionsApart()
{
    QVERIFY(!runTool(*m_tool, {{"command", "X=1"}, {"session", "one"}}).isError);
    QVERIFY(runTool(*m_tool, {{"command", "echo [$X]"}, {"session", "two"}}).text.startsWith("[]\n"));
    auto other = toolCall({{"command", "echo [$X]"}, {"session", "one"}});
    other.scope = "agt_2";
    QVERIFY(QCoro::waitFor(m_tool->run(other)).text.startsWith("[]\n"));
    QVERIFY(runTool(*m_tool, {{"command", "echo [$X]"}, {"session", "one"}}).text.startsWith("[1]\n"));
}

void TestShellTool::takesAnyCommandText_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<QString>("starts");
    QTest::newRow("here-document") << "cat <<'EOF'\n$x `y` \"z\"\nEOF" << "$x `y` \"z\"\n[exit code 0";
    QTest::newRow("several lines") << "for i in 1 2\ndo\n  echo $i\ndone" << "1\n2\n[exit code 0";
    QTest::newRow("history characters") << "echo 'a!b' \"c!!d\"" << "a!b c!!d\n[exit code 0";
    QTest::newRow("open quote") << "echo 'never closed" << "";
    QTest::newRow("open brace") << "{ echo x" << "";
    QTest::newRow("comment at the end") << "echo a # comment" << "a\n[exit code 0";
    QTest::newRow("backslash at the end") << "echo a \\" << "a";
    QTest::newRow("unicode") << u"echo h\u00e9\u20ac"_s << u"h\u00e9\u20ac\n[exit code 0"_s;
    QTest::newRow("long") << "echo " + QString(30'000, 'a') + " | wc -c" << "30001\n[exit code 0";
    QTest::newRow("background then done") << "sleep 0 & wait" << "";
    QTest::newRow("quiet failure with set -e in a subshell") << "(set -e; false; echo no)" << "[exit code 1";
}

void TestShellTool::takesAnyCommandText()
{
    QFETCH(QString, command);
    QFETCH(QString, starts);
    QElapsedTimer elapsed;
    elapsed.start();
    const ToolResult result = run(command, 5);
    QVERIFY2(result.text.startsWith(starts), qPrintable(result.text.left(300)));
    QVERIFY2(elapsed.elapsed() < 4'000, "the command must not wait for more");
    QVERIFY(run("echo alive").text.startsWith("alive"));
}

void TestShellTool::interruptsAtTheTimeoutAndKeepsTheSession_data()
{
    QTest::addColumn<QString>("command");
    QTest::newRow("sleep") << "sleep 1000; echo not reached";
    QTest::newRow("waits for input") << "cat";
    QTest::newRow("read") << "read -p 'name? ' x";
    QTest::newRow("loop in bash") << "while :; do :; done";
    QTest::newRow("loop of programs") << "while true; do sleep 0.01; done";
    QTest::newRow("pipeline") << "yes | cat > /dev/null";
    QTest::newRow("ignores SIGINT") << "bash -c 'trap \"\" INT; sleep 1000 & wait'";
    QTest::newRow("ignores SIGINT and SIGTERM") << "bash -c 'trap \"\" INT TERM; while :; do sleep 0.1; done'";
    QTest::newRow("raw terminal") << "stty raw -isig; sleep 1000";
    QTest::newRow("endless output") << "yes";
}

void TestShellTool::interruptsAtTheTimeoutAndKeepsTheSession()
{
    QFETCH(QString, command);
    QVERIFY(!run("MARK=kept").isError);
    QElapsedTimer elapsed;
    elapsed.start();
    const ToolResult result = run(command, 1);
    QVERIFY(result.isError);
    QVERIFY2(result.text.contains("was interrupted"), qPrintable(result.text.right(300)));
    QVERIFY(!result.text.contains("not reached"));
    QVERIFY(elapsed.elapsed() < 4'000);
    QCOMPARE(run("echo $MARK").text.section('\n', 0, 0), "kept");
}

void TestShellTool::endsAShellThatCannotBeInterrupted()
{
    const ToolResult result = run("trap '' INT; while :; do :; done", 1);
    QVERIFY(result.isError);
    QVERIFY2(result.text.contains("session has ended"), qPrintable(result.text));
    QVERIFY(run("echo new").text.startsWith("new\n"));
}

void TestShellTool::startsAnewAfterExit()
{
    const ToolResult result = run("cd /; echo bye; exit 3");
    QVERIFY(result.isError);
    QVERIFY2(result.text.startsWith("bye\n") && result.text.contains("ended, with exit code 3"),
             qPrintable(result.text));
    QVERIFY(run("exec true").text.contains("ended, with exit code 0"));
    QVERIFY(run("kill -9 $$").text.contains("ended, with exit code 137"));
    QVERIFY(run("pwd").text.startsWith(m_dir->path()));
}

void TestShellTool::keepsBackgroundJobs()
{
    QElapsedTimer elapsed;
    elapsed.start();
    QVERIFY(run("(sleep 1.2; echo done > late) & echo $! > pid").text.contains("[exit code 0"));
    QVERIFY(elapsed.elapsed() < 1'000);
    QVERIFY(run("kill -0 $(cat pid) && echo runs").text.contains("runs"));
    QTRY_COMPARE(fileContent(m_dir->filePath("late")), "done\n");
}

void TestShellTool::boundsAHugeOutput()
{
    QElapsedTimer elapsed;
    elapsed.start();
    const ToolResult result = run("head -c 100000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo; echo the end", 60);
    QVERIFY(!result.isError);
    QVERIFY(result.text.toUtf8().size() < 64 * 1024);
    QVERIFY(result.text.contains("the whole output is in"));
    QVERIFY(result.text.contains("\nthe end\n[exit code 0"));
    const QString spill = QDir(m_dir->filePath(".out")).entryList(QDir::Files).value(0);
    QCOMPARE(QFileInfo(m_dir->filePath(".out/" + spill)).size(), 100'000'000 + 1'010'102 + 8);
    qInfo("100 MB of output take %lld ms", elapsed.elapsed());
    // One line without an end.
    const ToolResult line = run("head -c 5000000 /dev/zero | tr '\\0' 'y'", 60);
    QVERIFY(line.text.contains("bytes are left out"));
}

void TestShellTool::survivesABrokenTerminal()
{
    QVERIFY(run("printf '\\033]0;no end'; stty raw; printf '\\033[31'").text.contains("[exit code 0"));
    QVERIFY(run("head -c 20000 /dev/urandom").text.contains("[exit code 0"));
    QVERIFY(run("exec 3>&1 >/dev/null 2>&1; echo hidden").text.startsWith("[exit code 0"));
    QVERIFY(run("exec >&3; echo shown").text.startsWith("shown"));
}

void TestShellTool::cancelInterrupts()
{
    std::stop_source stop;
    auto call = toolCall({{"command", "sleep 1000"}});
    call.stop = stop.get_token();
    QTimer::singleShot(200, this, [&stop] { stop.request_stop(); });
    const ToolResult result = QCoro::waitFor(m_tool->run(call));
    QVERIFY(result.isError);
    QVERIFY2(result.text.contains("was cancelled"), qPrintable(result.text));
    QVERIFY(run("echo alive").text.startsWith("alive"));
}

void TestShellTool::streamsAsItComes()
{
    QString seen;
    auto call = toolCall({{"command", "echo first; sleep 0.5; echo second"}});
    call.output = [&seen](const QString& text) { seen += text; };
    auto running = m_tool->run(call);
    QTRY_COMPARE(seen, "first\n");
    QVERIFY(!running.isReady());
    QVERIFY(QCoro::waitFor(std::move(running)).text.startsWith("first\nsecond\n"));
    QCOMPARE(seen, "first\nsecond\n");
}

void TestShellTool::takesTurnsInOneSession()
{
    auto first = m_tool->run(toolCall({{"command", "sleep 0.3; echo 1 >> order"}}));
    auto second = m_tool->run(toolCall({{"command", "echo 2 >> order"}}));
    QCoro::waitFor(std::move(first));
    QCoro::waitFor(std::move(second));
    QCOMPARE(fileContent(m_dir->filePath("order")), "1\n2\n");
}

void TestShellTool::boundsTheNumberOfSessions()
{
    for (int i = 0; i < shell::kSessionsOfAgentMax; ++i)
        QVERIFY(!runTool(*m_tool, {{"command", "true"}, {"session", QString::number(i)}}).isError);
    const ToolResult over = runTool(*m_tool, {{"command", "true"}, {"session", "over"}});
    QVERIFY(over.isError && over.text.contains("Too many"));
    QVERIFY(runTool(*m_tool, {{"command", "exit"}, {"session", "0"}}).isError);
    QVERIFY(!runTool(*m_tool, {{"command", "true"}, {"session", "over"}}).isError);
}

void TestShellTool::comesBackAfterErrorsThatReachThePrompt()
{
    QElapsedTimer elapsed;
    elapsed.start();
    QVERIFY(run(": ${NOT_SET:?is needed}; echo no", 10).text.contains("is needed"));
    QVERIFY(run("kill -INT $$; sleep 0.1; echo after", 10).text.contains("[exit code"));
    QVERIFY(elapsed.elapsed() < 5'000);
    QVERIFY(run("set -u; echo $NOT_SET", 10).text.contains("NOT_SET"));
    QVERIFY(run("echo alive", 10).text.startsWith("alive"));
}

QTEST_GUILESS_MAIN(TestShellTool)
#include "tst_shell_tool.moc"
