// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace cocoonbox::api::edge {

namespace {

constexpr int kEventsPerTurn = 128;

} // namespace

Result<std::unique_ptr<Loop>> Loop::create()
{
    const int epollFd = ::epoll_create1(EPOLL_CLOEXEC);
    const int wakeFd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
    if (epollFd >= 0 && wakeFd >= 0 && ::epoll_ctl(epollFd, EPOLL_CTL_ADD, wakeFd, &event) == 0)
        return std::unique_ptr<Loop>(new Loop(epollFd, wakeFd));
    if (epollFd >= 0) ::close(epollFd);
    if (wakeFd >= 0) ::close(wakeFd);
    return fail(ErrorCode::ResourceExhausted,
                QStringLiteral("The edge cannot start: no more files can be opened. Raise the limit (ulimit -n)."),
                QStringLiteral("FILES_EXHAUSTED"));
}

Loop::~Loop()
{
    m_timers.clear();
    m_later.clear();
    m_posted.clear();
    m_spent.clear();
    ::close(m_epollFd);
    ::close(m_wakeFd);
}

void Loop::run()
{
    std::array<epoll_event, kEventsPerTurn> events;
    m_pending = events.data();
    while (!m_isQuitting) {
        m_pendingCount = std::max(0, ::epoll_wait(m_epollFd, events.data(), kEventsPerTurn, waitMs()));
        bool isWoken = false;
        for (int i = 0; i < m_pendingCount; ++i) {
            if (auto* watcher = static_cast<Watcher*>(events[static_cast<size_t>(i)].data.ptr))
                watcher->onReady(events[static_cast<size_t>(i)].events);
            else
                isWoken = true;
        }
        m_pendingCount = 0;
        if (isWoken) runPosted();
        runTimers();
        runLater();
    }
    m_pending = nullptr;
}

void Loop::quit()
{
    post([this] { m_isQuitting = true; });
}

void Loop::post(Work work)
{
    {
        const std::lock_guard lock(m_postedMutex);
        m_posted.push_back(std::move(work));
    }
    wake();
}

void Loop::wake()
{
    // A full counter means that a wake-up is on its way already.
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(m_wakeFd, &one, sizeof one);
}

void Loop::watch(int fd, Watcher* watcher, uint32_t events)
{
    epoll_event event{.events = events, .data = {.ptr = watcher}};
    ::epoll_ctl(m_epollFd, EPOLL_CTL_ADD, fd, &event);
}

void Loop::rewatch(int fd, Watcher* watcher, uint32_t events)
{
    epoll_event event{.events = events, .data = {.ptr = watcher}};
    ::epoll_ctl(m_epollFd, EPOLL_CTL_MOD, fd, &event);
}

void Loop::unwatch(int fd, Watcher* watcher)
{
    ::epoll_ctl(m_epollFd, EPOLL_CTL_DEL, fd, nullptr);
    // The null pointer is the wake-up's; a spurious one is harmless.
    for (int i = 0; i < m_pendingCount; ++i)
        if (m_pending[i].data.ptr == watcher) m_pending[i].data.ptr = nullptr;
}

Loop::Timer Loop::after(std::chrono::milliseconds delay, Work work)
{
    return at(std::chrono::steady_clock::now() + delay, std::move(work));
}

int Loop::waitMs() const
{
    if (m_timers.empty()) return -1;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(m_timers.begin()->first - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<long long>(left.count(), 0, 60'000));
}

void Loop::runPosted()
{
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t read = ::read(m_wakeFd, &count, sizeof count);
    std::vector<Work> posted;
    {
        const std::lock_guard lock(m_postedMutex);
        posted.swap(m_posted);
    }
    for (Work& work : posted)
        work();
}

void Loop::runTimers()
{
    if (m_timers.empty()) return;
    const TimePoint now = std::chrono::steady_clock::now();
    while (!m_timers.empty() && m_timers.begin()->first <= now) {
        Work work = std::move(m_timers.begin()->second);
        m_timers.erase(m_timers.begin()); // first: the work may set a new one
        work();
    }
}

void Loop::runLater()
{
    while (!m_later.empty() || !m_spent.empty()) {
        for (size_t i = 0; i < m_later.size(); ++i) {
            Work work = std::move(m_later[i]); // it may add more
            work();
        }
        m_later.clear();
        std::vector<std::shared_ptr<void>> spent; // what dies may dispose of more
        spent.swap(m_spent);
    }
}

} // namespace cocoonbox::api::edge
