// SPDX-License-Identifier: AGPL-3.0-only
// The real program: what it leaves behind, how it ends, what it weighs.
#include "tests/agent/toolhost/serve_end.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace Qt::StringLiterals;

class TestToolhostProcess : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void itsProgramsDieWithIt();
    void endsCleanlyWhenAsked();
    void isSmall();
    void saysWhenItsPeerIsUnknown();

private:
    // The process ids of a program, of a shell's command and of a job that asked to stay.
    QList<qint64> startPrograms();

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<QProcess> m_toolhost;
    std::unique_ptr<Serve> m_serve;
};

void TestToolhostProcess::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_dir->path()).mkpath("run/tools") && QDir(m_dir->path()).mkpath("workspace"));
    m_toolhost = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("COCOONBOX_AGENT__RUN_DIR", m_dir->filePath("run"));
    environment.insert("COCOONBOX_AGENT__WORKSPACE", m_dir->filePath("workspace"));
    environment.insert("COCOONBOX_AGENT__SERVE_USER", qEnvironmentVariable("USER", "root"));
    m_toolhost->setProcessEnvironment(environment);
    m_toolhost->start(COCOONBOX_BINARY_DIR "/bin/cocoonbox-agent-light", {"toolhost"});
    QTRY_VERIFY(QFileInfo::exists(m_dir->filePath("run/tools/tools.sock")));
    m_serve = std::make_unique<Serve>(m_dir->filePath("run/tools/tools.sock"));
    QTRY_VERIFY(!m_serve->heard.isEmpty());
}

void TestToolhostProcess::cleanup()
{
    m_serve.reset();
    if (m_toolhost) m_toolhost->kill();
    if (m_toolhost) m_toolhost->waitForFinished();
}

QList<qint64> TestToolhostProcess::startPrograms()
{
    m_serve->start(1, {"sh", "-c", "trap '' HUP TERM; echo $$; while :; do sleep 1; done"});
    m_serve->channel->send(port::CallStart{
        2, u"shell"_s,
        R"({"command":"setsid sh -c 'echo $$ > stays; exec sleep 30' & sh -c 'echo $$ > shell; sleep 1000'"})", 600'000,
        u"agt"_s});
    const QString shell = m_dir->filePath("workspace/shell");
    const QString stays = m_dir->filePath("workspace/stays");
    (void)QTest::qWaitFor([&] {
        return m_serve->output(1).endsWith('\n') && QFileInfo(shell).size() > 0 && QFileInfo(stays).size() > 0;
    });
    return {m_serve->output(1).trimmed().toLongLong(), fileContent(shell).trimmed().toLongLong(),
            fileContent(stays).trimmed().toLongLong()};
}

void TestToolhostProcess::itsProgramsDieWithIt()
{
    const QList<qint64> pids = startPrograms();
    for (const qint64 pid : pids)
        QVERIFY(isAlive(pid));
    m_toolhost->kill();
    QVERIFY(m_toolhost->waitForFinished());
    QTRY_VERIFY(!isAlive(pids.at(0)));
    QTRY_VERIFY(!isAlive(pids.at(1)));
    QVERIFY(isAlive(pids.at(2)));
    ::kill(static_cast<pid_t>(pids.at(2)), SIGKILL);
}

void TestToolhostProcess::endsCleanlyWhenAsked()
{
    const QList<qint64> pids = startPrograms();
    QElapsedTimer elapsed;
    elapsed.start();
    m_toolhost->terminate();
    QTRY_COMPARE_WITH_TIMEOUT(m_toolhost->state(), QProcess::NotRunning, 4'000);
    QCOMPARE(m_toolhost->exitStatus(), QProcess::NormalExit);
    QCOMPARE(m_toolhost->exitCode(), 0);
    QTRY_VERIFY(!isAlive(pids.at(0)) && !isAlive(pids.at(1)));
    ::kill(static_cast<pid_t>(pids.at(2)), SIGKILL);
}

void TestToolhostProcess::isSmall()
{
    const QByteArray rollup = fileContent(u"/proc/%1/smaps_rollup"_s.arg(m_toolhost->processId()));
    const qsizetype at = rollup.indexOf("\nPss:");
    QVERIFY(at > 0);
    const qint64 kib = rollup.sliced(at + 5).simplified().split(' ').first().toLongLong();
    qInfo("idle toolhost: PSS %lld KiB", kib);
    QVERIFY(kib > 0 && kib <= 20 * 1024);
}

void TestToolhostProcess::saysWhenItsPeerIsUnknown()
{
    QProcess lost;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("COCOONBOX_AGENT__SERVE_USER", "nobody-of-this-name");
    lost.setProcessEnvironment(environment);
    lost.start(COCOONBOX_BINARY_DIR "/bin/cocoonbox-agent-light", {"toolhost"});
    QVERIFY(lost.waitForFinished());
    QCOMPARE(lost.exitCode(), 2);
    QVERIFY(lost.readAllStandardError().contains("COCOONBOX_AGENT__SERVE_USER"));
}

QTEST_GUILESS_MAIN(TestToolhostProcess)
#include "tst_toolhost_process.moc"
