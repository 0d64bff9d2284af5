// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/gate.h"

#include <QObject>
#include <QSocketNotifier>

namespace cocoonbox::api::egress {

// SOCKS5 (RFC 1928) without authentication, CONNECT only; names are resolved on this side. Replies: 0x00 granted, 0x02
// denied by the policy (or the policy does not open this door), 0x04 cannot be reached, 0x07 another command, 0x08
// another kind of address; 0xff to a client that wants to authenticate. SOCKS4 is told 0x5b.
// kConnectionsMax connections live at once, the others wait in the listening queue; a handshake may take
// kHandshakeLimit.
class SocksDoor final : public QObject {
    Q_OBJECT
public:
    static constexpr int kConnectionsMax = 256;
    static constexpr std::chrono::milliseconds kHandshakeLimit{30'000};

    SocksDoor(net::UniqueFd listener, std::shared_ptr<Gate> gate, Speaker speaker, QObject* parent = nullptr);
    ~SocksDoor() override; // ends its connections

private:
    void acceptAll();

    net::UniqueFd m_listener;
    std::shared_ptr<Gate> m_gate;
    Speaker m_speaker;
    QSocketNotifier m_notifier;
    int m_live = 0;
};

} // namespace cocoonbox::api::egress
