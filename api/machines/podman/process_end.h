// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <functional>
#include <memory>
#include <QSocketNotifier>

namespace cocoonbox::api::machines {

// Tells at once when a process that is not our child has ended, without a thread, a poll or a resident podman. It
// holds the process by a pidfd, so a process id that is given to another later does no harm.
class ProcessEnd final {
public:
    // `onEnd` runs once, from the event loop, and not after the destruction. NotFound PROCESS_GONE.
    static Result<std::unique_ptr<ProcessEnd>> watch(qint64 pid, std::function<void()> onEnd);
    ~ProcessEnd();
    ProcessEnd(const ProcessEnd&) = delete;

    // Also true before the event loop has noticed.
    bool hasHappened() const;

private:
    ProcessEnd(net::UniqueFd process, std::function<void()> onEnd);

    net::UniqueFd m_process;
    std::function<void()> m_onEnd;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace cocoonbox::api::machines
