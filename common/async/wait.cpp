// SPDX-License-Identifier: AGPL-3.0-only
#include "common/async/wait.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>

namespace cocoonbox {

void postToDomain(std::function<void()> fn)
{
    if (QCoreApplication* app = QCoreApplication::instance())
        QMetaObject::invokeMethod(app, std::move(fn), Qt::QueuedConnection);
}

Task<void> sleepFor(std::chrono::milliseconds time, std::stop_token stop)
{
    Promise<bool> woken;
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([woken] { woken.set(false); });
    timer.start(time);
    const std::stop_callback onStop(stop, [woken] { postToDomain([woken] { woken.set(true); }); });
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
