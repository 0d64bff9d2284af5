// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/fd_stream.h"

#include <QByteArray>

namespace cocoonbox::testing {

// A client that writes what it is told and keeps what it gets; for protocols spoken badly on purpose.
class RawClient final : public QObject {
public:
    explicit RawClient(net::UniqueFd fd) : m_stream(std::move(fd))
    {
        connect(&m_stream, &net::ByteStream::readable, this, [this] {
            char buffer[64 * 1024];
            const qsizetype n = m_stream.read(buffer, sizeof buffer);
            if (n > 0) received.append(buffer, n);
            if (n == net::ByteStream::kEnded) {
                hasEnded = true;
                m_stream.setReading(false);
            }
        });
        connect(&m_stream, &net::ByteStream::broken, this, [this] { isBroken = true; });
        m_stream.setReading(true);
    }

    void send(const QByteArray& bytes) { m_stream.write(bytes); }
    void finishWriting() { m_stream.finishWriting(); }
    void stopReading() { m_stream.setReading(false); }
    void startReading() { m_stream.setReading(true); }
    void close() { m_stream.close(); }
    qint64 unsent() const { return m_stream.bytesToWrite(); }

    QByteArray received;
    bool hasEnded = false;
    bool isBroken = false;

private:
    net::FdStream m_stream;
};

} // namespace cocoonbox::testing
