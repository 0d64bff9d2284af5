// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_commands.h"
#include "common/base/ids.h"

#include <QTemporaryDir>
#include <QTest>

namespace cocoonbox::api::machines {

class PodmanCommandsTest final : public QObject {
    Q_OBJECT

    QTemporaryDir m_data;
    PodmanHost m_host{.runtime = QStringLiteral("runc"),
                      .cgroupManager = QStringLiteral("cgroupfs"),
                      .isRootless = false,
                      .limitsCpu = true,
                      .limitsMemory = true,
                      .limitsPids = true,
                      .openFilesMax = 4096,
                      .processesMax = 2048,
                      .warnings = {}};

    PodmanCommands commands(const PodmanHost& host) const
    {
        return {PodmanConfig{
                    m_data.path(), QStringLiteral("/graph"), QStringLiteral("/run/x"), QStringLiteral("podman"), {}},
                host};
    }
    QString createLine(const PodmanHost& host, const QString& boxId) const
    {
        const auto directories = BoxDirectories::open(m_data.path());
        const MachineSpec spec{boxId, QStringLiteral("localhost/cocoonbox-box:current"), *flavorNamed(u"medium")};
        return commands(host).create(spec, *directories).arguments.join(u' ');
    }

private slots:
    void createIsTheContractOfTheImage()
    {
        const QString box = newId(u"box_");
        const QString run = m_data.path() + QStringLiteral("/boxes/") + box;

        QCOMPARE(
            createLine(m_host, box),
            QStringLiteral("--root /graph --runroot /run/x --runtime runc --cgroup-manager cgroupfs "
                           "--events-backend none create --name cocoonbox-%1 --hostname cocoonbox "
                           "--label cocoonbox.home=%2 --label cocoonbox.box=%1 --label cocoonbox.flavor=medium "
                           "--network none --cap-drop ALL "
                           "--cap-add CHOWN,DAC_OVERRIDE,FOWNER,SETUID,SETGID,KILL,SYS_CHROOT "
                           "--security-opt no-new-privileges --pull never --http-proxy=false --hosts-file none "
                           "--log-driver k8s-file --log-opt max-size=4mb --stop-timeout 10 --pidfile %3/machine.pid "
                           "--ulimit nofile=4096:4096 --ulimit nproc=2048:2048 --shm-size 536870912b --cpus 2 "
                           "--memory 2147483648b --memory-swap 2147483648b --pids-limit 2048 "
                           "--volume %3/run/identity:/run/cocoonbox-identity:ro "
                           "--volume %3/run/agent:/run/cocoonbox/agent:rw "
                           "--volume %3/run/screen:/run/cocoonbox/screen:rw "
                           "--volume %3/run/door:/run/cocoonbox/door:ro "
                           "-- localhost/cocoonbox-box:current")
                .arg(box, m_data.path(), run));
    }

    void limitsThatTheHostCannotSetAreLeftOut()
    {
        PodmanHost poor = m_host;
        poor.limitsCpu = poor.limitsMemory = poor.limitsPids = false;

        const QString line = createLine(poor, newId(u"box_"));

        for (const char* option : {"--cpus", "--memory", "--memory-swap", "--pids-limit"})
            QVERIFY2(!line.contains(QLatin1StringView(option)), option);
        QVERIFY(line.contains(QStringLiteral("--shm-size")));
        QVERIFY(line.contains(QStringLiteral("--ulimit nofile=4096:4096")));
    }

    void withoutRootWhatABoxWroteIsDeletedInItsOwnIdSpace()
    {
        PodmanHost rootless = m_host;
        rootless.isRootless = true;

        const auto plain = commands(m_host).deleteTree(QStringLiteral("/data/box"));
        const auto mapped = commands(rootless).deleteTree(QStringLiteral("/data/box"));

        QCOMPARE(plain.program, QStringLiteral("rm"));
        QCOMPARE(plain.arguments.mid(plain.arguments.size() - 2),
                 (QStringList{QStringLiteral("--"), QStringLiteral("/data/box")}));
        QCOMPARE(mapped.program, QStringLiteral("podman"));
        QVERIFY(mapped.arguments.contains(QStringLiteral("unshare")));
    }

    void everyCommandHasADeadline()
    {
        const PodmanCommands all = commands(m_host);
        for (const auto& spec :
             {all.information(), all.start({}), all.stop({}), all.remove({}), all.list({}), all.inspect({})})
            QCOMPARE(spec.timeout, std::chrono::milliseconds(std::chrono::seconds(30)));
        QCOMPARE(all.stop(QStringLiteral("id")).arguments.mid(8),
                 (QStringList{QStringLiteral("--events-backend"), QStringLiteral("none"), QStringLiteral("stop"),
                              QStringLiteral("--time"), QStringLiteral("10"), QStringLiteral("id")}));
    }
};

} // namespace cocoonbox::api::machines

QTEST_GUILESS_MAIN(cocoonbox::api::machines::PodmanCommandsTest)
#include "tst_podman_commands.moc"
