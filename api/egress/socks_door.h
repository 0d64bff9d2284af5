// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/unique_fd.h"

#include <QObject>
#include <QSet>
#include <QSocketNotifier>

namespace cocoonbox::api::egress {

// Speaks SOCKS just far enough to say no in a way that clients report well: SOCKS5 "connection not allowed by ruleset"
// (0x02), SOCKS4 "request rejected" (0x5b).
class SocksDoor final : public QObject {
    Q_OBJECT
public:
    static constexpr int kConnectionsMax = 64;
    static constexpr int kTimeoutMs = 10'000;

    explicit SocksDoor(net::UniqueFd listener, QObject* parent = nullptr);

private:
    void acceptAll();

    net::UniqueFd m_listener;
    QSocketNotifier m_notifier;
    int m_live = 0;
};

} // namespace cocoonbox::api::egress
