// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"
#include "common/base/clock.h"

#include <memory>
#include <QObject>
#include <stop_token>

namespace cocoonbox::agent::serve::session {

struct BatonState {
    QString heldBy; // empty: the agents may act
    qint64 sinceMs = 0;
};

// Who may act on the screen: one person, or, while nobody holds it, the agents. Kept in memory only: a person's hold is
// a call that is open, and calls do not survive the process. Domain thread only.
//
// An agent acts between `beginAction` and the end of its Action, and `take` refuses new ones at once and asks those
// that run to stop. A person is told that the screen is held when the last of them has ended (`untilQuiet`): no action
// of an agent reaches the screen after that.
class Baton final : public QObject {
    Q_OBJECT
public:
    struct Hold {
        quint64 id = 0;
        QString takeoverId; // known to the holder alone
        // Set once: with the thief's state when the baton was taken away, with an empty one when it was released.
        Promise<BatonState> ended;
    };

    // The screen is an agent's as long as this lives.
    class Action {
    public:
        explicit Action(Baton& baton) : m_baton(baton) { ++m_baton.m_actionCount; }
        ~Action() { m_baton.onActionEnded(); }
        Action(const Action&) = delete;
        std::stop_token stop() const { return m_stop.get_token(); } // a person takes over

    private:
        friend class Baton;
        Baton& m_baton;
        std::stop_source m_stop;
    };

    explicit Baton(const Clock& clock) : m_clock(clock) {}

    // FailedPrecondition: BATON_HELD. InvalidArgument: LABEL_INVALID (1 to 64 bytes).
    Result<Hold> take(const QString& label, bool steal);
    // Does nothing when the hold has ended already.
    void release(quint64 holdId);

    // Nothing while a person holds the screen.
    std::shared_ptr<Action> beginAction();
    // No agent's action runs. Aborted: ACTION_STUCK at the limit.
    Task<void> untilQuiet(std::chrono::milliseconds limit);

    bool isHeld() const { return m_hold.has_value(); }
    bool isHolder(const QString& takeoverId) const { return m_hold && m_hold->takeoverId == takeoverId; }
    const BatonState& state() const { return m_state; }
    // Grows with every change; tells a watcher whether it has seen the present state.
    quint64 generation() const { return m_generation; }
    // Cancelled by the token. DeadlineExceeded: SCREEN_STILL_HELD.
    Task<void> untilFree(std::chrono::milliseconds limit, std::stop_token stop);

signals:
    void changed();

private:
    void setState(BatonState state);
    void onActionEnded();

    const Clock& m_clock;
    BatonState m_state;
    std::optional<Hold> m_hold;
    QList<Promise<bool>> m_waiting;
    QList<std::weak_ptr<Action>> m_actions;
    int m_actionCount = 0;
    QList<Promise<bool>> m_waitingForQuiet;
    quint64 m_generation = 1;
    quint64 m_nextHold = 1;
};

} // namespace cocoonbox::agent::serve::session
