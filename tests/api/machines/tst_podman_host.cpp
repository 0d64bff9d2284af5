// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_host.h"

#include <QTest>

namespace cocoonbox::api::machines {

namespace {

HostFacts facts(bool unified, bool runc, bool crun)
{
    HostFacts found;
    found.hasUnifiedCgroups = unified;
    found.hasRunc = runc;
    found.hasCrun = crun;
    found.isRoot = true;
    found.openFilesHard = 1048576;
    found.processesHard = 1048576;
    return found;
}

QByteArray information(bool rootless, const char* version, const char* controllers)
{
    return QByteArray(R"({"host":{"cgroupVersion":")") + version + R"(","cgroupControllers":)" + controllers +
           R"(,"security":{"rootless":)" + (rootless ? "true" : "false") + "}}}";
}

} // namespace

class PodmanHostTest final : public QObject {
    Q_OBJECT
private slots:
    void theRuntimeFitsTheCgroups_data()
    {
        QTest::addColumn<bool>("unified");
        QTest::addColumn<bool>("runc");
        QTest::addColumn<bool>("crun");
        QTest::addColumn<QString>("chosen");
        QTest::newRow("unified, both") << true << true << true << QStringLiteral("crun");
        QTest::newRow("unified, runc only") << true << true << false << QStringLiteral("runc");
        QTest::newRow("hybrid, both") << false << true << true << QStringLiteral("runc");
        QTest::newRow("hybrid, crun only") << false << false << true << QStringLiteral("crun");
    }

    void theRuntimeFitsTheCgroups()
    {
        QFETCH(bool, unified);
        QFETCH(bool, runc);
        QFETCH(bool, crun);
        QFETCH(QString, chosen);

        const auto host = chooseHost(facts(unified, runc, crun), {});

        QVERIFY(host);
        QCOMPARE(host->runtime, chosen);
    }

    void aConfiguredRuntimeIsTaken()
    {
        QCOMPARE(chooseHost(facts(true, true, true), QStringLiteral("runc"))->runtime, QStringLiteral("runc"));
    }

    void noRuntimeIsSaid()
    {
        const auto host = chooseHost(facts(true, false, false), {});

        QVERIFY(!host);
        QCOMPARE(host.error().reason, QStringLiteral("RUNTIME_MISSING"));
    }

    void ulimitsStayWithinTheHardLimits()
    {
        HostFacts small = facts(false, true, false);
        small.openFilesHard = 1024;

        const auto host = chooseHost(small, {});

        QCOMPARE(host->openFilesMax, 1024);
        QCOMPARE(host->processesMax, 4096);
    }

    void theCgroupManagerIsSystemdOnlyWhereItRuns()
    {
        HostFacts booted = facts(true, true, true);
        booted.hasSystemd = true;

        QCOMPARE(chooseHost(booted, {})->cgroupManager, QStringLiteral("systemd"));
        QCOMPARE(chooseHost(facts(true, true, true), {})->cgroupManager, QStringLiteral("cgroupfs"));
    }

    void limitsNeedDelegatedControllers_data()
    {
        QTest::addColumn<QByteArray>("podman");
        QTest::addColumn<bool>("cpu");
        QTest::addColumn<bool>("memory");
        QTest::addColumn<int>("warnings");
        QTest::newRow("root, old layout")
            << information(false, "v1", R"(["cpu","memory","pids"])") << true << true << 0;
        QTest::newRow("rootless, unified")
            << information(true, "v2", R"(["cpu","memory","pids"])") << true << true << 0;
        QTest::newRow("rootless, no cpu") << information(true, "v2", R"(["memory","pids"])") << false << true << 1;
        QTest::newRow("rootless, old layout")
            << information(true, "v1", R"(["cpu","memory","pids"])") << false << false << 3;
        QTest::newRow("rootless, nothing delegated") << information(true, "v2", "null") << false << false << 3;
    }

    void limitsNeedDelegatedControllers()
    {
        QFETCH(QByteArray, podman);
        QFETCH(bool, cpu);
        QFETCH(bool, memory);
        QFETCH(int, warnings);

        const auto host = completeHost(*chooseHost(facts(true, true, true), {}), podman);

        QVERIFY(host);
        QCOMPARE(host->limitsCpu, cpu);
        QCOMPARE(host->limitsMemory, memory);
        QCOMPARE(host->warnings.size(), warnings);
    }

    void anUnreadableAnswerIsSaid()
    {
        const auto host = completeHost(*chooseHost(facts(true, true, true), {}), "Error: no");

        QVERIFY(!host);
        QCOMPARE(host.error().reason, QStringLiteral("PODMAN_UNREADABLE"));
    }
};

} // namespace cocoonbox::api::machines

QTEST_GUILESS_MAIN(cocoonbox::api::machines::PodmanHostTest)
#include "tst_podman_host.moc"
