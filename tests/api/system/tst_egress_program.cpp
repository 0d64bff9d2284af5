// SPDX-License-Identifier: AGPL-3.0-only
// cocoonbox-egress as a process: its doors, other rules by SIGHUP, an orderly end, and what it refuses.
#include <csignal>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace Qt::StringLiterals;

class TestEgressProgram : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_dir->path()).mkdir(u"door"_s));
    }
    void servesOneDoorAndTakesOtherRules()
    {
        write({});
        QProcess program;
        start(program);
        QTRY_VERIFY(QFile::exists(m_dir->filePath(u"door/socks.sock"_s)));
        QCOMPARE(ask(), "egress denied: 192.0.2.1\n 403");
        write("[egress.rules.any]\nhost = '*'\n");
        QVERIFY(::kill(static_cast<pid_t>(program.processId()), SIGHUP) == 0);
        QTRY_VERIFY(ask().contains("blocked internal address"));
        write("[egress.rules.any]\nhost = '*.'\n");
        QVERIFY(::kill(static_cast<pid_t>(program.processId()), SIGHUP) == 0);
        QByteArray said;
        QTRY_VERIFY((said += program.readAllStandardError()).contains("stays as it was"));
        QVERIFY(ask().contains("blocked internal address"));
        program.terminate();
        QVERIFY(program.waitForFinished(5'000));
        QCOMPARE(program.exitCode(), 0);
        QVERIFY(!QFile::exists(m_dir->filePath(u"door/http.sock"_s)));
        QFile audit(m_dir->filePath(u"egress.jsonl"_s));
        QVERIFY(audit.open(QIODevice::ReadOnly));
        QVERIFY(audit.readAll().contains("\"reason\":\"NO_RULE\""));
    }
    void saysWhatIsWrong()
    {
        write("[egress.rules.any]\nhost = '*.'\n");
        QProcess program;
        start(program);
        QVERIFY(program.waitForFinished(5'000));
        QCOMPARE(program.exitCode(), 1);
        const QByteArray said = program.readAllStandardError();
        QVERIFY2(said.contains("egress.toml:3: \"egress.rules.any.host\""), said.constData());
        program.start(m_program, {u"--config"_s, u"x"_s});
        QVERIFY(program.waitForFinished(5'000));
        QCOMPARE(program.exitCode(), 2);
    }

private:
    void write(const QByteArray& rules)
    {
        QFile file(m_dir->filePath(u"new.toml"_s)); // the program may read at any moment
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write("audit-dir = '" + m_dir->path().toUtf8() + "'\n" + rules);
        file.close();
        const QByteArray name = QFile::encodeName(m_dir->filePath(u"egress.toml"_s));
        if (::rename(QFile::encodeName(file.fileName()).constData(), name.constData()) != 0) qFatal("cannot rename");
    }
    void start(QProcess& program)
    {
        program.start(m_program,
                      {u"--config"_s, m_dir->filePath(u"egress.toml"_s), u"--door"_s, m_dir->filePath(u"door"_s)});
    }
    QByteArray ask()
    {
        QProcess curl;
        curl.start(u"curl"_s,
                   {u"-sS"_s, u"--max-time"_s, u"5"_s, u"--unix-socket"_s, m_dir->filePath(u"door/http.sock"_s),
                    u"-w"_s, u" %{http_code}"_s, u"--request-target"_s, u"http://192.0.2.1/"_s, u"http://x/"_s});
        curl.waitForFinished(10'000);
        return curl.readAllStandardOutput();
    }

    const QString m_program = QStringLiteral(COCOONBOX_BINARY_DIR "/bin/cocoonbox-egress");
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestEgressProgram)
#include "tst_egress_program.moc"
