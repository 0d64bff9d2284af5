// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/socks_door.h"

#include "api/egress/socks_client.h"
#include "common/net/unix_socket.h"

#include <QTimer>

namespace cocoonbox::api::egress {

namespace {

constexpr std::chrono::milliseconds kRetry{50}; // the process ran out of descriptors

} // namespace

SocksDoor::SocksDoor(net::UniqueFd listener, std::shared_ptr<Gate> gate, Speaker speaker, QObject* parent)
    : QObject(parent), m_listener(std::move(listener)), m_gate(std::move(gate)), m_speaker(std::move(speaker)),
      m_notifier(m_listener.get(), QSocketNotifier::Read)
{
    connect(&m_notifier, &QSocketNotifier::activated, this, &SocksDoor::acceptAll);
}

SocksDoor::~SocksDoor() = default;

void SocksDoor::acceptAll()
{
    while (m_live < kConnectionsMax) {
        Result<net::UniqueFd> fd = net::acceptFrom(m_listener.get());
        if (fd && !fd->isValid()) return; // nobody waits
        if (!fd) {
            m_notifier.setEnabled(false);
            QTimer::singleShot(kRetry, this, [this] { m_notifier.setEnabled(true); });
            return;
        }
        ++m_live;
        auto* client = new SocksClient(*std::move(fd), m_gate, m_speaker, this);
        connect(client, &SocksClient::finished, this, [this, client] {
            --m_live;
            client->deleteLater();
            m_notifier.setEnabled(true);
        });
    }
    m_notifier.setEnabled(false);
}

} // namespace cocoonbox::api::egress
