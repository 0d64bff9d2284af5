// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/event_queue.h"
#include "common/process/run_process.h"

#include <memory>

namespace cocoonbox::process {

class Child;

// A program that runs for long and whose stdout is read line by line, for example `podman events`. The
// spec's deadline and output bound are not used. Bounds: lines of 64 KiB, 1,024 lines not yet read (a program that
// passes one is stopped), and the last 8 KiB of stderr are kept.
// Domain thread. Destroying the reader stops the program.
class LineReader final {
public:
    // NotFound: PROGRAM_NOT_FOUND.
    static Task<std::unique_ptr<LineReader>> start(ProcessSpec spec);
    ~LineReader();
    LineReader(const LineReader&) = delete;

    // The next line without its newline; nothing once the program has ended and every line was read.
    QCoro::Task<std::optional<QByteArray>> next();
    // After `next` yielded nothing: how it ended. Exit code 0 is success; otherwise PROCESS_FAILED with the end of its
    // stderr as detail, PROCESS_KILLED, PROCESS_OUTPUT_LIMIT, or Cancelled after `stop`.
    Result<void> ending() const;
    // Asks the program to end (SIGTERM, SIGKILL 2 s later); no line is added from then on.
    void stop();
    qint64 processId() const;

private:
    struct State;
    explicit LineReader(std::shared_ptr<State> state);

    std::shared_ptr<State> m_state;
};

} // namespace cocoonbox::process
