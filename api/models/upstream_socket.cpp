// SPDX-License-Identifier: AGPL-3.0-only
#include "api/models/upstream_socket.h"

#include "common/async/expiry.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::api::models {

namespace {

constexpr qint64 kReadAheadBytes = 256 * 1024;

} // namespace

UpstreamSocket::UpstreamSocket(const Upstream& upstream)
{
    m_socket.setReadBufferSize(kReadAheadBytes);
    connect(&m_socket, &QSslSocket::readyRead, this, &UpstreamSocket::announce);
    connect(&m_socket, &QSslSocket::disconnected, this, &UpstreamSocket::announce);
    connect(&m_socket, &QSslSocket::bytesWritten, this, &UpstreamSocket::onWritten);
    connect(&m_socket, &QSslSocket::encryptedBytesWritten, this, &UpstreamSocket::onWritten);
    connect(&m_socket, &QSslSocket::errorOccurred, this, &UpstreamSocket::onFailed);
    if (upstream.isEncrypted) {
        connect(&m_socket, &QSslSocket::encrypted, this, [this] { tell(News::Connected); });
        m_socket.connectToHostEncrypted(upstream.host, upstream.port);
    } else {
        connect(&m_socket, &QSslSocket::connected, this, [this] { tell(News::Connected); });
        m_socket.connectToHost(upstream.host, upstream.port);
    }
}

UpstreamSocket::~UpstreamSocket()
{
    close();
}

Task<void> UpstreamSocket::connected(std::chrono::milliseconds limit, std::stop_token stop)
{
    const Expiry expiry(m_news, limit, News::Late, stop, News::Cancelled);
    switch (co_await m_news.get()) {
    case News::Connected: m_socket.setSocketOption(QAbstractSocket::LowDelayOption, 1); co_return {};
    case News::Late:
        co_return fail(ErrorCode::DeadlineExceeded,
                       u"The model server did not take the connection within %1 s."_s.arg(limit.count() / 1000),
                       u"UPSTREAM_CONNECT_TIMEOUT"_s);
    case News::Cancelled: co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
    case News::Failed: break;
    }
    co_return fail(
        ErrorCode::Unavailable,
        u"The model server cannot be reached: %1. Check models.base-url on the host."_s.arg(m_socket.errorString()),
        u"UPSTREAM_UNREACHABLE"_s);
}

qsizetype UpstreamSocket::read(char* buffer, qsizetype size)
{
    if (m_isClosed) return kEnded;
    const qint64 n = m_socket.bytesAvailable() > 0 ? m_socket.read(buffer, size) : 0;
    if (n > 0) {
        announce();
        return n;
    }
    return n < 0 || m_socket.state() != QAbstractSocket::ConnectedState ? kEnded : 0;
}

void UpstreamSocket::setReading(bool on)
{
    m_isReading = on;
    announce();
}

// QIODevice tells of news only; a ByteStream says `readable` as long as there is something to say.
void UpstreamSocket::announce()
{
    const bool hasEnded = m_news.isSet() && m_socket.state() == QAbstractSocket::UnconnectedState;
    if (!m_isReading || m_isAnnounced || m_isClosed || (m_socket.bytesAvailable() == 0 && !hasEnded)) return;
    m_isAnnounced = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_isAnnounced = false;
            if (m_isReading && !m_isClosed) emit readable();
        },
        Qt::QueuedConnection);
}

void UpstreamSocket::write(const QByteArray& bytes)
{
    if (!m_isClosed && m_socket.state() == QAbstractSocket::ConnectedState) m_socket.write(bytes);
}

void UpstreamSocket::onWritten()
{
    if (!m_isClosed && bytesToWrite() <= kLowWaterBytes) emit drained();
}

// From the loop: who waits may destroy this socket, which is in the middle of a signal now.
void UpstreamSocket::tell(News news)
{
    postToDomain([promise = m_news, news] { promise.set(news); });
}

void UpstreamSocket::onFailed()
{
    tell(News::Failed);
    if (m_isClosed) return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_isClosed) emit broken();
        },
        Qt::QueuedConnection);
    announce();
}

void UpstreamSocket::close()
{
    if (m_isClosed) return;
    m_isClosed = true;
    m_socket.disconnect(this);
    m_socket.abort();
}

} // namespace cocoonbox::api::models
