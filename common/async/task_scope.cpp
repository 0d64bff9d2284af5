// SPDX-License-Identifier: AGPL-3.0-only
#include "common/async/task_scope.h"

#include <QEventLoop>
#include <QLoggingCategory>
#include <QPointer>
#include <QTimer>

namespace cocoonbox {

Q_LOGGING_CATEGORY(asyncLog, "cocoonbox.common.async", QtInfoMsg)

TaskScope::TaskScope(QObject* parent) : QObject(parent) {}

TaskScope::~TaskScope()
{
    m_stop.request_stop();
}

void TaskScope::spawn(QCoro::Task<Result<void>> task, const QString& name)
{
    if (m_draining) {
        qCWarning(asyncLog) << "task started while shutting down, not kept:" << name;
        return;
    }
    const quint64 key = m_nextKey++;
    m_live.insert(key, name);
    run(std::move(task), name, key);
}

QCoro::Task<void> TaskScope::run(QCoro::Task<Result<void>> task, QString name, quint64 key)
{
    const QPointer self{this};
    const Result<void> result = co_await task;
    if (!result && result.error().code != ErrorCode::Cancelled)
        qCWarning(asyncLog).noquote() << name << "ended:" << result.error().message << result.error().detail;
    if (!self) co_return;
    m_live.remove(key);
    if (m_live.isEmpty()) emit emptied();
}

void TaskScope::requestStop()
{
    m_stop.request_stop();
}

bool TaskScope::drain(std::chrono::milliseconds limit)
{
    m_draining = true;
    m_stop.request_stop();
    if (!m_live.isEmpty()) {
        QEventLoop loop;
        connect(this, &TaskScope::emptied, &loop, &QEventLoop::quit);
        QTimer::singleShot(limit, &loop, &QEventLoop::quit);
        loop.exec();
    }
    for (const QString& name : std::as_const(m_live))
        qCWarning(asyncLog) << "task still running at shutdown:" << name;
    return m_live.isEmpty();
}

} // namespace cocoonbox
