// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/retry_pause.h"

#include <QTimer>

namespace cocoonbox::app::client {

using namespace std::chrono_literals;

namespace {

constexpr auto kFirst = 200ms;
constexpr auto kMost = 1600ms;
constexpr auto kLongOutage = 2min;
constexpr auto kMostInLongOutage = 5000ms;

// Cancelled when stopped first; otherwise somebody woke it or the time is over.
Task<void> waitFor(Promise<bool> woken, std::optional<std::chrono::milliseconds> time, std::stop_token stop)
{
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([woken] { woken.set(true); });
    if (time) timer.start(*time);
    const std::stop_callback onStop(stop, [woken] { postToDomain([woken] { woken.set(false); }); });
    if (!co_await woken.get()) co_return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    co_return {};
}

} // namespace

std::chrono::milliseconds RetryPause::next()
{
    if (m_failures == 0) m_failingSince.start();
    const auto most = m_failingSince.durationElapsed() > kLongOutage ? kMostInLongOutage : kMost;
    const auto pause = kFirst * (1 << std::min(m_failures, 10));
    ++m_failures;
    return std::min<std::chrono::milliseconds>(pause, most);
}

void RetryPause::reset()
{
    m_failures = 0;
}

Task<void> RetryPause::wait(std::stop_token stop)
{
    m_woken = Promise<bool>();
    return waitFor(m_woken, next(), std::move(stop));
}

Task<void> RetryPause::waitForNews(std::stop_token stop)
{
    m_woken = Promise<bool>();
    return waitFor(m_woken, std::nullopt, std::move(stop));
}

} // namespace cocoonbox::app::client
