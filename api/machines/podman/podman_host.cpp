// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_host.h"

#include <algorithm>
#include <linux/magic.h>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace cocoonbox::api::machines {

namespace {

constexpr quint64 kOpenFilesWanted = 4096;
constexpr quint64 kProcessesWanted = 4096;

quint64 hardLimit(__rlimit_resource resource)
{
    rlimit limit = {};
    return ::getrlimit(resource, &limit) == 0 ? limit.rlim_max : 0;
}

// An OCI runtime may stand where PATH of a daemon does not reach; podman looks there too.
bool hasProgram(const QString& name)
{
    static const QStringList more = {QStringLiteral("/usr/sbin"), QStringLiteral("/usr/local/sbin"),
                                     QStringLiteral("/usr/local/bin"), QStringLiteral("/usr/bin")};
    return !QStandardPaths::findExecutable(name).isEmpty() || !QStandardPaths::findExecutable(name, more).isEmpty();
}

// crun refuses hosts where the old and the new cgroup layout are mixed; runc takes each of them.
QString fittingRuntime(const HostFacts& facts)
{
    if (facts.hasUnifiedCgroups && facts.hasCrun) return QStringLiteral("crun");
    if (facts.hasRunc) return QStringLiteral("runc");
    return facts.hasCrun ? QStringLiteral("crun") : QString();
}

} // namespace

HostFacts readHostFacts()
{
    HostFacts facts;
    struct statfs cgroups = {};
    facts.hasUnifiedCgroups =
        ::statfs("/sys/fs/cgroup", &cgroups) == 0 && static_cast<quint64>(cgroups.f_type) == CGROUP2_SUPER_MAGIC;
    facts.isRoot = ::geteuid() == 0;
    facts.hasSystemd = QFileInfo::exists(QStringLiteral("/run/systemd/system"));
    if (facts.hasSystemd && !facts.isRoot)
        facts.hasSystemd =
            QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/systemd/private"));
    facts.hasRunc = hasProgram(QStringLiteral("runc"));
    facts.hasCrun = hasProgram(QStringLiteral("crun"));
    facts.openFilesHard = hardLimit(RLIMIT_NOFILE);
    facts.processesHard = hardLimit(RLIMIT_NPROC);
    return facts;
}

Result<PodmanHost> chooseHost(const HostFacts& facts, const QString& configuredRuntime)
{
    PodmanHost host;
    host.runtime = configuredRuntime.isEmpty() ? fittingRuntime(facts) : configuredRuntime;
    if (host.runtime.isEmpty())
        return fail(ErrorCode::FailedPrecondition,
                    QStringLiteral("podman needs an OCI runtime and none was found. Install the package runc or crun."),
                    QStringLiteral("RUNTIME_MISSING"));
    host.cgroupManager = facts.hasSystemd ? QStringLiteral("systemd") : QStringLiteral("cgroupfs");
    host.isRootless = !facts.isRoot;
    host.openFilesMax = static_cast<int>(std::min(facts.openFilesHard, kOpenFilesWanted));
    host.processesMax = static_cast<int>(std::min(facts.processesHard, kProcessesWanted));
    return host;
}

Result<PodmanHost> completeHost(PodmanHost host, const QByteArray& podmanInformation)
{
    const QJsonObject about =
        QJsonDocument::fromJson(podmanInformation).object().value(QStringLiteral("host")).toObject();
    if (about.isEmpty())
        return fail(ErrorCode::Internal,
                    QStringLiteral("podman's description of the host cannot be read. Is podman 5 or newer installed?"),
                    QStringLiteral("PODMAN_UNREADABLE"));
    host.isRootless =
        about.value(QStringLiteral("security")).toObject().value(QStringLiteral("rootless")).toBool(host.isRootless);
    // Without root the old layout delegates nothing, whatever the kernel offers.
    const bool delegates = !host.isRootless || about.value(QStringLiteral("cgroupVersion")).toString() == u"v2";
    const QJsonArray controllers = about.value(QStringLiteral("cgroupControllers")).toArray();
    const auto canLimit = [&](const QString& what, const QString& controller) {
        if (delegates && controllers.contains(controller)) return true;
        host.warnings.append(QStringLiteral("Boxes run without a limit on %1: the cgroup controller \"%2\" is not "
                                            "delegated to this account.")
                                 .arg(what, controller));
        return false;
    };
    host.limitsCpu = canLimit(QStringLiteral("processor time"), QStringLiteral("cpu"));
    host.limitsMemory = canLimit(QStringLiteral("memory"), QStringLiteral("memory"));
    host.limitsPids = canLimit(QStringLiteral("processes"), QStringLiteral("pids"));
    return host;
}

} // namespace cocoonbox::api::machines
