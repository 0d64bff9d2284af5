// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/fd_stream.h"

#include <cerrno>
#include <QPointer>
#include <sys/socket.h>

namespace cocoonbox::net {

FdStream::FdStream(UniqueFd fd, QObject* parent)
    : ByteStream(parent), m_fd(std::move(fd)), m_readNotifier(m_fd.get(), QSocketNotifier::Read),
      m_writeNotifier(m_fd.get(), QSocketNotifier::Write)
{
    m_readNotifier.setEnabled(false);
    m_writeNotifier.setEnabled(false);
    connect(&m_readNotifier, &QSocketNotifier::activated, this, &ByteStream::readable);
    connect(&m_writeNotifier, &QSocketNotifier::activated, this, &FdStream::onWritable);
}

FdStream::~FdStream()
{
    close();
}

qsizetype FdStream::read(char* buffer, qsizetype size)
{
    if (!m_fd.isValid()) return kEnded;
    for (;;) {
        const ssize_t n = ::recv(m_fd.get(), buffer, static_cast<size_t>(size), 0);
        if (n > 0) return n;
        if (n == 0) return kEnded;
        if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
        if (errno != EINTR) return kEnded;
    }
}

void FdStream::setReading(bool on)
{
    if (m_fd.isValid()) m_readNotifier.setEnabled(on);
}

void FdStream::write(const QByteArray& bytes)
{
    if (!m_fd.isValid() || m_broken || m_finishing || bytes.isEmpty()) return;
    m_queue.push_back(bytes);
    m_queued += bytes.size();
    if (!m_writeNotifier.isEnabled()) flush();
}

void FdStream::flush()
{
    while (!m_queue.empty()) {
        const QByteArray& piece = m_queue.front();
        const ssize_t n = ::send(m_fd.get(), piece.constData() + m_offset, static_cast<size_t>(piece.size() - m_offset),
                                 MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
        if (n < 0) {
            m_broken = true;
            m_queue.clear();
            m_queued = 0;
            m_writeNotifier.setEnabled(false);
            // Queued, so that a caller of write() is never re-entered.
            QMetaObject::invokeMethod(this, &ByteStream::broken, Qt::QueuedConnection);
            return;
        }
        m_queued -= n;
        m_offset += n;
        if (m_offset < piece.size()) continue;
        m_queue.pop_front();
        m_offset = 0;
    }
    m_writeNotifier.setEnabled(!m_queue.empty());
    if (m_queue.empty() && m_finishing) (void)::shutdown(m_fd.get(), SHUT_WR);
}

void FdStream::onWritable()
{
    const qint64 before = m_queued;
    flush();
    if (before == 0 || m_broken) return;
    if (m_queued == 0 || (before > kLowWaterBytes && m_queued <= kLowWaterBytes)) emit drained();
}

void FdStream::finishWriting()
{
    if (!m_fd.isValid() || m_finishing) return;
    m_finishing = true;
    if (m_queue.empty() && !m_broken) (void)::shutdown(m_fd.get(), SHUT_WR);
}

UniqueFd FdStream::takeSocket()
{
    if (m_queued > 0 || m_broken || m_finishing) return UniqueFd();
    m_readNotifier.setEnabled(false);
    m_writeNotifier.setEnabled(false);
    return std::move(m_fd);
}

void FdStream::close()
{
    if (!m_fd.isValid()) return;
    m_broken = true;
    m_readNotifier.setEnabled(false);
    m_writeNotifier.setEnabled(false);
    m_queue.clear();
    m_queued = 0;
    blockSignals(true); // a queued `broken` must not arrive after close
    m_fd.reset();
}

} // namespace cocoonbox::net
