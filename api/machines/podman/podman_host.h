// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/podman/podman_config.h"
#include "common/async/task.h"

#include <QStringList>
#include <stop_token>

namespace cocoonbox::api::machines {

// What the host can do, found by looking and never by its name.
struct PodmanHost {
    QString runtime;
    QString cgroupManager; // systemd or cgroupfs
    bool isRootless = false;
    bool limitsCpu = false;
    bool limitsMemory = false;
    bool limitsPids = false;
    int openFilesMax = 0; // ulimits for the box, within the hard limits of this process
    int processesMax = 0;
    QStringList warnings; // sentences for the log: what a box goes without

    friend bool operator==(const PodmanHost&, const PodmanHost&) = default;
};

// What this process sees by itself; `readHostFacts` fills it, tests write it.
struct HostFacts {
    bool hasUnifiedCgroups = false; // /sys/fs/cgroup is cgroup2, not the hybrid or the old layout
    bool hasSystemd = false;        // it runs as the init system, for this user too
    bool isRoot = false;
    bool hasRunc = false;
    bool hasCrun = false;
    quint64 openFilesHard = 0;
    quint64 processesHard = 0;
};
HostFacts readHostFacts();

// The choice of runtime and cgroup manager, before podman is asked. FailedPrecondition RUNTIME_MISSING.
Result<PodmanHost> chooseHost(const HostFacts& facts, const QString& configuredRuntime);

// Adds what `podman info --format json` says: rootless or not, the delegated cgroup controllers.
Result<PodmanHost> completeHost(PodmanHost host, const QByteArray& podmanInformation);

} // namespace cocoonbox::api::machines
