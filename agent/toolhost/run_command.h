// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/spawn.h"
#include "common/async/task.h"

#include <functional>
#include <stop_token>

namespace cocoonbox::agent::toolhost {

struct CommandOutcome {
    int exitCode = 0;
    QByteArray errors;       // stderr, the first 8 KiB
    bool wasStopped = false; // `line` wanted no more
};

// Runs a short command without a terminal and with empty input; each line of its output (cut at 4 KiB) goes to `line`
// until that answers false. DeadlineExceeded: COMMAND_TIMEOUT. Cancelled: it was hung up and has ended.
// InvalidArgument: PROGRAM_NOT_STARTED.
Task<CommandOutcome> runCommand(SpawnSpec spec, std::function<bool(QByteArrayView)> line,
                                std::chrono::milliseconds timeout, std::stop_token stop);

} // namespace cocoonbox::agent::toolhost
