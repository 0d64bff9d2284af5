// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/pump.h"

#include <cerrno>
#include <sys/socket.h>
#include <utility>

namespace cocoonbox::net {

Pump::Pump(UniqueFd a, UniqueFd b, const QByteArray& toB, const QByteArray& toA, QObject* parent)
    : QObject(parent), m_answerBytes(static_cast<quint64>(toA.size()))
{
    preload(0, toB);
    preload(1, toA);
    m_sides[0].fd = std::move(a);
    m_sides[1].fd = std::move(b);
    for (size_t i = 0; i < m_sides.size(); ++i) {
        Side& side = m_sides[i];
        side.readable = std::make_unique<QSocketNotifier>(side.fd.get(), QSocketNotifier::Read);
        side.writable = std::make_unique<QSocketNotifier>(side.fd.get(), QSocketNotifier::Write);
        side.writable->setEnabled(false);
        connect(side.readable.get(), &QSocketNotifier::activated, this, [this, i] { move(i); });
        connect(side.writable.get(), &QSocketNotifier::activated, this, [this, i] { move(1 - i); });
    }
}

Pump::~Pump() = default;

void Pump::preload(size_t index, const QByteArray& bytes)
{
    if (bytes.isEmpty()) return;
    Lane& lane = m_lanes[index];
    lane.buffer = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(std::max(bytes.size(), kBufferBytes)));
    std::ranges::copy(bytes, lane.buffer.get());
    lane.end = bytes.size();
    // In a turn of its own: who made this has not connected to `finished` yet.
    QMetaObject::invokeMethod(this, [this, index] { move(index); }, Qt::QueuedConnection);
}

void Pump::move(size_t index)
{
    if (m_finished) return;
    Lane& lane = m_lanes[index];
    const int source = m_sides[index].fd.get();
    const int target = m_sides[1 - index].fd.get();
    if (!drain(lane, target) || !fill(lane, source) || !drain(lane, target)) return finish();
    if (lane.sourceEnded && lane.begin == lane.end && !lane.done) {
        lane.done = true;
        (void)::shutdown(target, SHUT_WR);
        watchHalfClosed();
    }
    if (lane.begin == lane.end) lane.buffer.reset();
    arm(index);
    if (m_lanes[0].done && m_lanes[1].done) finish();
}

// One read a turn, so that one busy pair does not starve the others. False when the pair must end.
bool Pump::fill(Lane& lane, int source)
{
    if (lane.sourceEnded || lane.begin != lane.end) return true;
    if (!lane.buffer) lane.buffer = std::make_unique_for_overwrite<char[]>(kBufferBytes);
    const ssize_t n = ::recv(source, lane.buffer.get(), kBufferBytes, 0);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    lane.begin = 0;
    lane.end = n;
    lane.sourceEnded = n == 0;
    return true;
}

bool Pump::drain(Lane& lane, int target)
{
    while (lane.begin < lane.end) {
        const ssize_t n =
            ::send(target, lane.buffer.get() + lane.begin, static_cast<size_t>(lane.end - lane.begin), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
        lane.begin += n;
        lane.total += static_cast<quint64>(n);
    }
    return true;
}

void Pump::arm(size_t index)
{
    const Lane& lane = m_lanes[index];
    const bool full = lane.begin != lane.end;
    m_sides[index].readable->setEnabled(!lane.sourceEnded && !full);
    m_sides[1 - index].writable->setEnabled(full);
}

void Pump::watchHalfClosed()
{
    if (m_halfClosedTimer) return;
    m_halfClosedTimer = std::make_unique<QTimer>();
    m_halfClosedTimer->callOnTimeout(this, [this, before = quint64(0)]() mutable {
        const quint64 moved = m_lanes[0].total + m_lanes[1].total;
        if (std::exchange(before, moved) == moved) finish();
    });
    m_halfClosedTimer->start(halfClosedIdleMax);
}

void Pump::finish()
{
    if (m_finished) return;
    m_finished = true;
    for (Side& side : m_sides) {
        side.readable->setEnabled(false);
        side.writable->setEnabled(false);
    }
    for (Side& side : m_sides)
        side.fd.reset();
    if (m_halfClosedTimer) m_halfClosedTimer->stop();
    emit finished();
}

} // namespace cocoonbox::net
