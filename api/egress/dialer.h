// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/address_guard.h"
#include "common/async/task.h"
#include "common/net/unique_fd.h"

#include <chrono>
#include <memory>
#include <stop_token>

namespace cocoonbox::api::egress {

inline constexpr std::chrono::milliseconds kDialLimit{30'000}; // name and connection together

struct Dialled {
    std::shared_ptr<net::UniqueFd> socket; // connected, non-blocking
    QHostAddress address;
    std::chrono::milliseconds nameTime{};
    std::chrono::milliseconds connectTime{};
};

// Resolves on this side and connects to an address that the guard admits at that moment, IPv4 first: a name that
// resolves elsewhere a second later changes nothing. Domain thread; the names are resolved on Qt's threads.
class Dialer final {
public:
    explicit Dialer(AddressGuard guard) : m_guard(std::move(guard)) {}

    // PermissionDenied: EGRESS_ADDRESS_BLOCKED. Unavailable: EGRESS_NAME_UNKNOWN, EGRESS_UNREACHABLE.
    // DeadlineExceeded: EGRESS_TIMEOUT. Cancelled.
    Task<Dialled> dial(QString host, quint16 port, std::stop_token stop) const;

private:
    AddressGuard m_guard;
};

} // namespace cocoonbox::api::egress
