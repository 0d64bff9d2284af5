// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/models/upstream.h"
#include "common/async/task.h"
#include "common/async/wait.h"
#include "common/net/byte_stream.h"

#include <chrono>
#include <QSslSocket>
#include <stop_token>

namespace cocoonbox::api::models {

// A ByteStream to the upstream, by name, with or without TLS (certificates checked against the system's).
class UpstreamSocket final : public net::ByteStream {
    Q_OBJECT
public:
    explicit UpstreamSocket(const Upstream& upstream);
    ~UpstreamSocket() override;

    // Once. Unavailable: UPSTREAM_UNREACHABLE. DeadlineExceeded: UPSTREAM_CONNECT_TIMEOUT. Cancelled.
    Task<void> connected(std::chrono::milliseconds limit, std::stop_token stop);

    qsizetype read(char* buffer, qsizetype size) override;
    void setReading(bool on) override;
    void write(const QByteArray& bytes) override;
    qint64 bytesToWrite() const override { return m_socket.bytesToWrite() + m_socket.encryptedBytesToWrite(); }
    // Neither QTcpSocket nor TLS ends one direction alone, and HTTP requests need no end.
    void finishWriting() override {}
    void close() override;

private:
    enum class News { Connected, Failed, Late, Cancelled };

    void tell(News news);
    void announce();
    void onWritten();
    void onFailed();

    QSslSocket m_socket;
    Promise<News> m_news;
    bool m_isReading = false;
    bool m_isAnnounced = false;
    bool m_isClosed = false;
};

} // namespace cocoonbox::api::models
