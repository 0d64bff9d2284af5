// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <chrono>
#include <functional>
#include <optional>
#include <QTimer>
#include <stop_token>

namespace cocoonbox {

// For as long as it lives, gives a promise a value when the time is over and one when the token is triggered (also from
// another thread); a promise that has its value by then keeps it. Domain thread only.
template <class T>
class Expiry {
public:
    Expiry(const Promise<T>& promise, std::chrono::milliseconds limit, T late)
    {
        m_timer.setSingleShot(true);
        m_timer.callOnTimeout([promise, late = std::move(late)] { promise.set(late); });
        m_timer.start(limit);
    }
    Expiry(const Promise<T>& promise, std::chrono::milliseconds limit, T late, std::stop_token stop, T stopped)
        : Expiry(promise, limit, std::move(late))
    {
        m_onStop.emplace(std::move(stop), [promise, stopped = std::move(stopped)] {
            postToDomain([promise, stopped] { promise.set(stopped); });
        });
    }

private:
    QTimer m_timer;
    std::optional<std::stop_callback<std::function<void()>>> m_onStop;
};

} // namespace cocoonbox
