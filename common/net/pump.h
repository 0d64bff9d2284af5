// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/unique_fd.h"

#include <array>
#include <memory>
#include <QObject>
#include <QSocketNotifier>

namespace cocoonbox::net {

// Joins two connected, non-blocking sockets: each one's bytes go to the other, each one's end is passed on as a
// half-close. Holds at most kBufferBytes a direction, and none while a direction is empty; a reader that stops stops
// its writer. Ends when both directions have ended, when a socket fails, or by deletion; `finished` comes once.
class Pump final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kBufferBytes = 64 * 1024;

    Pump(UniqueFd a, UniqueFd b, QObject* parent = nullptr);
    ~Pump() override;

    // Bytes that went from a to b and from b to a.
    quint64 bytesForward() const { return m_lanes[0].total; }
    quint64 bytesBack() const { return m_lanes[1].total; }

signals:
    void finished();

private:
    struct Lane {
        std::unique_ptr<char[]> buffer;
        qsizetype begin = 0;
        qsizetype end = 0;
        quint64 total = 0;
        bool sourceEnded = false;
        bool done = false;
    };
    struct Side {
        UniqueFd fd;
        std::unique_ptr<QSocketNotifier> readable;
        std::unique_ptr<QSocketNotifier> writable;
    };

    void move(size_t lane);
    bool fill(Lane& lane, int source);
    bool drain(Lane& lane, int target);
    void arm(size_t lane);
    void finish();

    std::array<Side, 2> m_sides;
    std::array<Lane, 2> m_lanes; // lane i reads side i and writes side 1 - i
    bool m_finished = false;
};

} // namespace cocoonbox::net
