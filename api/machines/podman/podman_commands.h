// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/box_directories.h"
#include "api/machines/podman/podman_config.h"
#include "api/machines/podman/podman_host.h"
#include "common/process/run_process.h"

namespace cocoonbox::api::machines {

// Every command line this part gives to podman, as specs: made without running anything. Labels mark what is ours:
// cocoonbox.home (the data directory), cocoonbox.box, cocoonbox.flavor.
class PodmanCommands final {
public:
    PodmanCommands(PodmanConfig config, PodmanHost host) : m_config(std::move(config)), m_host(std::move(host)) {}

    const PodmanHost& host() const { return m_host; }

    process::ProcessSpec information() const;
    // The options of image/README.md, and three more: `--pull never` (the image is made here), `--http-proxy=false`
    // (podman would copy the host's proxy variables, with their passwords, into the box) and `--hosts-file none`
    // (it would copy the host's /etc/hosts).
    process::ProcessSpec create(const MachineSpec& spec, const BoxDirectories& directories) const;
    process::ProcessSpec start(const QString& id) const;
    process::ProcessSpec stop(const QString& id) const;
    process::ProcessSpec remove(const QString& id) const;
    // The ids of all containers of this data directory, one a line.
    process::ProcessSpec list(const QString& dataDirectory) const;
    // One JSON object a line, in the shape that `readContainers` takes.
    process::ProcessSpec inspect(const QStringList& ids) const;
    // Deletes what a box may have written, which in a rootless box belongs to other ids. Follows no link.
    process::ProcessSpec deleteTree(const QString& path) const;

private:
    process::ProcessSpec podman(QStringList arguments) const;
    QStringList limits(const Flavor& flavor) const;

    PodmanConfig m_config;
    PodmanHost m_host;
};

QString containerName(const QString& boxId);
// Where podman writes the process id of the box's first program at each start.
QString pidFile(const BoxDirectories& directories, const QString& boxId);

} // namespace cocoonbox::api::machines
