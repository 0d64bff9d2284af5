// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QString>

namespace cocoonbox::api::machines {

// The part's section of the api's configuration. Paths are absolute.
struct PodmanConfig {
    QString dataDirectory; // boxes/<box_id> stand in it; no ":" in its path
    QString graphRoot;     // images and disks; empty: podman's own place
    QString runRoot;       // must be empty after a boot of the host: /run or /tmp; empty: podman's own
    QString program = QStringLiteral("podman"); // a path, or a name looked up in PATH
    QString runtime;                            // runc or crun; empty: the one that fits the host's cgroups
};

} // namespace cocoonbox::api::machines
