// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <chrono>
#include <QByteArrayView>

namespace cocoonbox::app::rfb {

// The two-way stream of bytes one RFB connection runs over: a gRPC call (app/client) or a socket. One thread reads,
// any thread writes or closes.
class ByteStream {
public:
    virtual ~ByteStream() = default;

    static constexpr std::chrono::milliseconds kNoLimit = std::chrono::milliseconds::max();

    // Blocks until there is at least one byte (at most `capacity` are taken) and costs nothing while it waits.
    // Zero bytes: the limit passed. At the end or after `close`: Unavailable, with the sentence to show.
    virtual Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit) = 0;

    // Takes one whole message and never blocks. False when the stream is closed, or when the peer has stopped
    // reading and kWaitingBytesMax already wait; the caller then ends the session.
    virtual bool write(QByteArrayView message) = 0;

    // Ends a read that blocks, at once. Idempotent.
    virtual void close() = 0;

    static constexpr qsizetype kWaitingBytesMax = 4 * 1024 * 1024;
};

} // namespace cocoonbox::app::rfb
