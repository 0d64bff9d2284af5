// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The edge's thread: one epoll set with timers. Everything in it runs to its end and never blocks.

#include "common/base/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

struct epoll_event;

namespace cocoonbox::api::edge {

// What a socket tells: EPOLLIN, EPOLLOUT, EPOLLHUP and so on.
class Watcher {
public:
    virtual void onReady(uint32_t events) = 0;

protected:
    ~Watcher() = default;
};

class Loop final {
public:
    using Work = std::move_only_function<void()>;
    using TimePoint = std::chrono::steady_clock::time_point;
    using Timers = std::multimap<TimePoint, Work>;
    using Timer = Timers::iterator;

    static Result<std::unique_ptr<Loop>> create();
    ~Loop();
    Loop(const Loop&) = delete;

    // Until `quit`. Everything below but `post` and `quit` belongs to the thread that runs the loop.
    void run();
    void quit();          // any thread
    void post(Work work); // any thread; runs at the next turn

    void watch(int fd, Watcher* watcher, uint32_t events);
    void rewatch(int fd, Watcher* watcher, uint32_t events);
    // No event comes to the watcher after this, not even one that the kernel has told already.
    void unwatch(int fd, Watcher* watcher);

    Timer at(TimePoint when, Work work) { return m_timers.emplace(when, std::move(work)); }
    Timer after(std::chrono::milliseconds delay, Work work);
    void cancel(Timer timer) { m_timers.erase(timer); }

    // At the end of this turn, after all its events: where output is flushed, so that it is flushed once.
    void later(Work work) { m_later.push_back(std::move(work)); }
    // Destroys at the very end of this turn: safe for what is still on the stack.
    void dispose(std::shared_ptr<void> what) { m_spent.push_back(std::move(what)); }

private:
    Loop(int epollFd, int wakeFd) : m_epollFd(epollFd), m_wakeFd(wakeFd) {}
    int waitMs() const;
    void wake();
    void runPosted();
    void runTimers();
    void runLater();

    int m_epollFd;
    int m_wakeFd;
    bool m_isQuitting = false;
    Timers m_timers;
    std::vector<Work> m_later;
    std::vector<std::shared_ptr<void>> m_spent;
    epoll_event* m_pending = nullptr; // of the turn that runs
    int m_pendingCount = 0;

    std::mutex m_postedMutex;
    std::vector<Work> m_posted;
};

} // namespace cocoonbox::api::edge
