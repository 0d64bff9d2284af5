// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <atomic>
#include <memory>

namespace cocoonbox::app::gui {

// Bytes of all streams of one screen so far. Any thread.
struct Traffic {
    std::atomic<qint64> received = 0;
    std::atomic<qint64> sent = 0;
};

// A stream that counts what passes.
class CountedStream final : public rfb::ByteStream {
public:
    CountedStream(std::shared_ptr<rfb::ByteStream> stream, std::shared_ptr<Traffic> traffic)
        : m_stream(std::move(stream)), m_traffic(std::move(traffic))
    {
    }

    Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit) override
    {
        Result<qsizetype> count = m_stream->read(to, capacity, limit);
        if (count) m_traffic->received.fetch_add(*count, std::memory_order_relaxed);
        return count;
    }
    bool write(QByteArrayView message) override
    {
        const bool taken = m_stream->write(message);
        if (taken) m_traffic->sent.fetch_add(message.size(), std::memory_order_relaxed);
        return taken;
    }
    void close() override { m_stream->close(); }

private:
    std::shared_ptr<rfb::ByteStream> m_stream;
    std::shared_ptr<Traffic> m_traffic;
};

} // namespace cocoonbox::app::gui
