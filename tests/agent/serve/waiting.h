// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <QCoroTask>
#include <QTest>
#include <QTimer>

namespace cocoonbox::test {

// Runs the main loop until the condition holds; false after the limit.
inline bool waitUntil(std::function<bool()> condition, std::chrono::milliseconds limit = std::chrono::seconds(5))
{
    return QCoro::waitFor(pollUntil(std::move(condition), std::chrono::milliseconds(2), limit, QStringLiteral("It")))
        .has_value();
}

template <class T>
T take(QCoro::Task<Result<T>> task)
{
    Result<T> result = QCoro::waitFor(std::move(task));
    if (!result) qFatal("%s (%s)", qPrintable(result.error().message), qPrintable(result.error().reason));
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}
template <class T>
QString reasonOf(QCoro::Task<Result<T>> task)
{
    const Result<T> result = QCoro::waitFor(std::move(task));
    return result ? QStringLiteral("(no failure)") : result.error().reason;
}

} // namespace cocoonbox::test
