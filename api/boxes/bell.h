// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <QHash>

namespace cocoonbox::api::boxes {

// Tells any number of waiting coroutines that something changed. A waiter that reads the revision, then looks, then
// waits beyond that revision misses no change. Domain thread.
class Bell final {
public:
    quint64 revision() const { return m_revision; }
    qsizetype waiterCount() const { return m_waiting.size(); }

    void ring()
    {
        ++m_revision;
        const QHash<quint64, Promise<bool>> waiting = std::exchange(m_waiting, {});
        for (const Promise<bool>& waiter : waiting)
            waiter.set(true);
    }

    // Until the revision is another one; Cancelled when the token is triggered.
    Task<void> waitBeyond(quint64 revision, std::stop_token stop)
    {
        if (m_revision != revision) co_return {};
        const quint64 key = ++m_lastKey;
        const Promise<bool> rung;
        m_waiting.insert(key, rung);
        const std::stop_callback onStop(stop, [rung] { postToDomain([rung] { rung.set(false); }); });
        if (co_await rung.get()) co_return {};
        m_waiting.remove(key);
        co_return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    }

private:
    quint64 m_revision = 0;
    quint64 m_lastKey = 0;
    QHash<quint64, Promise<bool>> m_waiting;
};

} // namespace cocoonbox::api::boxes
