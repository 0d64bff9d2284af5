// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/unique_fd.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <QByteArray>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

namespace cocoonbox::net {

// Joins two connected, non-blocking sockets: each one's bytes go to the other, each one's end is passed on as a
// half-close. Holds at most kBufferBytes a direction, and none while a direction is empty; a reader that stops stops
// its writer. Ends when both directions have ended, when a socket fails, when one has ended and nothing moves in the
// other for halfClosedIdleMax (the peer of a client that vanished may never know), or by deletion; `finished` comes
// once.
class Pump final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kBufferBytes = 256 * 1024;
    std::chrono::milliseconds halfClosedIdleMax{600'000};

    // `toB` and `toA` are sent before what is read: bytes that came too early, and an answer that opens the way, which
    // is not counted.
    Pump(UniqueFd a, UniqueFd b, const QByteArray& toB = {}, const QByteArray& toA = {}, QObject* parent = nullptr);
    ~Pump() override;

    // Bytes that went from a to b and from b to a.
    quint64 bytesForward() const { return m_lanes[0].total; }
    quint64 bytesBack() const { return m_lanes[1].total - std::min(m_lanes[1].total, m_answerBytes); }

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

    void preload(size_t lane, const QByteArray& bytes);
    void move(size_t lane);
    bool fill(Lane& lane, int source);
    bool drain(Lane& lane, int target);
    void arm(size_t lane);
    void watchHalfClosed();
    void finish();

    std::array<Side, 2> m_sides;
    std::array<Lane, 2> m_lanes; // lane i reads side i and writes side 1 - i
    std::unique_ptr<QTimer> m_halfClosedTimer;
    quint64 m_answerBytes = 0;
    bool m_finished = false;
};

} // namespace cocoonbox::net
