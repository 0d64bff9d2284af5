// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <chrono>
#include <optional>
#include <QByteArray>
#include <vector>

namespace cocoonbox::app::rfb {

// Buffered reading of big-endian fields. Between messages it waits for ever; inside one, silence of kSilenceMax is
// RFB_STALLED, and so is passing the deadline where one is set (the handshake).
class StreamReader {
public:
    static constexpr auto kSilenceMax = std::chrono::seconds(20);

    explicit StreamReader(ByteStream& stream) : m_stream(stream), m_buffer(64 * 1024) {}

    void setDeadline(std::optional<std::chrono::steady_clock::time_point> deadline) { m_deadline = deadline; }
    Result<void> waitForMessage();

    Result<void> read(void* to, qsizetype size);
    Result<QByteArray> bytes(qsizetype size); // the caller has checked `size` against a bound
    Result<void> skip(qint64 size);
    Result<quint8> u8();
    Result<quint16> u16();
    Result<quint32> u32();

private:
    std::chrono::milliseconds patience() const;
    Result<qsizetype> fetch(char* to, qsizetype capacity);

    ByteStream& m_stream;
    std::vector<char> m_buffer;
    qsizetype m_begin = 0;
    qsizetype m_end = 0;
    std::optional<std::chrono::steady_clock::time_point> m_deadline;
};

} // namespace cocoonbox::app::rfb
