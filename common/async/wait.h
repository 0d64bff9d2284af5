// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <chrono>
#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <QObject>
#include <QPointer>
#include <stop_token>

namespace cocoonbox {

// A value that arrives once, awaited by at most one coroutine with a deadline and a stop token. Domain thread only;
// `set` after the first does nothing. Copies share the value, so a callback may keep one for as long as it likes.
template <class T>
class Promise {
public:
    Promise() : m_state(std::make_shared<State>()) {}

    void set(T value) const
    {
        if (m_state->value) return;
        m_state->value = std::move(value);
        if (m_state->waiter) std::exchange(m_state->waiter, nullptr).resume();
    }
    bool isSet() const { return m_state->value.has_value(); }

    auto get() const
    {
        struct Awaiter {
            std::shared_ptr<State> state;
            bool await_ready() const { return state->value.has_value(); }
            void await_suspend(std::coroutine_handle<> handle) { state->waiter = handle; }
            T await_resume() { return *std::move(state->value); }
        };
        return Awaiter{m_state};
    }

private:
    struct State {
        std::optional<T> value;
        std::coroutine_handle<> waiter;
    };
    std::shared_ptr<State> m_state;
};

// Waits; Cancelled when the token is triggered first (also from another thread).
Task<void> sleepFor(std::chrono::milliseconds time, std::stop_token stop = {});

// Tries `condition` every `interval` until it is true; DeadlineExceeded with `what` in the message, or Cancelled.
Task<void> pollUntil(std::function<bool()> condition, std::chrono::milliseconds interval,
                     std::chrono::milliseconds limit, QString what, std::stop_token stop = {});

// Runs `fn` on the main thread at the next turn of its loop; callable from any thread.
void postToDomain(std::function<void()> fn);

} // namespace cocoonbox
