// SPDX-License-Identifier: AGPL-3.0-only
#include "common/async/wait.h"

#include "common/async/expiry.h"

#include <QCoreApplication>
#include <QElapsedTimer>

namespace cocoonbox {

void postToDomain(std::function<void()> fn)
{
    if (QCoreApplication* app = QCoreApplication::instance())
        QMetaObject::invokeMethod(app, std::move(fn), Qt::QueuedConnection);
}

Task<void> sleepFor(std::chrono::milliseconds time, std::stop_token stop)
{
    const Promise<bool> woken;
    const Expiry expiry(woken, time, false, stop, true);
    if (co_await woken.get()) co_return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    co_return {};
}

Task<void> pollUntil(std::function<bool()> condition, std::chrono::milliseconds interval,
                     std::chrono::milliseconds limit, QString what, std::stop_token stop)
{
    QElapsedTimer elapsed;
    elapsed.start();
    while (!condition()) {
        if (elapsed.durationElapsed() >= limit)
            co_return fail(ErrorCode::DeadlineExceeded,
                           QStringLiteral("%1 took longer than %2 ms.").arg(what).arg(limit.count()));
        CO_TRY_VOID(co_await sleepFor(interval, stop));
    }
    co_return {};
}

} // namespace cocoonbox
