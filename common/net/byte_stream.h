// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/unique_fd.h"

#include <QByteArray>
#include <QObject>

namespace cocoonbox::net {

// A connected two-way stream of bytes on the domain thread: the socket seen by the HTTP server and client.
// Back-pressure is the user's: stop reading with setReading(false), stop writing while bytesToWrite() is high.
class ByteStream : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kEnded = -1;
    static constexpr qint64 kLowWaterBytes = 32 * 1024;

    using QObject::QObject;

    // Takes up to `size` bytes: their number, 0 when there is nothing yet, kEnded after the last one or a failure.
    virtual qsizetype read(char* buffer, qsizetype size) = 0;
    // While on, `readable` is emitted whenever read() has something to say. Off at first.
    virtual void setReading(bool on) = 0;
    // Queues; never blocks. Dropped after the stream broke or was closed.
    virtual void write(const QByteArray& bytes) = 0;
    virtual qint64 bytesToWrite() const = 0;
    // Ends our direction once the queue is out; reading goes on.
    virtual void finishWriting() = 0;
    // Drops the queue and closes at once. No signal is emitted afterwards.
    virtual void close() = 0;
    // The socket itself; the stream is closed then. Invalid, and the stream as it was, where bytes are queued or there
    // is more to the stream than a socket.
    virtual UniqueFd takeSocket() { return UniqueFd(); }

signals:
    void readable();
    // The queue, after it was above kLowWaterBytes, is at or below it; or it became empty.
    void drained();
    // Writing failed: the peer is gone. Emitted once.
    void broken();
};

} // namespace cocoonbox::net
