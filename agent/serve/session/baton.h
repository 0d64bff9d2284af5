// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"
#include "common/base/clock.h"

#include <QObject>

namespace cocoonbox::agent::serve::session {

struct BatonState {
    QString heldBy; // empty: the agents may act
    qint64 sinceMs = 0;
};

// Who may act on the screen: one person, or, while nobody holds it, the agents. Kept in memory only: a person's hold is
// a call that is open, and calls do not survive the process. Domain thread only.
class Baton final : public QObject {
    Q_OBJECT
public:
    struct Hold {
        quint64 id = 0;
        // Set once: with the thief's state when the baton was taken away, with an empty one when it was released.
        Promise<BatonState> ended;
    };

    explicit Baton(const Clock& clock) : m_clock(clock) {}

    // FailedPrecondition: BATON_HELD. InvalidArgument: LABEL_INVALID (1 to 64 bytes).
    Result<Hold> take(const QString& label, bool steal);
    // Does nothing when the hold has ended already.
    void release(quint64 holdId);

    bool isHeld() const { return m_hold.has_value(); }
    const BatonState& state() const { return m_state; }
    // Grows with every change; tells a watcher whether it has seen the present state.
    quint64 generation() const { return m_generation; }
    // Cancelled by the token. DeadlineExceeded: SCREEN_STILL_HELD.
    Task<void> untilFree(std::chrono::milliseconds limit, std::stop_token stop);

signals:
    void changed();

private:
    void setState(BatonState state);

    const Clock& m_clock;
    BatonState m_state;
    std::optional<Hold> m_hold;
    QList<Promise<bool>> m_waiting;
    quint64 m_generation = 1;
    quint64 m_nextHold = 1;
};

} // namespace cocoonbox::agent::serve::session
