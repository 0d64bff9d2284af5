// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/wait.h"

#include <QHash>
#include <QString>

namespace cocoonbox::agent::serve::session {

// What was different each time a person handed the screen back, until each agent has been told. In memory: an agent
// that is told nothing after a restart looks at the screen as it would anyway. Domain thread.
class HandBacks final {
public:
    struct Record {
        quint64 serial = 0;
        qint64 atMs = 0;
        QString text;
    };
    static constexpr qsizetype kKeptMax = 4;

    // A hand-back is being looked at: those who need its record wait for `endLook`.
    void beginLook() { ++m_looks; }
    // `text` empty: nothing is different.
    void endLook(const QString& text, qint64 nowMs);
    // Ends at the limit as well: a record that comes late is told later.
    QCoro::Task<void> settled(std::chrono::milliseconds limit);

    // Those that the agent, who exists since `sinceMs`, was not told before; they count as told.
    QList<Record> takeFor(const QString& agentId, qint64 sinceMs);

private:
    QList<Record> m_records;
    QHash<QString, quint64> m_told; // the newest serial, by agent
    QList<Promise<bool>> m_waiting;
    quint64 m_nextSerial = 1;
    int m_looks = 0;
};

} // namespace cocoonbox::agent::serve::session
