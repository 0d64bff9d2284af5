// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <chrono>
#include <QHash>
#include <QObject>
#include <stop_token>

namespace cocoonbox {

// Owns the tasks nobody awaits. A task gets the scope's stop token; `drain` asks all to stop, waits for them with the
// event loop running, and logs the names of those still alive at the deadline. Domain thread only.
class TaskScope final : public QObject {
    Q_OBJECT
public:
    explicit TaskScope(QObject* parent = nullptr);
    ~TaskScope() override;

    std::stop_token stopToken() const { return m_stop.get_token(); }
    // Keeps `task` until it ends; an Error it ends with is logged as a warning under `name`, Cancelled is not.
    void spawn(QCoro::Task<Result<void>> task, const QString& name);
    void requestStop();
    // True when every task ended in time. Spawning is refused (and logged) afterwards.
    bool drain(std::chrono::milliseconds limit);
    qsizetype liveCount() const { return m_live.size(); }

signals:
    void emptied();

private:
    QCoro::Task<void> run(QCoro::Task<Result<void>> task, QString name, quint64 key);

    std::stop_source m_stop;
    QHash<quint64, QString> m_live;
    quint64 m_nextKey = 1;
    bool m_draining = false;
};

} // namespace cocoonbox
