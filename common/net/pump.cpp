// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/pump.h"

#include <cerrno>
#include <sys/socket.h>

namespace cocoonbox::net {

Pump::Pump(UniqueFd a, UniqueFd b, QObject* parent) : QObject(parent)
{
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
    emit finished();
}

} // namespace cocoonbox::net
