// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/net/unique_fd.h"

#include <chrono>
#include <stop_token>

// TCP by numeric address ("127.0.0.1", "::1"); names are resolved elsewhere. TCP_NODELAY is set on every connection.
namespace cocoonbox::net {

// A listening, non-blocking socket; port 0 takes any. Unavailable: ADDRESS_IN_USE.
Result<UniqueFd> listenTcp(const QString& address, quint16 port, int backlog = 128);
Result<quint16> localPort(int fd);

// A connected, non-blocking socket. Unavailable: CONNECT_FAILED. DeadlineExceeded: CONNECT_TIMEOUT.
Task<std::shared_ptr<UniqueFd>> connectTcp(QString address, quint16 port, std::chrono::milliseconds limit,
                                           std::stop_token stop = {});

} // namespace cocoonbox::net
