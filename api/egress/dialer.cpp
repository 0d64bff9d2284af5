// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/dialer.h"

#include "common/async/expiry.h"
#include "common/net/tcp_socket.h"

#include <algorithm>
#include <optional>
#include <QElapsedTimer>
#include <QHostInfo>
#include <sys/socket.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

constexpr std::chrono::milliseconds kAddressLimit{10'000};
constexpr qsizetype kAddressesMax = 8;

std::unexpected<Error> tooLate(const QString& host)
{
    return fail(ErrorCode::DeadlineExceeded, u"%1 did not answer in time."_s.arg(host), u"EGRESS_TIMEOUT"_s);
}

// Nothing: out of time, or cancelled.
QCoro::Task<std::optional<QHostInfo>> lookUp(QString host, std::chrono::milliseconds limit, std::stop_token stop)
{
    const Promise<std::optional<QHostInfo>> answer;
    QObject context; // a late answer of the resolver finds nobody
    const int id = QHostInfo::lookupHost(host, &context, [answer](const QHostInfo& info) { answer.set(info); });
    const Expiry<std::optional<QHostInfo>> expiry(answer, limit, std::nullopt, stop, std::nullopt);
    const std::optional<QHostInfo> info = co_await answer.get();
    if (!info) QHostInfo::abortHostLookup(id);
    co_return info;
}

Task<QList<QHostAddress>> addressesOf(QString host, std::chrono::milliseconds limit, std::stop_token stop)
{
    if (const QHostAddress literal(host); !literal.isNull()) co_return QList<QHostAddress>{literal};
    const std::optional<QHostInfo> info = co_await lookUp(host, limit, stop);
    if (stop.stop_requested()) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
    if (!info) co_return tooLate(host);
    if (info->addresses().isEmpty())
        co_return fail(ErrorCode::Unavailable, u"The name %1 is not known."_s.arg(host), u"EGRESS_NAME_UNKNOWN"_s);
    QList<QHostAddress> addresses = info->addresses();
    std::ranges::stable_partition(addresses,
                                  [](const QHostAddress& a) { return a.protocol() == QAbstractSocket::IPv4Protocol; });
    co_return addresses;
}

void keepAlive(int fd)
{
    const int on = 1;
    (void)::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

} // namespace

Task<Dialled> Dialer::dial(QString host, quint16 port, std::stop_token stop) const
{
    const AddressGuard guard = m_guard;
    QElapsedTimer clock;
    clock.start();
    CO_TRY_ASSIGN(QList<QHostAddress> addresses, co_await addressesOf(host, kDialLimit, stop));
    const std::chrono::milliseconds nameTime = std::chrono::milliseconds(clock.elapsed());
    addresses.removeIf([&](const QHostAddress& address) { return !guard.admits(address, port); });
    if (addresses.isEmpty())
        co_return fail(
            ErrorCode::PermissionDenied,
            u"%1 leads to a blocked internal address. Boxes reach the public internet only; the operator can "
            "let prefixes through with egress.internal-allow."_s.arg(host),
            u"EGRESS_ADDRESS_BLOCKED"_s);
    Result<std::shared_ptr<net::UniqueFd>> socket = tooLate(host);
    for (const QHostAddress& address : addresses.first(std::min(addresses.size(), kAddressesMax))) {
        const auto left = kDialLimit - std::chrono::milliseconds(clock.elapsed());
        if (left <= std::chrono::milliseconds::zero()) break;
        socket = co_await net::connectTcp(address.toString(), port, std::min(left, kAddressLimit), stop);
        if (socket) {
            keepAlive((*socket)->get());
            co_return Dialled{*socket, address, nameTime, std::chrono::milliseconds(clock.elapsed()) - nameTime};
        }
        if (socket.error().code == ErrorCode::Cancelled) break;
    }
    if (socket.error().code == ErrorCode::Cancelled) co_return std::unexpected(std::move(socket).error());
    if (socket.error().code == ErrorCode::DeadlineExceeded) co_return tooLate(host);
    co_return fail(ErrorCode::Unavailable, u"%1 port %2 cannot be reached."_s.arg(host).arg(port),
                   u"EGRESS_UNREACHABLE"_s);
}

} // namespace cocoonbox::api::egress
