// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <QElapsedTimer>

namespace cocoonbox::app::client {

// The pause between two tries of one thing: 0.2 s, doubling to 1.6 s, so that what comes back is noticed within two
// seconds; after two minutes of failures 5 s. `wake` ends the running pause. Domain thread.
class RetryPause {
public:
    Task<void> wait(std::stop_token stop);
    // Until `wake`, however long: for what nothing but news can change.
    Task<void> waitForNews(std::stop_token stop);
    void wake() { m_woken.set(true); }
    void reset();                     // the last try succeeded
    std::chrono::milliseconds next(); // of the next pause; counts as a failure

private:
    Promise<bool> m_woken;
    int m_failures = 0;
    QElapsedTimer m_failingSince;
};

} // namespace cocoonbox::app::client
