// SPDX-License-Identifier: AGPL-3.0-only
#include "common/base/ids.h"
#include "tests/conformance/machines/machines_suite.h"
#include "tests/conformance/machines/podman_rig.h"

#include <algorithm>
#include <QCoroTask>
#include <QDir>
#include <QTest>

namespace cocoonbox::api::machines {

// What podman adds to the port's promises: what the box sees of the host, and what others do to our containers.
class PodmanOnly final : public QObject {
    Q_OBJECT
public:
    explicit PodmanOnly(PodmanRig& rig) : m_rig(rig) {}

private:
    Machine running()
    {
        auto machine = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(newId(u"box_"))));
        if (!machine || !QCoro::waitFor(m_rig.machines().wake(machine->id))) qFatal("cannot make a running machine");
        return *machine;
    }
    QByteArray said(const Machine& machine, const QString& script)
    {
        return m_rig.inBox(machine.id, script).output.trimmed();
    }

    PodmanRig& m_rig;

private slots:
    void cleanup()
    {
        for (const Machine& machine : m_rig.machines().machines())
            QVERIFY(QCoro::waitFor(m_rig.machines().release(machine.id)));
    }

    void theBoxHasNoNetworkAndNothingOfTheHostsEnvironment()
    {
        qputenv("http_proxy", "http://user:password@proxy.invalid:1");
        const Machine machine = running();
        qunsetenv("http_proxy");

        QCOMPARE(said(machine, QStringLiteral("/bin/busybox ls /sys/class/net")), QByteArray("lo"));
        QVERIFY(!said(machine, QStringLiteral("/bin/busybox env")).contains("proxy"));
        QCOMPARE(said(machine, QStringLiteral("/bin/busybox hostname")), QByteArray("cocoonbox"));
    }

    void theBoxCannotWriteItsIdentityNorTheDoor()
    {
        const Machine machine = running();
        QVERIFY(QCoro::waitFor(m_rig.machines().deliver(
            machine.id, {machine.boxId, QStringLiteral("w1"), QStringLiteral("k1"), QByteArray(32, 'k')})));

        QVERIFY(said(machine, QStringLiteral("/bin/busybox cat /run/cocoonbox-identity/identity")).contains("\"w1\""));
        for (const QString& path :
             {QStringLiteral("/run/cocoonbox-identity/x"), QStringLiteral("/run/cocoonbox/door/x")}) {
            const auto written = m_rig.inBox(machine.id, QStringLiteral("echo x > ") + path);
            QVERIFY2(written.errorOutput.contains("Read-only file system"), written.errorOutput.constData());
        }
    }

    void theBoxKeepsFewRightsAndItsLimits()
    {
        const Machine machine = running();

        // CHOWN DAC_OVERRIDE FOWNER KILL SETGID SETUID SYS_CHROOT, and no others.
        QCOMPARE(said(machine, QStringLiteral("/bin/busybox grep CapBnd /proc/1/status")),
                 QByteArray("CapBnd:\t00000000000400eb"));
        QCOMPARE(said(machine, QStringLiteral("/bin/busybox grep NoNewPrivs /proc/1/status")),
                 QByteArray("NoNewPrivs:\t1"));
        const auto limits = m_rig
                                .podman({QStringLiteral("inspect"), QStringLiteral("--format"),
                                         QStringLiteral("{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} "
                                                        "{{.HostConfig.NanoCpus}} {{.HostConfig.PidsLimit}} "
                                                        "{{.HostConfig.ShmSize}}"),
                                         machine.id})
                                .output.trimmed();
        // An account without root has what was delegated to it; what a box goes without is in the log.
        const PodmanHost& host = m_rig.host();
        QCOMPARE(limits, QByteArray(host.limitsMemory ? "1073741824 1073741824 " : "0 0 ") +
                             (host.limitsCpu ? "1000000000 " : "0 ") + (host.limitsPids ? "1024 " : "0 ") +
                             "268435456");
        QCOMPARE(host.warnings.isEmpty(), host.limitsMemory && host.limitsCpu && host.limitsPids);
    }

    void aRestartOfTheApiFindsTheBoxesAsTheyAre()
    {
        const Machine awake = running();
        const Machine asleep = running();
        const Machine died = running();
        QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(asleep.id)));
        QVERIFY(QCoro::waitFor(m_rig.machines().setMeta(awake.id, QStringLiteral("k"), QStringLiteral("v"))));

        m_rig.close();
        m_rig.kill(died);
        const auto opened = m_rig.reopen();

        QVERIFY2(opened, opened ? "" : qPrintable(opened.error().message + opened.error().detail));
        const QList<Machine> machines = m_rig.machines().machines();
        QCOMPARE(machines.size(), 3);
        QCOMPARE(machines.at(0).id, awake.id);
        QCOMPARE(machines.at(0).image, awake.image);
        QCOMPARE(machines.at(0).flavor, awake.flavor);
        QCOMPARE(machines.at(0).state, MachineState::Running);
        QCOMPARE(machines.at(1).state, MachineState::Stopped);
        QCOMPARE(machines.at(2).state, MachineState::Failed);
        QVERIFY2(machines.at(2).reason.contains(u"signal 9"), qPrintable(machines.at(2).reason));
        QVERIFY(m_rig.machines().endpoint(awake.id));
        QCOMPARE(QCoro::waitFor(m_rig.machines().meta(awake.id))->value(QStringLiteral("k")), QStringLiteral("v"));
        m_rig.kill(awake);
        QTRY_COMPARE(m_rig.machines().machines().constFirst().state, MachineState::Failed);
    }

    void othersContainersAreLeftAlone()
    {
        const auto made =
            m_rig.podman({QStringLiteral("create"), QStringLiteral("--label"),
                          QStringLiteral("cocoonbox.home=/another/data/directory"), QStringLiteral("--label"),
                          QStringLiteral("cocoonbox.box=") + newId(u"box_"), QStringLiteral("--network"),
                          QStringLiteral("none"), QStringLiteral("localhost/cocoonbox-test:current")});
        QCOMPARE(made.exitCode, 0);
        const QString foreign = QString::fromLatin1(made.output.trimmed());

        const auto listed = QCoro::waitFor(m_rig.machines().list());

        QVERIFY(listed && listed->isEmpty());
        QVERIFY(QCoro::waitFor(m_rig.machines().release(foreign)));
        QCOMPARE(QCoro::waitFor(m_rig.machines().wake(foreign)).error().reason, QStringLiteral("MACHINE_UNKNOWN"));
        QCOMPARE(m_rig.podman({QStringLiteral("rm"), foreign}).exitCode, 0);
    }

    void aMachineStoppedByOthersIsStopped()
    {
        const Machine machine = running();

        m_rig.podman({QStringLiteral("stop"), machine.id});

        QTRY_COMPARE(m_rig.machines().machines().constFirst().state, MachineState::Stopped);
    }

    void aMachineRemovedByOthersIsGone()
    {
        const Machine asleep = running();
        const Machine awake = running();
        QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(asleep.id)));
        m_rig.podman({QStringLiteral("rm"), asleep.id});
        m_rig.podman(
            {QStringLiteral("rm"), QStringLiteral("--force"), QStringLiteral("--time"), QStringLiteral("0"), awake.id});

        const auto woken = QCoro::waitFor(m_rig.machines().wake(asleep.id));

        QCOMPARE(woken.error().reason, QStringLiteral("MACHINE_UNKNOWN"));
        QTRY_VERIFY(m_rig.machines().machines().isEmpty());
        const auto again = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(asleep.boxId)));
        QVERIFY(again && again->id != asleep.id);
    }

    void listFindsAMachineRemovedByOthers()
    {
        const auto machine = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(newId(u"box_"))));
        QVERIFY(machine);
        m_rig.podman({QStringLiteral("rm"), machine->id});

        const auto listed = QCoro::waitFor(m_rig.machines().list());

        QVERIFY(listed && listed->isEmpty());
    }

    void aMachineStartedByOthersIsTakenOverByWake()
    {
        const auto machine = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(newId(u"box_"))));
        QVERIFY(machine);
        m_rig.podman({QStringLiteral("start"), machine->id});

        QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine->id)));

        QVERIFY(m_rig.machines().endpoint(machine->id));
        m_rig.kill(*machine);
        QTRY_COMPARE(m_rig.machines().machines().constFirst().state, MachineState::Failed);
    }

    void aClaimWhoseAnswerWasLostIsFoundByTheNext()
    {
        const MachineSpec spec = m_rig.spec(newId(u"box_"));
        const auto directories = BoxDirectories::open(m_rig.dataDirectory());
        QVERIFY(directories->prepare(spec.boxId));
        auto host = chooseHost(readHostFacts(), {});
        const auto lost =
            QCoro::waitFor(process::runProcess(PodmanCommands(m_rig.config(), *host).create(spec, *directories)));
        QVERIFY(lost && lost->exitCode == 0);

        const auto machine = QCoro::waitFor(m_rig.machines().claim(spec));

        QVERIFY2(machine, machine ? "" : qPrintable(machine.error().message));
        QCOMPARE(machine->id, QString::fromLatin1(lost->output.trimmed()));
    }

    void aMissingImageIsSaidAndLeavesNoMachine()
    {
        MachineSpec spec = m_rig.spec(newId(u"box_"));
        spec.image = QStringLiteral("localhost/never-built:current");

        const auto machine = QCoro::waitFor(m_rig.machines().claim(spec));

        QVERIFY(!machine);
        QCOMPARE(machine.error().reason, QStringLiteral("IMAGE_MISSING"));
        QVERIFY(m_rig.machines().machines().isEmpty());
    }

    void aBoxThatEndsAtOnceIsSaid()
    {
        m_rig.podman({QStringLiteral("build"), QStringLiteral("--network"), QStringLiteral("none"),
                      QStringLiteral("--tag"), QStringLiteral("localhost/ends-at-once:current"), QStringLiteral("-")},
                     "FROM localhost/cocoonbox-test:current\nCMD [\"/bin/busybox\",\"false\"]\n");
        MachineSpec spec = m_rig.spec(newId(u"box_"));
        spec.image = QStringLiteral("localhost/ends-at-once:current");
        const auto machine = QCoro::waitFor(m_rig.machines().claim(spec));
        QVERIFY2(machine, machine ? "" : qPrintable(machine.error().detail));

        const auto woken = QCoro::waitFor(m_rig.machines().wake(machine->id));

        if (!woken) QCOMPARE(woken.error().reason, QStringLiteral("MACHINE_DIED"));
        QTRY_COMPARE(m_rig.machines().machines().constFirst().state, MachineState::Failed);
        QTRY_VERIFY(m_rig.machines().machines().constFirst().reason.contains(u"exit code 1"));
    }

    void podmanThatIsNotThereIsSaid()
    {
        PodmanConfig config = m_rig.config();
        config.program = QStringLiteral("/nowhere/podman");

        const auto opened = QCoro::waitFor(PodmanMachines::open(config));

        QVERIFY(!opened);
        QCOMPARE(opened.error().reason, QStringLiteral("PODMAN_MISSING"));
    }

    void wakeOfAStoppedMachineIsQuick()
    {
        const Machine machine = running();
        QList<qint64> times;
        for (int round = 0; round < 5; ++round) {
            QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(machine.id)));
            QElapsedTimer elapsed;
            elapsed.start();
            QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine.id)));
            times.append(elapsed.elapsed());
        }
        std::ranges::sort(times);
        qInfo("wake of a stopped machine: median %lld ms, best %lld ms", times.at(2), times.at(0));
        QVERIFY(times.at(0) < 2000);
    }
};

} // namespace cocoonbox::api::machines

int main(int argc, char** argv)
{
    using namespace cocoonbox::api::machines;
    QCoreApplication app(argc, argv);
    PodmanRig rig;
    if (const QString trouble = rig.open(); !trouble.isEmpty()) {
        qInfo("SKIP: podman cannot run here: %s", qPrintable(trouble));
        return 0;
    }
    MachinesSuite suite(rig);
    PodmanOnly only(rig);
    // A test that is named on the command line is in one of the two only.
    const bool isNamed = argc > 1 && argv[argc - 1][0] != '-';
    if (isNamed && only.metaObject()->indexOfMethod(QByteArray(argv[argc - 1]) + "()") >= 0)
        return QTest::qExec(&only, argc, argv);
    const int failed = QTest::qExec(&suite, argc, argv);
    return failed + (isNamed ? 0 : QTest::qExec(&only, argc, argv));
}

#include "tst_podman_machines.moc"
