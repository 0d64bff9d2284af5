// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/tcp_socket.h"

#include "common/async/expiry.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <QSocketNotifier>
#include <sys/socket.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::net {

namespace {

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Result<Address> numericAddress(const QString& text, quint16 port)
{
    Address address;
    const QByteArray bytes = text.toLatin1();
    auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
    auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
    if (::inet_pton(AF_INET, bytes.constData(), &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        address.size = sizeof *four;
    } else if (::inet_pton(AF_INET6, bytes.constData(), &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
        address.size = sizeof *six;
    } else {
        return fail(ErrorCode::InvalidArgument, u"\"%1\" is no numeric address."_s.arg(text), u"ADDRESS_INVALID"_s);
    }
    return address;
}

Result<UniqueFd> newSocket(const Address& address)
{
    UniqueFd fd(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd.isValid())
        return fail(ErrorCode::ResourceExhausted, u"No more sockets can be opened."_s, u"SOCKETS_EXHAUSTED"_s);
    const int on = 1;
    (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

std::unexpected<Error> connectFailed(const QString& address, quint16 port, int error)
{
    return fail(
        ErrorCode::Unavailable,
        u"%1 port %2 does not answer: %3."_s.arg(address).arg(port).arg(QString::fromLocal8Bit(std::strerror(error))),
        u"CONNECT_FAILED"_s);
}

enum class Outcome { Ready, Late, Stopped };

} // namespace

Result<UniqueFd> listenTcp(const QString& address, quint16 port, int backlog)
{
    TRY_ASSIGN(const Address target, numericAddress(address, port));
    TRY_ASSIGN(UniqueFd fd, newSocket(target));
    const int on = 1;
    (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(fd.get(), target.get(), target.size) != 0 || ::listen(fd.get(), backlog) != 0)
        return fail(ErrorCode::Unavailable,
                    u"%1 port %2 cannot be listened on: %3."_s.arg(address).arg(port).arg(
                        QString::fromLocal8Bit(std::strerror(errno))),
                    u"ADDRESS_IN_USE"_s);
    return fd;
}

Result<quint16> localPort(int fd)
{
    Address address;
    address.size = sizeof address.storage;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size) != 0)
        return fail(ErrorCode::Internal, u"The port of a socket could not be told."_s, u"PORT_UNKNOWN"_s);
    if (address.storage.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

Task<std::shared_ptr<UniqueFd>> connectTcp(QString address, quint16 port, std::chrono::milliseconds limit,
                                           std::stop_token stop)
{
    CO_TRY_ASSIGN(const Address target, numericAddress(address, port));
    CO_TRY_ASSIGN(UniqueFd fd, newSocket(target));
    if (::connect(fd.get(), target.get(), target.size) != 0) {
        if (errno != EINPROGRESS) co_return connectFailed(address, port, errno);
        const Promise<Outcome> outcome;
        QSocketNotifier writable(fd.get(), QSocketNotifier::Write);
        QObject::connect(&writable, &QSocketNotifier::activated, [outcome] { outcome.set(Outcome::Ready); });
        const Expiry expiry(outcome, limit, Outcome::Late, stop, Outcome::Stopped);
        const Outcome ended = co_await outcome.get();
        writable.setEnabled(false);
        if (ended == Outcome::Stopped) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        if (ended == Outcome::Late)
            co_return fail(ErrorCode::DeadlineExceeded, u"%1 port %2 did not answer in time."_s.arg(address).arg(port),
                           u"CONNECT_TIMEOUT"_s);
        int error = 0;
        socklen_t size = sizeof error;
        (void)::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) co_return connectFailed(address, port, error);
    }
    co_return std::make_shared<UniqueFd>(std::move(fd));
}

} // namespace cocoonbox::net
