// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"
#include "common/process/run_process.h"

// What podman prints, read without running anything.
namespace cocoonbox::api::machines {

// One container of ours as podman sees it.
struct Container {
    Machine machine; // Stopped, Running or Failed
    qint64 pid = 0;  // of its first program while it runs, in our process namespace; 0 otherwise
};

// The lines that PodmanCommands::inspect asks for. A line that is not such an object, or whose labels name no box, is
// Internal PODMAN_UNREADABLE: somebody else's container or another podman.
Result<QList<Container>> readContainers(const QByteArray& lines);

// 64 hex characters, as `create` and `ps --quiet` print them.
bool isContainerId(const QString& text);

// A command that ended with an exit code: nothing, or the typed error with advice. `doing` is for people: "starting the
// box". The whole of stderr goes to the detail.
Result<void> checkPodman(const process::ProcessResult& result, const QString& doing);
// The same for a command that did not end by itself: podman is not there, took too long, talked too much.
Error podmanFailure(Error error, const QString& doing);

} // namespace cocoonbox::api::machines
