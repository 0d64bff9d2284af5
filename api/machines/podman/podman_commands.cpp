// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_commands.h"

namespace cocoonbox::api::machines {

namespace {

constexpr int kStopGraceSeconds = 10;
constexpr qsizetype kOutputBytesMax = 4 * 1024 * 1024; // some thousand containers

// Template of `podman container inspect`: only what is read, instead of 12 KB a container.
const QString kInspectFormat = QStringLiteral(
    R"({"id":{{json .ID}},"image":{{json .ImageName}},"created":{{json .Created}},"labels":{{json .Config.Labels}},"state":{{json .State}}})");

QString bytes(qint64 count)
{
    return QString::number(count) + u'b';
}

QString volume(const QString& host, const QString& box, const QString& mode)
{
    return QStringLiteral("%1:%2:%3").arg(host, box, mode);
}

} // namespace

QString containerName(const QString& boxId)
{
    return QStringLiteral("cocoonbox-") + boxId;
}

QString pidFile(const BoxDirectories& directories, const QString& boxId)
{
    return directories.box(boxId) + QStringLiteral("/machine.pid");
}

process::ProcessSpec PodmanCommands::podman(QStringList arguments) const
{
    QStringList all;
    if (!m_config.graphRoot.isEmpty()) all << QStringLiteral("--root") << m_config.graphRoot;
    if (!m_config.runRoot.isEmpty()) all << QStringLiteral("--runroot") << m_config.runRoot;
    all << QStringLiteral("--runtime") << m_host.runtime << QStringLiteral("--cgroup-manager") << m_host.cgroupManager
        << QStringLiteral("--events-backend") << QStringLiteral("none") << std::move(arguments);
    return {.program = m_config.program,
            .arguments = all,
            .environment = {{QStringLiteral("PODMAN_IGNORE_CGROUPSV1_WARNING"), QStringLiteral("1")},
                            {QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8")}},
            .workingDirectory = QStringLiteral("/"),
            .input = {},
            .timeout = kCallDeadline,
            .outputBytesMax = kOutputBytesMax};
}

process::ProcessSpec PodmanCommands::information() const
{
    return podman({QStringLiteral("info"), QStringLiteral("--format"), QStringLiteral("json")});
}

QStringList PodmanCommands::limits(const Flavor& flavor) const
{
    QStringList options = {
        QStringLiteral("--ulimit"),   QStringLiteral("nofile=%1:%1").arg(m_host.openFilesMax),
        QStringLiteral("--ulimit"),   QStringLiteral("nproc=%1:%1").arg(m_host.processesMax),
        QStringLiteral("--shm-size"), bytes(flavor.shmBytes),
    };
    if (m_host.limitsCpu) options << QStringLiteral("--cpus") << QString::number(flavor.cpuMillis / 1000.0);
    if (m_host.limitsMemory)
        options << QStringLiteral("--memory") << bytes(flavor.memoryBytes) << QStringLiteral("--memory-swap")
                << bytes(flavor.memoryBytes);
    if (m_host.limitsPids) options << QStringLiteral("--pids-limit") << QString::number(flavor.pidsMax);
    return options;
}

process::ProcessSpec PodmanCommands::create(const MachineSpec& spec, const BoxDirectories& directories) const
{
    QStringList arguments = {
        QStringLiteral("create"),
        QStringLiteral("--name"),
        containerName(spec.boxId),
        QStringLiteral("--hostname"),
        QStringLiteral("cocoonbox"),
        QStringLiteral("--label"),
        QStringLiteral("cocoonbox.home=") + directories.dataDirectory(),
        QStringLiteral("--label"),
        QStringLiteral("cocoonbox.box=") + spec.boxId,
        QStringLiteral("--label"),
        QStringLiteral("cocoonbox.flavor=") + spec.flavor.name,
        QStringLiteral("--network"),
        QStringLiteral("none"),
        QStringLiteral("--cap-drop"),
        QStringLiteral("ALL"),
        QStringLiteral("--cap-add"),
        QStringLiteral("CHOWN,DAC_OVERRIDE,FOWNER,SETUID,SETGID,KILL,SYS_CHROOT"),
        QStringLiteral("--security-opt"),
        QStringLiteral("no-new-privileges"),
        QStringLiteral("--pull"),
        QStringLiteral("never"),
        QStringLiteral("--http-proxy=false"),
        QStringLiteral("--hosts-file"),
        QStringLiteral("none"),
        QStringLiteral("--log-driver"),
        QStringLiteral("k8s-file"),
        QStringLiteral("--log-opt"),
        QStringLiteral("max-size=4mb"),
        QStringLiteral("--stop-timeout"),
        QString::number(kStopGraceSeconds),
        QStringLiteral("--pidfile"),
        pidFile(directories, spec.boxId),
    };
    arguments << limits(spec.flavor);
    const QString run = QStringLiteral("/run/cocoonbox/");
    arguments << QStringLiteral("--volume")
              << volume(directories.identity(spec.boxId), QStringLiteral("/run/cocoonbox-identity"),
                        QStringLiteral("ro"))
              << QStringLiteral("--volume")
              << volume(directories.channel(spec.boxId, Channel::Agent), run + QStringLiteral("agent"),
                        QStringLiteral("rw"))
              << QStringLiteral("--volume")
              << volume(directories.channel(spec.boxId, Channel::Screen), run + QStringLiteral("screen"),
                        QStringLiteral("rw"))
              << QStringLiteral("--volume")
              << volume(directories.door(spec.boxId), run + QStringLiteral("door"), QStringLiteral("ro"))
              << QStringLiteral("--") << spec.image;
    return podman(arguments);
}

process::ProcessSpec PodmanCommands::start(const QString& id) const
{
    return podman({QStringLiteral("start"), id});
}

process::ProcessSpec PodmanCommands::stop(const QString& id) const
{
    return podman({QStringLiteral("stop"), QStringLiteral("--time"), QString::number(kStopGraceSeconds), id});
}

process::ProcessSpec PodmanCommands::remove(const QString& id) const
{
    return podman({QStringLiteral("rm"), QStringLiteral("--force"), QStringLiteral("--time"), QStringLiteral("0"),
                   QStringLiteral("--volumes"), id});
}

process::ProcessSpec PodmanCommands::list(const QString& dataDirectory) const
{
    return podman({QStringLiteral("ps"), QStringLiteral("--all"), QStringLiteral("--no-trunc"),
                   QStringLiteral("--quiet"), QStringLiteral("--filter"),
                   QStringLiteral("label=cocoonbox.home=") + dataDirectory});
}

process::ProcessSpec PodmanCommands::inspect(const QStringList& ids) const
{
    return podman(QStringList{QStringLiteral("container"), QStringLiteral("inspect"), QStringLiteral("--format"),
                              kInspectFormat} +
                  ids);
}

process::ProcessSpec PodmanCommands::deleteTree(const QString& path) const
{
    const QStringList removal = {QStringLiteral("rm"),      QStringLiteral("--recursive"),
                                 QStringLiteral("--force"), QStringLiteral("--one-file-system"),
                                 QStringLiteral("--"),      path};
    if (m_host.isRootless) return podman(QStringList{QStringLiteral("unshare")} + removal);
    process::ProcessSpec spec = podman({});
    spec.program = removal.first();
    spec.arguments = removal.mid(1);
    return spec;
}

} // namespace cocoonbox::api::machines
