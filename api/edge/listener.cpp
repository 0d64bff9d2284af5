// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <QHostAddress>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cocoonbox::api::edge {

namespace {

using namespace std::chrono_literals;

constexpr int kBacklog = 512;
constexpr int kAcceptsPerTurn = 32;
constexpr auto kPauseWithoutFiles = 100ms;

struct SocketAddress {
    QHostAddress host;
    quint16 port = 0;
};

Result<SocketAddress> parse(const QString& address)
{
    const qsizetype colon = address.lastIndexOf(u':');
    QString host = address.left(colon);
    if (host.startsWith(u'[') && host.endsWith(u']')) host = host.sliced(1).chopped(1);
    if (host == u"localhost") host = QStringLiteral("127.0.0.1");
    bool isPort = false;
    const quint16 port = address.sliced(colon + 1).toUShort(&isPort);
    SocketAddress parsed{QHostAddress(host), port};
    if (colon > 0 && isPort && !parsed.host.isNull()) return parsed;
    return fail(
        ErrorCode::InvalidArgument,
        QStringLiteral("\"%1\" is not an address to listen on; write IP:PORT, such as 127.0.0.1:7400.").arg(address),
        QStringLiteral("ADDRESS_INVALID"));
}

int bindAndListen(const SocketAddress& address)
{
    const bool isV6 = address.host.protocol() == QAbstractSocket::IPv6Protocol;
    const int fd = ::socket(isV6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_storage storage{};
    socklen_t size = 0;
    if (isV6) {
        auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(address.port);
        const Q_IPV6ADDR bytes = address.host.toIPv6Address();
        std::copy_n(bytes.c, sizeof bytes.c, v6->sin6_addr.s6_addr);
        size = sizeof *v6;
    } else {
        auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
        v4->sin_family = AF_INET;
        v4->sin_port = htons(address.port);
        v4->sin_addr.s_addr = htonl(address.host.toIPv4Address());
        size = sizeof *v4;
    }
    if (::bind(fd, reinterpret_cast<sockaddr*>(&storage), size) == 0 && ::listen(fd, kBacklog) == 0) return fd;
    ::close(fd);
    return -1;
}

int portOf(int fd)
{
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
    // The port lies at the same place in both families.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&storage)->sin_port);
}

// A client that vanished is noticed by the kernel: within 30 s whether we are sending or not.
void tune(int fd)
{
    const auto set = [fd](int level, int option, int value) { ::setsockopt(fd, level, option, &value, sizeof value); };
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
    set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
    // What the network cannot take yet stays with us, where it is bounded, not in the kernel as an old picture.
    set(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 128 * 1024);
}

} // namespace

Result<std::unique_ptr<Listener>> Listener::open(const QString& address, std::optional<TlsContext> tls)
{
    TRY_ASSIGN(const SocketAddress parsed, parse(address));
    if (!tls && !parsed.host.isLoopback())
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("Refusing to listen on %1 without TLS: tokens would cross the network unencrypted. "
                                   "Configure a certificate, or listen on 127.0.0.1.")
                        .arg(address),
                    QStringLiteral("PLAINTEXT_REFUSED"));
    const int fd = bindAndListen(parsed);
    if (fd < 0)
        return fail(ErrorCode::Unavailable,
                    QStringLiteral("Cannot listen on %1: the address is taken or not this machine's. "
                                   "Stop the other program or choose another address.")
                        .arg(address),
                    QStringLiteral("ADDRESS_IN_USE"));
    return std::unique_ptr<Listener>(new Listener(fd, portOf(fd), std::move(tls)));
}

Listener::~Listener()
{
    stop();
    if (m_fd >= 0) ::close(m_fd);
}

void Listener::start(Loop& loop, ListenerClient& client)
{
    m_loop = &loop;
    m_client = &client;
    m_loop->watch(m_fd, this, EPOLLIN);
}

void Listener::stop()
{
    if (!m_loop) return;
    if (m_resume) m_loop->cancel(*std::exchange(m_resume, std::nullopt));
    m_loop->unwatch(m_fd, this);
    m_loop = nullptr;
    ::close(std::exchange(m_fd, -1)); // the kernel refuses from now on
}

void Listener::onReady(uint32_t)
{
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
        const int fd = ::accept4(m_fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) return pause();
        if (fd < 0) return;
        tune(fd);
        std::unique_ptr<Transport> transport = m_tls ? m_tls->accept(fd) : makePlainTransport(fd);
        if (transport) m_client->onAccepted(std::move(transport));
    }
}

// The socket stays readable while no file can be opened; without a pause the loop would spin on it.
void Listener::pause()
{
    m_loop->rewatch(m_fd, this, 0);
    m_resume = m_loop->after(kPauseWithoutFiles, [this] {
        m_resume.reset();
        m_loop->rewatch(m_fd, this, EPOLLIN);
    });
}

} // namespace cocoonbox::api::edge
