// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <chrono>
#include <QByteArray>
#include <QHash>
#include <QStringList>
#include <stop_token>

namespace cocoonbox::process {

// How to start a program. The child gets its own session, default signal handling, no descriptor but 0, 1 and 2, and
// SIGTERM when this process dies.
struct ProcessSpec {
    QString program; // a path, or a name looked up in PATH
    QStringList arguments;
    QHash<QString, QString> environment; // set beside the inherited variables
    QString workingDirectory;
    QByteArray input; // written to its stdin, which is then closed
    std::chrono::milliseconds timeout = std::chrono::seconds(30);
    qsizetype outputBytesMax = 1024 * 1024; // of stdout and of stderr, each
};

struct ProcessResult {
    int exitCode = 0;
    QByteArray output;
    QByteArray errorOutput;
};

// Runs a program to its end. An exit code other than 0 is a result, not an error. On a deadline, a cancel or too much
// output its whole process group gets SIGTERM, and SIGKILL 2 s later; the task ends when it is gone. Domain thread.
// NotFound: PROGRAM_NOT_FOUND. DeadlineExceeded: PROCESS_TIMEOUT. ResourceExhausted: PROCESS_OUTPUT_LIMIT.
// Internal: PROCESS_KILLED (a signal that was not ours). Cancelled.
Task<ProcessResult> runProcess(ProcessSpec spec, std::stop_token stop = {});

// The same, where anything but exit code 0 is an Internal error (PROCESS_FAILED) with the last lines of stderr as its
// detail; answers stdout.
Task<QByteArray> runProcessChecked(ProcessSpec spec, std::stop_token stop = {});

} // namespace cocoonbox::process
