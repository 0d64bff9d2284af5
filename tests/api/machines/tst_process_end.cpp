// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/process_end.h"

#include <csignal>
#include <limits>
#include <QProcess>
#include <QTest>

namespace cocoonbox::api::machines {

class ProcessEndTest final : public QObject {
    Q_OBJECT
private slots:
    void anEndIsToldOnce()
    {
        QProcess sleeper;
        sleeper.start(QStringLiteral("sleep"), {QStringLiteral("1000")});
        QVERIFY(sleeper.waitForStarted());
        int told = 0;
        const auto end = ProcessEnd::watch(sleeper.processId(), [&told] { ++told; });
        QVERIFY(end);
        QVERIFY(!(*end)->hasHappened());

        ::kill(static_cast<pid_t>(sleeper.processId()), SIGKILL);

        QTRY_COMPARE(told, 1);
        QVERIFY((*end)->hasHappened());
        sleeper.waitForFinished();
        QCoreApplication::processEvents();
        QCOMPARE(told, 1);
    }

    void theWatcherMayBeDestroyedByWhatItCalls()
    {
        QProcess brief;
        brief.start(QStringLiteral("sleep"), {QStringLiteral("0.05")});
        QVERIFY(brief.waitForStarted());
        std::unique_ptr<ProcessEnd> end;
        bool told = false;
        end = *ProcessEnd::watch(brief.processId(), [&] {
            told = true;
            end.reset();
        });

        QTRY_VERIFY(told);

        QVERIFY(!end);
        brief.waitForFinished();
    }

    void aProcessThatIsGoneIsSaid()
    {
        QCOMPARE(ProcessEnd::watch(0, {}).error().reason, QStringLiteral("PROCESS_GONE"));
        QCOMPARE(ProcessEnd::watch(std::numeric_limits<pid_t>::max(), {}).error().reason,
                 QStringLiteral("PROCESS_GONE"));
    }
};

} // namespace cocoonbox::api::machines

QTEST_GUILESS_MAIN(cocoonbox::api::machines::ProcessEndTest)
#include "tst_process_end.moc"
