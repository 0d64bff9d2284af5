// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/session/baton.h"

#include "common/async/expiry.h"
#include "common/base/ids.h"

#include <QTimer>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::session {

Result<Baton::Hold> Baton::take(const QString& label, bool steal)
{
    if (label.isEmpty() || label.toUtf8().size() > 64)
        return fail(ErrorCode::InvalidArgument, u"Who takes over the screen must have a name of 1 to 64 bytes."_s,
                    u"LABEL_INVALID"_s);
    if (m_hold && !steal)
        return fail(ErrorCode::FailedPrecondition,
                    u"%1 holds the screen. Wait until it is handed back, or take it from them."_s.arg(m_state.heldBy),
                    u"BATON_HELD"_s);
    const std::optional<Hold> robbed = std::exchange(m_hold, Hold{m_nextHold++, randomHex128(), {}});
    const Hold hold = *m_hold;
    setState({label, m_clock.nowMs()});
    if (robbed) robbed->ended.set(m_state);
    const QList<std::weak_ptr<Action>> running = m_actions; // one that stops leaves the list
    for (const std::weak_ptr<Action>& action : running)
        if (const auto alive = action.lock()) alive->m_stop.request_stop();
    return hold;
}

std::shared_ptr<Baton::Action> Baton::beginAction()
{
    if (isHeld()) return nullptr;
    auto action = std::make_shared<Action>(*this);
    m_actions.append(action);
    return action;
}

void Baton::onActionEnded()
{
    --m_actionCount;
    m_actions.removeIf([](const std::weak_ptr<Action>& action) { return action.expired(); });
    if (m_actionCount > 0) return;
    for (const QList<Promise<bool>> waiting = std::exchange(m_waitingForQuiet, {});
         const Promise<bool>& waiter : waiting)
        postToDomain([waiter] { waiter.set(true); }); // not inside the destructor of an action
}

Task<void> Baton::untilQuiet(std::chrono::milliseconds limit)
{
    if (m_actionCount == 0) co_return {};
    const Promise<bool> quiet;
    const Expiry expiry(quiet, limit, false);
    m_waitingForQuiet.append(quiet);
    if (co_await quiet.get()) co_return {};
    co_return fail(ErrorCode::Aborted, u"An action of the agent on the screen does not end. Try again in a moment."_s,
                   u"ACTION_STUCK"_s);
}

void Baton::release(quint64 holdId)
{
    if (!m_hold || m_hold->id != holdId) return;
    const std::optional<Hold> hold = std::exchange(m_hold, std::nullopt);
    setState({});
    hold->ended.set({});
    for (const QList<Promise<bool>> waiting = std::exchange(m_waiting, {}); const Promise<bool>& waiter : waiting)
        waiter.set(true);
}

void Baton::setState(BatonState state)
{
    m_state = std::move(state);
    ++m_generation;
    emit changed();
}

Task<void> Baton::untilFree(std::chrono::milliseconds limit, std::stop_token stop)
{
    bool expired = false;
    const std::shared_ptr<bool> stopped = std::make_shared<bool>(stop.stop_requested());
    std::optional<Promise<bool>> waiting;
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([&] {
        expired = true;
        waiting->set(true);
    });
    timer.start(limit);
    // Another person may take the screen in the moment it is free.
    while (isHeld() && !expired && !*stopped) {
        waiting = Promise<bool>();
        m_waiting.append(*waiting);
        const std::stop_callback onStop(stop, [waiter = *waiting, stopped] {
            postToDomain([waiter, stopped] {
                *stopped = true;
                waiter.set(true);
            });
        });
        co_await waiting->get();
    }
    if (*stopped) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
    if (isHeld())
        co_return fail(ErrorCode::DeadlineExceeded, u"%1 has held the screen for too long."_s.arg(m_state.heldBy),
                       u"SCREEN_STILL_HELD"_s);
    co_return {};
}

} // namespace cocoonbox::agent::serve::session
