// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <deque>
#include <memory>
#include <QHash>

namespace cocoonbox::api::machines {

// Lets the calls for one key run one after the other, in the order they asked. Domain thread only.
class Turns final {
    using Queue = QHash<QString, std::deque<Promise<bool>>>;

public:
    // Held while a call runs; its end wakes the next one.
    class Turn final {
    public:
        Turn(std::shared_ptr<Queue> queue, QString key) : m_queue(std::move(queue)), m_key(std::move(key)) {}
        Turn(Turn&&) noexcept = default;
        Turn& operator=(Turn&& other) noexcept
        {
            if (this == &other) return *this;
            end();
            m_queue = std::move(other.m_queue);
            m_key = std::move(other.m_key);
            return *this;
        }
        ~Turn() { end(); }

    private:
        void end()
        {
            const auto queue = std::exchange(m_queue, nullptr);
            if (!queue) return;
            const auto waiting = queue->find(m_key);
            if (waiting->empty()) {
                queue->erase(waiting);
                return;
            }
            const Promise<bool> next = waiting->front();
            waiting->pop_front();
            next.set(true);
        }

        std::shared_ptr<Queue> m_queue;
        QString m_key;
    };

    explicit Turns(qsizetype waitersMax) : m_waitersMax(waitersMax) {}

    bool isTaken(const QString& key) const { return m_queue->contains(key); }

    // ResourceExhausted MACHINE_BUSY when too many wait already.
    Task<Turn> take(QString key)
    {
        const std::shared_ptr<Queue> queue = m_queue;
        const auto waiting = queue->find(key);
        if (waiting == queue->end()) {
            queue->insert(key, {});
            co_return Turn(queue, key);
        }
        if (static_cast<qsizetype>(waiting->size()) >= m_waitersMax)
            co_return fail(ErrorCode::ResourceExhausted,
                           QStringLiteral("Too many calls wait for this box already. Try again in a moment."),
                           QStringLiteral("MACHINE_BUSY"));
        const Promise<bool> mine;
        waiting->push_back(mine);
        co_await mine.get();
        co_return Turn(queue, key);
    }

private:
    std::shared_ptr<Queue> m_queue = std::make_shared<Queue>();
    qsizetype m_waitersMax;
};

} // namespace cocoonbox::api::machines
