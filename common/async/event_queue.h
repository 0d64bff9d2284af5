// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <deque>

namespace cocoonbox {

// A bounded queue with one awaiting reader. Domain thread only. `push` answers false when the queue is full: the
// producer then closes or slows, it never grows. `next` yields nothing once the queue is closed and empty.
template <class T>
class EventQueue {
public:
    explicit EventQueue(qsizetype capacity) : m_capacity(capacity) {}

    bool push(T value)
    {
        if (m_closed || static_cast<qsizetype>(m_items.size()) >= m_capacity) return false;
        m_items.push_back(std::move(value));
        wake();
        return true;
    }
    void close()
    {
        m_closed = true;
        wake();
    }
    bool isClosed() const { return m_closed; }
    qsizetype size() const { return static_cast<qsizetype>(m_items.size()); }

    QCoro::Task<std::optional<T>> next()
    {
        while (m_items.empty() && !m_closed) {
            m_waiting = Promise<bool>();
            co_await m_waiting->get();
        }
        if (m_items.empty()) co_return std::nullopt;
        T value = std::move(m_items.front());
        m_items.pop_front();
        co_return value;
    }

private:
    void wake()
    {
        if (!m_waiting) return;
        const Promise<bool> waiting = *std::exchange(m_waiting, std::nullopt);
        waiting.set(true);
    }

    std::deque<T> m_items;
    std::optional<Promise<bool>> m_waiting;
    qsizetype m_capacity;
    bool m_closed = false;
};

} // namespace cocoonbox
