// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/address_guard.h"

#include <algorithm>
#include <array>
#include <QtEndian>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

struct Prefix4 {
    quint32 network;
    int length;
};

constexpr quint32 four(quint32 a, quint32 b, quint32 c, quint32 d)
{
    return a << 24 | b << 16 | c << 8 | d;
}

// IANA IPv4 Special-Purpose Address Registry, multicast and the reserved block.
constexpr auto kBlocked4 = std::to_array<Prefix4>({
    {four(0, 0, 0, 0), 8},
    {four(10, 0, 0, 0), 8},
    {four(100, 64, 0, 0), 10},
    {four(127, 0, 0, 0), 8},
    {four(169, 254, 0, 0), 16},
    {four(172, 16, 0, 0), 12},
    {four(192, 0, 0, 0), 24},
    {four(192, 0, 2, 0), 24},
    {four(192, 88, 99, 0), 24},
    {four(192, 168, 0, 0), 16},
    {four(198, 18, 0, 0), 15},
    {four(198, 51, 100, 0), 24},
    {four(203, 0, 113, 0), 24},
    {four(224, 0, 0, 0), 4},
    {four(240, 0, 0, 0), 4},
});

bool isIn4(quint32 address, const Prefix4& prefix)
{
    return (address ^ prefix.network) >> (32 - prefix.length) == 0;
}

bool isPublic4(quint32 address)
{
    return std::ranges::none_of(kBlocked4, [address](const Prefix4& prefix) { return isIn4(address, prefix); });
}

// Global unicast (2000::/3) but for: IETF protocol assignments with Teredo, documentation, 6to4.
bool isPublic6(const QHostAddress& address)
{
    static const QList<QPair<QHostAddress, int>> kBlocked = {
        {QHostAddress(u"2001::"_s), 23},
        {QHostAddress(u"2001:db8::"_s), 32},
        {QHostAddress(u"2002::"_s), 16},
        {QHostAddress(u"3fff::"_s), 20},
    };
    static const QHostAddress kGlobal(u"2000::"_s);
    return address.isInSubnet(kGlobal, 3) &&
           std::ranges::none_of(kBlocked, [&](const auto& prefix) { return address.isInSubnet(prefix); });
}

// An IPv4 address in IPv6 clothes, where both are the same destination: ::ffff:0:0/96 and 64:ff9b::/96.
QHostAddress unwrapped(const QHostAddress& address)
{
    if (address.protocol() != QAbstractSocket::IPv6Protocol) return address;
    static const QHostAddress kMapped(u"::ffff:0:0"_s);
    static const QHostAddress kNat64(u"64:ff9b::"_s);
    QHostAddress bare = address;
    bare.setScopeId({});
    if (!bare.isInSubnet(kMapped, 96) && !bare.isInSubnet(kNat64, 96)) return bare;
    const Q_IPV6ADDR bytes = bare.toIPv6Address();
    return QHostAddress(qFromBigEndian<quint32>(bytes.c + 12));
}

std::unexpected<Error> invalid(const QString& entry)
{
    return fail(ErrorCode::InvalidArgument,
                u"\"%1\" is no prefix such as 10.8.0.1/32, or with ports 10.8.0.1/32:443,8443."_s.arg(entry),
                u"PREFIX_INVALID"_s);
}

bool isNumber(const QString& text)
{
    return !text.isEmpty() && text.size() <= 5 &&
           std::ranges::all_of(text, [](QChar c) { return c >= u'0' && c <= u'9'; });
}

} // namespace

bool isPublicAddress(const QHostAddress& address)
{
    const QHostAddress bare = unwrapped(address);
    if (bare.protocol() == QAbstractSocket::IPv4Protocol) return isPublic4(bare.toIPv4Address());
    return bare.protocol() == QAbstractSocket::IPv6Protocol && isPublic6(bare);
}

Result<AddressGuard> AddressGuard::create(const QStringList& internalAllow)
{
    AddressGuard guard;
    for (const QString& entry : internalAllow) {
        TRY_ASSIGN(Opening opening, parse(entry));
        guard.m_openings.append(std::move(opening));
    }
    return guard;
}

Result<AddressGuard::Opening> AddressGuard::parse(const QString& entry)
{
    const qsizetype slash = entry.indexOf(u'/');
    if (slash < 1) return invalid(entry);
    Opening opening;
    const QString network = entry.left(slash);
    const QString rest = entry.sliced(slash + 1);
    const QString length = rest.section(u':', 0, 0);
    // QHostAddress takes shorthands such as 127.1; a configuration is to be read by people.
    if (!opening.network.setAddress(network) || opening.network.toString() != network || !isNumber(length))
        return invalid(entry);
    opening.length = length.toInt();
    if (opening.length > (opening.network.protocol() == QAbstractSocket::IPv4Protocol ? 32 : 128))
        return invalid(entry);
    if (!rest.contains(u':')) return opening;
    for (const QString& port : rest.sliced(length.size() + 1).split(u',')) {
        if (!isNumber(port) || port.toInt() < 1 || port.toInt() > 65535 || opening.ports.contains(port.toInt()))
            return invalid(entry);
        opening.ports.append(port.toInt());
    }
    return opening;
}

bool AddressGuard::admits(const QHostAddress& address, int port) const
{
    const QHostAddress bare = unwrapped(address);
    const bool isOpened = std::ranges::any_of(m_openings, [&](const Opening& opening) {
        return (opening.ports.isEmpty() || opening.ports.contains(port)) &&
               bare.isInSubnet(opening.network, opening.length);
    });
    return isOpened || isPublicAddress(address);
}

} // namespace cocoonbox::api::egress
