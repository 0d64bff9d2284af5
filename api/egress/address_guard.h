// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QHostAddress>
#include <QList>
#include <QStringList>

namespace cocoonbox::api::egress {

// Keeps boxes off this machine and its neighbours: whatever a name resolved to, only addresses of the public internet
// are dialled. Blocked is what the IANA special-purpose registries (RFC 6890 and later) do not call globally reachable,
// and every IPv6 form that carries an IPv4 address to elsewhere (mapped, compatible, NAT64, 6to4, Teredo); an address
// in the well-known NAT64 prefix or mapped counts as the IPv4 it carries. Ask for each address at the moment of
// dialling.
class AddressGuard final {
public:
    AddressGuard() = default;
    // `internalAllow`: "10.8.0.1/32", or with ports "10.8.0.1/32:18090,9000", "fdc8::1/128:443"; these are let through.
    // InvalidArgument: PREFIX_INVALID, with the entry.
    static Result<AddressGuard> create(const QStringList& internalAllow);

    bool admits(const QHostAddress& address, int port) const;

private:
    struct Opening {
        QHostAddress network;
        int length = 0;
        QList<int> ports; // empty: any
    };
    static Result<Opening> parse(const QString& entry);

    QList<Opening> m_openings;
};

bool isPublicAddress(const QHostAddress& address);

} // namespace cocoonbox::api::egress
