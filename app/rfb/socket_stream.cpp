// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/socket_stream.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <QByteArray>
#include <QString>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cocoonbox::app::rfb {

namespace {

auto closedFailure()
{
    return fail(ErrorCode::Unavailable, QStringLiteral("The connection to the box's screen was closed."),
                QStringLiteral("SCREEN_CLOSED"));
}

class SocketStream final : public ByteStream {
public:
    explicit SocketStream(int fd) : m_fd(fd), m_wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
    ~SocketStream() override
    {
        ::close(m_fd);
        ::close(m_wake);
    }

    Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit) override
    {
        const auto end = limit == kNoLimit ? Clock::time_point::max() : Clock::now() + limit;
        for (;;) {
            if (isClosed()) return closedFailure();
            const ssize_t got = recv(m_fd, to, static_cast<size_t>(capacity), 0);
            if (got > 0) return static_cast<qsizetype>(got);
            if (got == 0 || (errno != EAGAIN && errno != EINTR)) return closedFailure();
            if (!waitUntil(end)) return 0;
        }
    }

    bool write(QByteArrayView message) override
    {
        const std::scoped_lock lock(m_mutex);
        if (m_closed || m_waiting.size() + message.size() > kWaitingBytesMax) return false;
        m_waiting.append(message);
        flush();
        if (!m_waiting.isEmpty()) wake(); // the reader waits for room as well, from now on
        return true;
    }

    void close() override
    {
        const std::scoped_lock lock(m_mutex);
        if (std::exchange(m_closed, true)) return;
        ::shutdown(m_fd, SHUT_RDWR);
        wake();
    }

private:
    using Clock = std::chrono::steady_clock;

    bool isClosed()
    {
        const std::scoped_lock lock(m_mutex);
        return m_closed;
    }
    void wake()
    {
        const quint64 one = 1;
        [[maybe_unused]] const auto written = ::write(m_wake, &one, sizeof one); // full means awake already
    }
    // With the mutex held. An error shows at the next read.
    void flush()
    {
        qsizetype sent = 0;
        while (sent < m_waiting.size()) {
            const ssize_t part =
                send(m_fd, m_waiting.constData() + sent, static_cast<size_t>(m_waiting.size() - sent), MSG_NOSIGNAL);
            if (part <= 0) break;
            sent += part;
        }
        m_waiting.remove(0, sent);
    }
    // False: the time is over.
    bool waitUntil(Clock::time_point end)
    {
        int timeout = -1;
        if (end != Clock::time_point::max()) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
            if (left <= 0) return false;
            timeout = static_cast<int>(std::min<qint64>(left, 60'000));
        }
        bool flushing;
        {
            const std::scoped_lock lock(m_mutex);
            flushing = !m_waiting.isEmpty();
        }
        pollfd fds[] = {{m_fd, static_cast<short>(flushing ? POLLIN | POLLOUT : POLLIN), 0}, {m_wake, POLLIN, 0}};
        poll(fds, 2, timeout);
        quint64 count;
        [[maybe_unused]] const auto drained = ::read(m_wake, &count, sizeof count);
        const std::scoped_lock lock(m_mutex);
        flush();
        return true;
    }

    const int m_fd;
    const int m_wake;
    std::mutex m_mutex;
    QByteArray m_waiting;
    bool m_closed = false;
};

} // namespace

std::shared_ptr<ByteStream> makeSocketStream(int fd)
{
    return std::make_shared<SocketStream>(fd);
}

Result<std::shared_ptr<ByteStream>> connectTcp(const QString& host, quint16 port, std::chrono::milliseconds limit)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (inet_pton(AF_INET, host.toLatin1().constData(), &address.sin_addr) != 1)
        return fail(ErrorCode::InvalidArgument, QStringLiteral("\"%1\" is not an IPv4 address.").arg(host),
                    QStringLiteral("ADDRESS_INVALID"));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    int problem = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
    if (problem == EINPROGRESS) {
        pollfd pending{fd, POLLOUT, 0};
        problem = ETIMEDOUT;
        socklen_t size = sizeof problem;
        if (poll(&pending, 1, static_cast<int>(limit.count())) == 1)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
    }
    if (problem == 0) return makeSocketStream(fd);
    close(fd);
    return fail(ErrorCode::Unavailable,
                QStringLiteral("Nothing answers at %1:%2 (%3).")
                    .arg(host)
                    .arg(port)
                    .arg(QString::fromLocal8Bit(strerror(problem))),
                QStringLiteral("SCREEN_UNREACHABLE"));
}

} // namespace cocoonbox::app::rfb
