// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/session/hand_backs.h"

#include "common/async/expiry.h"

namespace cocoonbox::agent::serve::session {

void HandBacks::endLook(const QString& text, qint64 nowMs)
{
    if (!text.isEmpty()) m_records.append({m_nextSerial++, nowMs, text});
    if (m_records.size() > kKeptMax) m_records.removeFirst();
    if (--m_looks > 0) return;
    for (const QList<Promise<bool>> waiting = std::exchange(m_waiting, {}); const Promise<bool>& waiter : waiting)
        waiter.set(true);
}

QCoro::Task<void> HandBacks::settled(std::chrono::milliseconds limit)
{
    if (m_looks == 0) co_return;
    const Promise<bool> done;
    const Expiry expiry(done, limit, false);
    m_waiting.append(done);
    co_await done.get();
}

QList<HandBacks::Record> HandBacks::takeFor(const QString& agentId, qint64 sinceMs)
{
    QList<Record> news;
    const quint64 told = m_told.value(agentId);
    for (const Record& record : std::as_const(m_records))
        if (record.serial > told && record.atMs >= sinceMs) news.append(record);
    if (!m_records.isEmpty()) m_told.insert(agentId, m_records.last().serial);
    return news;
}

} // namespace cocoonbox::agent::serve::session
