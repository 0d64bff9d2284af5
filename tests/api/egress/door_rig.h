// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/doors.h"
#include "api/egress/gate.h"
#include "api/models/gateway.h"
#include "common/net/tcp_socket.h"
#include "common/net/unix_socket.h"
#include "tests/support/raw_client.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSocketNotifier>
#include <QTemporaryDir>

namespace cocoonbox::testing {

// An origin on 127.0.0.1 of which a test plays the server's part. QTcpSocket will not do: it closes at a half-close.
class Origin final {
public:
    Origin()
        : m_listener(*net::listenTcp("127.0.0.1", 0)), m_port(*net::localPort(m_listener.get())),
          m_notifier(m_listener.get(), QSocketNotifier::Read)
    {
        QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_notifier, [this] {
            Result<net::UniqueFd> fd = net::acceptFrom(m_listener.get());
            if (fd && fd->isValid()) m_peers.push_back(std::make_unique<RawClient>(*std::move(fd)));
        });
    }

    quint16 serverPort() const { return m_port; }
    QByteArray port() const { return QByteArray::number(m_port); }
    qsizetype accepted() const { return static_cast<qsizetype>(m_peers.size()); }
    // The last one who came; null: nobody yet.
    RawClient* peer() const { return m_peers.empty() ? nullptr : m_peers.back().get(); }
    RawClient* first() const { return m_peers.empty() ? nullptr : m_peers.front().get(); }
    QByteArray received() const { return m_peers.empty() ? QByteArray() : peer()->received; }
    bool hasEnded() const { return !m_peers.empty() && (peer()->hasEnded || peer()->isBroken); }

private:
    net::UniqueFd m_listener;
    quint16 m_port;
    QSocketNotifier m_notifier;
    std::vector<std::unique_ptr<RawClient>> m_peers;
};

// The doors of box_1 in a folder of their own, with a real gate; 127.0.0.1 is let through beside the internet.
class DoorRig final {
public:
    explicit DoorRig(const api::egress::Policy& policy = {}, const QStringList& internalAllow = {"127.0.0.1/32"})
    {
        auto audit = api::egress::Audit::open(dir.path(), clock);
        gate = std::make_shared<api::egress::Gate>(policy, *api::egress::AddressGuard::create(internalAllow),
                                                   *std::move(audit));
        doors = std::make_unique<api::egress::Doors>(gate, gateway);
        opened = doors->openDoor("box_1", "usr_1", dir.path());
    }

    std::unique_ptr<RawClient> client(const char* name) const
    {
        auto fd = net::connectUnixIn(dir.path(), QLatin1StringView(name));
        return fd ? std::make_unique<RawClient>(*std::move(fd)) : nullptr;
    }
    QList<QJsonObject> audited() const
    {
        QFile file(dir.filePath("egress.jsonl"));
        if (!file.open(QIODevice::ReadOnly)) return {};
        QList<QJsonObject> lines;
        for (const QByteArray& line : file.readAll().split('\n'))
            if (!line.isEmpty()) lines.append(QJsonDocument::fromJson(line).object());
        return lines;
    }

    SystemClock clock;
    QTemporaryDir dir;
    api::models::Gateway gateway{std::nullopt};
    std::shared_ptr<api::egress::Gate> gate;
    std::unique_ptr<api::egress::Doors> doors;
    Result<void> opened;
};

} // namespace cocoonbox::testing
