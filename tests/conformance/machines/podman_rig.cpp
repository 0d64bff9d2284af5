// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/conformance/machines/podman_rig.h"

#include <csignal>
#include <QCoroTask>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <unistd.h>

namespace cocoonbox::api::machines {

namespace {

const QString kImage = QStringLiteral("localhost/cocoonbox-test:current");

// Ends when it is asked to, as the real image's first program does; as pid 1 a plain `sleep` would not.
const QString kCommand = QStringLiteral(
    R"(CMD ["/bin/busybox","sh","-c","trap 'exit 0' TERM; while :; do /bin/busybox sleep 1000 & wait; done"])");

process::ProcessResult run(process::ProcessSpec spec)
{
    auto result = QCoro::waitFor(process::runProcess(std::move(spec)));
    if (!result) qFatal("%s %s", qPrintable(result.error().message), qPrintable(result.error().detail));
    return *result;
}

} // namespace

QString PodmanRig::open()
{
    const QString busybox = QStandardPaths::findExecutable(QStringLiteral("busybox"));
    if (QStandardPaths::findExecutable(QStringLiteral("podman")).isEmpty())
        return QStringLiteral("podman is not installed");
    if (busybox.isEmpty()) return QStringLiteral("busybox is not installed (package busybox-static)");
    auto host = chooseHost(readHostFacts(), {});
    if (!host) return host.error().message;
    m_host = *host;
    m_config.dataDirectory = m_root.filePath(QString(120, u'd'));
    m_config.graphRoot = m_root.filePath(QStringLiteral("graph"));
    m_config.runRoot = m_root.filePath(QStringLiteral("run"));
    if (const QString trouble = makeImage(); !trouble.isEmpty()) return trouble;
    const auto opened = reopen();
    return opened ? QString() : opened.error().message + u' ' + opened.error().detail;
}

PodmanRig::~PodmanRig()
{
    m_machines.reset();
    if (m_host.runtime.isEmpty()) return;
    podman({QStringLiteral("rm"), QStringLiteral("--all"), QStringLiteral("--force"), QStringLiteral("--time"),
            QStringLiteral("0")});
    // A plain deletion cannot take what a rootless box wrote, nor podman's mount points.
    podman({QStringLiteral("system"), QStringLiteral("reset"), QStringLiteral("--force")});
}

QString PodmanRig::makeImage()
{
    const QString files = m_root.filePath(QStringLiteral("files"));
    QDir().mkpath(files + QStringLiteral("/bin"));
    QFile::copy(QStandardPaths::findExecutable(QStringLiteral("busybox")), files + QStringLiteral("/bin/busybox"));
    const auto packed = run({.program = QStringLiteral("tar"),
                             .arguments = {QStringLiteral("-C"), files, QStringLiteral("-cf"),
                                           m_root.filePath(QStringLiteral("image.tar")), QStringLiteral(".")}});
    if (packed.exitCode != 0) return QString::fromUtf8(packed.errorOutput);
    const auto imported = podman({QStringLiteral("import"), QStringLiteral("--change"), kCommand,
                                  m_root.filePath(QStringLiteral("image.tar")), kImage});
    return imported.exitCode == 0 ? QString() : QString::fromUtf8(imported.errorOutput);
}

Result<void> PodmanRig::reopen()
{
    m_machines.reset();
    TRY_ASSIGN(m_machines, QCoro::waitFor(PodmanMachines::open(m_config)));
    return {};
}

Machines& PodmanRig::machines()
{
    if (!m_machines) qFatal("the api's part did not open again");
    return *m_machines;
}

MachineSpec PodmanRig::spec(const QString& boxId) const
{
    return {boxId, kImage, *flavorNamed(u"small")};
}

process::ProcessResult PodmanRig::podman(const QStringList& arguments, const QByteArray& input)
{
    return run({.program = QStringLiteral("podman"),
                .arguments = QStringList{QStringLiteral("--root"), m_config.graphRoot, QStringLiteral("--runroot"),
                                         m_config.runRoot, QStringLiteral("--runtime"), m_host.runtime,
                                         QStringLiteral("--cgroup-manager"), m_host.cgroupManager,
                                         QStringLiteral("--events-backend"), QStringLiteral("none")} +
                             arguments,
                .environment = {{QStringLiteral("PODMAN_IGNORE_CGROUPSV1_WARNING"), QStringLiteral("1")}},
                .input = input});
}

process::ProcessResult PodmanRig::inBox(const QString& id, const QString& script, const QByteArray& input)
{
    return podman({QStringLiteral("exec"), QStringLiteral("--interactive"), id, QStringLiteral("/bin/busybox"),
                   QStringLiteral("sh"), QStringLiteral("-c"), script},
                  input);
}

void PodmanRig::writeDisk(const QString& id, const QString& name, const QByteArray& text)
{
    const auto done = inBox(id, QStringLiteral("/bin/busybox cat > /") + name, text);
    if (done.exitCode != 0) qFatal("%s", done.errorOutput.constData());
}

QByteArray PodmanRig::readDisk(const QString& id, const QString& name)
{
    return inBox(id, QStringLiteral("/bin/busybox cat /") + name).output;
}

void PodmanRig::setTrap(const Machine& machine, Channel channel, Trap trap, const QString& linkTarget)
{
    const QString path = channel == Channel::Agent ? QStringLiteral("/run/cocoonbox/agent/agent.sock")
                                                   : QStringLiteral("/run/cocoonbox/screen/rfb.sock");
    QString command;
    switch (trap) {
    case Trap::LinkToSocket: command = QStringLiteral("ln -s ") + linkTarget; break;
    case Trap::Fifo: command = QStringLiteral("mkfifo"); break;
    case Trap::File: command = QStringLiteral("touch"); break;
    case Trap::Directory: command = QStringLiteral("mkdir"); break;
    }
    const auto done = inBox(machine.id, QStringLiteral("/bin/busybox %1 %2").arg(command, path));
    if (done.exitCode != 0) qFatal("%s", done.errorOutput.constData());
}

// Not by `podman kill`: that would be somebody's wish, and the box Stopped instead of Failed.
void PodmanRig::kill(const Machine& machine)
{
    QFile file(m_config.dataDirectory + QStringLiteral("/boxes/") + machine.boxId + QStringLiteral("/machine.pid"));
    qint64 pid = file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toLongLong() : 0;
    // The file is missing when something else than the api has started the box.
    if (pid == 0)
        pid = podman(
                  {QStringLiteral("inspect"), QStringLiteral("--format"), QStringLiteral("{{.State.Pid}}"), machine.id})
                  .output.trimmed()
                  .toLongLong();
    const auto end = ProcessEnd::watch(pid, {});
    if (pid <= 1 || !end || ::kill(static_cast<pid_t>(pid), SIGKILL) != 0)
        qFatal("cannot end process %lld of the box", pid);
    const QDeadlineTimer deadline(2000);
    while (!(*end)->hasHappened()) {
        if (deadline.hasExpired()) qFatal("process %lld of the box does not end", pid);
        ::usleep(1000);
    }
}

} // namespace cocoonbox::api::machines
