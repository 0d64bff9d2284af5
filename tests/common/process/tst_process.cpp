// SPDX-License-Identifier: AGPL-3.0-only
#include "common/async/wait.h"
#include "common/process/line_reader.h"
#include "common/process/run_process.h"

#include <csignal>
#include <QCoroTask>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace cocoonbox;
using namespace cocoonbox::process;
using namespace std::chrono_literals;

namespace {

ProcessSpec shell(const QString& script)
{
    ProcessSpec spec;
    spec.program = QStringLiteral("sh");
    spec.arguments = {QStringLiteral("-c"), script};
    return spec;
}

QCoro::Task<QList<QByteArray>> readAll(LineReader* reader)
{
    QList<QByteArray> lines;
    while (std::optional<QByteArray> line = co_await reader->next())
        lines.append(*line);
    co_return lines;
}

bool isAlive(qint64 pid)
{
    return ::kill(static_cast<pid_t>(pid), 0) == 0;
}

bool until(std::function<bool()> condition)
{
    return QCoro::waitFor(pollUntil(std::move(condition), std::chrono::milliseconds(10), std::chrono::seconds(10),
                                    QStringLiteral("the test")))
        .has_value();
}

} // namespace

class TestProcess : public QObject {
    Q_OBJECT
private slots:
    void outputInputEnvironmentAndCodeArrive()
    {
        ProcessSpec spec = shell(QStringLiteral("cat; echo $EXTRA; pwd; echo bad >&2; exit 3"));
        spec.input = "in\n";
        spec.environment.insert(QStringLiteral("EXTRA"), QStringLiteral("value"));
        spec.workingDirectory = QStringLiteral("/usr");
        const auto result = QCoro::waitFor(runProcess(spec));
        QVERIFY(result);
        QCOMPARE(result->output, QByteArray("in\nvalue\n/usr\n"));
        QCOMPARE(result->errorOutput, QByteArray("bad\n"));
        QCOMPARE(result->exitCode, 3);
    }

    void aMissingProgramIsSaid()
    {
        ProcessSpec spec;
        spec.program = QStringLiteral("no-such-program");
        const auto result = QCoro::waitFor(runProcess(spec));
        QCOMPARE(result.error().code, ErrorCode::NotFound);
        QCOMPARE(result.error().reason, QStringLiteral("PROGRAM_NOT_FOUND"));
    }

    void aCheckedRunFailsWithTheEndOfStderr()
    {
        const auto result = QCoro::waitFor(runProcessChecked(shell(QStringLiteral("echo why >&2; exit 4"))));
        QCOMPARE(result.error().reason, QStringLiteral("PROCESS_FAILED"));
        QCOMPARE(result.error().detail, QStringLiteral("why"));
        QCOMPARE(QCoro::waitFor(runProcessChecked(shell(QStringLiteral("echo out")))).value(), QByteArray("out\n"));
    }

    void theDeadlineEndsTheWholeGroup()
    {
        QTemporaryDir dir;
        ProcessSpec spec = shell(QStringLiteral("sleep 1000 & echo $! > pid; wait"));
        spec.workingDirectory = dir.path();
        spec.timeout = 300ms;
        QElapsedTimer elapsed;
        elapsed.start();
        const auto result = QCoro::waitFor(runProcess(spec));
        QCOMPARE(result.error().code, ErrorCode::DeadlineExceeded);
        QCOMPARE(result.error().reason, QStringLiteral("PROCESS_TIMEOUT"));
        QVERIFY(elapsed.elapsed() < 10'000);
        QFile file(dir.filePath(QStringLiteral("pid")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const qint64 grandchild = file.readAll().trimmed().toLongLong();
        QVERIFY(grandchild > 0);
        QVERIFY(until([&] { return !isAlive(grandchild); }));
    }

    void aDeafProgramIsKilled()
    {
        ProcessSpec spec = shell(QStringLiteral("trap '' TERM; while :; do sleep 0.05; done"));
        spec.timeout = 200ms;
        QElapsedTimer elapsed;
        elapsed.start();
        QCOMPARE(QCoro::waitFor(runProcess(spec)).error().reason, QStringLiteral("PROCESS_TIMEOUT"));
        QVERIFY(elapsed.elapsed() >= 2000);
        QVERIFY(elapsed.elapsed() < 15'000);
    }

    void aCancelEndsIt()
    {
        std::stop_source source;
        QTimer::singleShot(50, this, [&source] { source.request_stop(); });
        const auto result = QCoro::waitFor(runProcess(shell(QStringLiteral("exec sleep 1000")), source.get_token()));
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void tooMuchOutputEndsIt()
    {
        ProcessSpec spec = shell(QStringLiteral("yes"));
        spec.outputBytesMax = 100'000;
        QCOMPARE(QCoro::waitFor(runProcess(spec)).error().reason, QStringLiteral("PROCESS_OUTPUT_LIMIT"));
        spec = shell(QStringLiteral("yes >&2"));
        spec.outputBytesMax = 100'000;
        QCOMPARE(QCoro::waitFor(runProcess(spec)).error().reason, QStringLiteral("PROCESS_OUTPUT_LIMIT"));
    }

    void aForeignSignalIsSaid()
    {
        QCOMPARE(QCoro::waitFor(runProcess(shell(QStringLiteral("kill -9 $$")))).error().reason,
                 QStringLiteral("PROCESS_KILLED"));
    }

    void theChildInheritsNoDescriptorAndNoMask()
    {
        sigset_t blocked;
        sigset_t before;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
        const int leak = ::dup(0);
        const auto result = QCoro::waitFor(
            runProcess(shell(QStringLiteral("ls /proc/self/fd | wc -l; grep SigBlk /proc/self/status"))));
        ::close(leak);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        // ls itself opens one.
        QCOMPARE(result->output, QByteArray("4\nSigBlk:\t0000000000000000\n"));
    }

    void linesArriveOneByOneAndTheEndIsTold()
    {
        const auto reader = QCoro::waitFor(
            LineReader::start(shell(QStringLiteral("echo a; printf 'b\\n\\nlast'; echo no >&2; exit 5"))));
        QVERIFY(reader);
        QCOMPARE(QCoro::waitFor(readAll(reader->get())), (QList<QByteArray>{"a", "b", "", "last"}));
        const Result<void> ending = (*reader)->ending();
        QCOMPARE(ending.error().reason, QStringLiteral("PROCESS_FAILED"));
        QCOMPARE(ending.error().detail, QStringLiteral("no"));
    }

    void aReaderStopsItsProgram()
    {
        auto reader = QCoro::waitFor(LineReader::start(shell(QStringLiteral("echo ready; exec sleep 1000"))));
        QCOMPARE(QCoro::waitFor((*reader)->next()).value(), QByteArray("ready"));
        const qint64 pid = (*reader)->processId();
        QVERIFY(isAlive(pid));
        reader->reset();
        QVERIFY(until([&] { return !isAlive(pid); }));
    }

    void aProgramThatFloodsIsStopped()
    {
        auto longLine = QCoro::waitFor(
            LineReader::start(shell(QStringLiteral("head -c 200000 /dev/zero | tr '\\0' x; sleep 1000"))));
        QCoro::waitFor(readAll(longLine->get()));
        QCOMPARE((*longLine)->ending().error().reason, QStringLiteral("PROCESS_OUTPUT_LIMIT"));

        auto unread = QCoro::waitFor(LineReader::start(shell(QStringLiteral("yes"))));
        const qint64 pid = (*unread)->processId();
        QVERIFY(until([&] { return !isAlive(pid); }));
        QVERIFY(QCoro::waitFor(readAll(unread->get())).size() <= 1025);
        QCOMPARE((*unread)->ending().error().reason, QStringLiteral("PROCESS_OUTPUT_LIMIT"));
    }

    void aReaderOfNoProgramFails()
    {
        ProcessSpec spec;
        spec.program = QStringLiteral("no-such-program");
        QCOMPARE(QCoro::waitFor(LineReader::start(spec)).error().reason, QStringLiteral("PROGRAM_NOT_FOUND"));
    }
};

QTEST_GUILESS_MAIN(TestProcess)
#include "tst_process.moc"
