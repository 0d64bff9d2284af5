// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/port/frame_channel.h"

#include <cerrno>
#include <fcntl.h>
#include <QPointer>
#include <sys/socket.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::port {

namespace {

constexpr qsizetype kReadBytes = 64 * 1024;

Error ended(const QString& why)
{
    return Error{ErrorCode::Unavailable, why, u"TOOLS_CHANNEL_ENDED"_s, {}, std::source_location::current()};
}

} // namespace

Result<void> checkPeer(int fd, uid_t uid)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != uid)
        return fail(
            ErrorCode::PermissionDenied,
            u"The program at the other end of the tools socket runs as user %1, not as user %2."_s.arg(peer.uid).arg(
                uid),
            u"PEER_REFUSED"_s);
    return {};
}

FrameChannel::FrameChannel(int fd, QObject* parent) : QObject(parent), m_fd(fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    m_readable = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
    m_writable = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Write);
    m_writable->setEnabled(false);
    connect(m_readable.get(), &QSocketNotifier::activated, this, &FrameChannel::onReadable);
    connect(m_writable.get(), &QSocketNotifier::activated, this, &FrameChannel::onWritable);
}

FrameChannel::~FrameChannel()
{
    m_readable.reset();
    m_writable.reset();
    if (m_fd >= 0) ::close(m_fd);
}

bool FrameChannel::send(const Message& message)
{
    if (!isOpen()) return false;
    const Result<QByteArray> frame = encodeFrame(message);
    if (!frame) {
        abort(frame.error());
        return false;
    }
    if (m_unsent.size() + frame->size() > kUnsentBytesMax) {
        abort(ended(u"The other end of the tools socket has stopped reading."_s));
        return false;
    }
    m_unsent += *frame;
    if (!m_writable->isEnabled()) onWritable();
    return isOpen();
}

void FrameChannel::onWritable()
{
    qsizetype sent = 0;
    while (sent < m_unsent.size()) {
        const ssize_t n =
            ::send(m_fd, m_unsent.constData() + sent, static_cast<size_t>(m_unsent.size() - sent), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            abort(ended(u"The other end of the tools socket has hung up."_s));
            return;
        }
        if (n < 0) break;
        sent += n;
    }
    m_unsent.remove(0, sent);
    m_writable->setEnabled(!m_unsent.isEmpty());
}

void FrameChannel::onReadable()
{
    QByteArray bytes(kReadBytes, Qt::Uninitialized);
    const ssize_t n = ::recv(m_fd, bytes.data(), static_cast<size_t>(bytes.size()), 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n <= 0) {
        abort(ended(u"The other end of the tools socket has hung up."_s));
        return;
    }
    bytes.truncate(n);
    const Result<QList<Message>> messages = m_reader.feed(bytes);
    if (!messages) {
        abort(messages.error());
        return;
    }
    const QPointer<FrameChannel> self(this); // a receiver may close or destroy the channel
    for (const Message& message : *messages) {
        emit received(message);
        if (!self || !isOpen()) return;
    }
}

void FrameChannel::close()
{
    abort(Error{ErrorCode::Cancelled,
                u"The tools channel was closed."_s,
                u"TOOLS_CHANNEL_ENDED"_s,
                {},
                std::source_location::current()});
}

void FrameChannel::abort(const Error& error)
{
    if (!isOpen()) return;
    m_readable->setEnabled(false);
    m_writable->setEnabled(false);
    ::close(std::exchange(m_fd, -1));
    emit closed(error);
}

} // namespace cocoonbox::agent::toolhost::port
