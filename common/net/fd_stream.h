// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/byte_stream.h"
#include "common/net/unique_fd.h"

#include <deque>
#include <QSocketNotifier>

namespace cocoonbox::net {

// A ByteStream over a connected, non-blocking TCP or unix socket.
class FdStream final : public ByteStream {
    Q_OBJECT
public:
    explicit FdStream(UniqueFd fd, QObject* parent = nullptr);
    ~FdStream() override;

    qsizetype read(char* buffer, qsizetype size) override;
    void setReading(bool on) override;
    void write(const QByteArray& bytes) override;
    qint64 bytesToWrite() const override { return m_queued; }
    void finishWriting() override;
    void close() override;
    UniqueFd takeSocket() override;

private:
    void flush();
    void onWritable();

    UniqueFd m_fd;
    QSocketNotifier m_readNotifier;
    QSocketNotifier m_writeNotifier;
    std::deque<QByteArray> m_queue;
    qsizetype m_offset = 0; // bytes of the queue's first piece that are out
    qint64 m_queued = 0;
    bool m_finishing = false;
    bool m_broken = false;
};

} // namespace cocoonbox::net
