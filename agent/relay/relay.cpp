// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/relay/relay.h"

#include "common/net/tcp_socket.h"
#include "common/net/unix_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QLoggingCategory>
#include <sys/socket.h>

namespace cocoonbox::agent::relay {

Q_LOGGING_CATEGORY(relayLog, "cocoonbox.agent.relay", QtInfoMsg)

namespace {

// A client whose door does not answer yet.
class PendingClient final : public QObject {
public:
    PendingClient(net::UniqueFd fd, QObject* parent) : QObject(parent), client(std::move(fd)) { waiting.start(); }

    net::UniqueFd client;
    QElapsedTimer waiting;
    QTimer retry;
};

} // namespace

Relay::Relay(RelayOptions options) : m_options(std::move(options)) {}

Relay::~Relay() = default;

Result<std::unique_ptr<Relay>> Relay::start(RelayOptions options)
{
    const std::vector<Lane> lanes = options.lanes;
    std::unique_ptr<Relay> relay(new Relay(std::move(options)));
    relay->m_lanes.reserve(lanes.size());
    for (const Lane& lane : lanes)
        TRY_VOID(relay->open(lane));
    return relay;
}

Result<void> Relay::open(const Lane& lane)
{
    TRY_ASSIGN(net::UniqueFd listener, net::listenTcp(QStringLiteral("127.0.0.1"), lane.port, m_options.liveMax));
    TRY_ASSIGN(const quint16 port, net::localPort(listener.get()));
    OpenLane& opened = m_lanes.emplace_back();
    opened.notifier = std::make_unique<QSocketNotifier>(listener.get(), QSocketNotifier::Read);
    opened.listener = std::move(listener);
    opened.port = port;
    opened.socketName = lane.socketName;
    const size_t index = m_lanes.size() - 1;
    connect(opened.notifier.get(), &QSocketNotifier::activated, this, [this, index] { acceptFrom(m_lanes.at(index)); });
    return {};
}

void Relay::acceptFrom(OpenLane& lane)
{
    while (m_live < m_options.liveMax) {
        Result<net::UniqueFd> client = net::acceptFrom(lane.listener.get());
        if (!client) {
            qCWarning(relayLog).noquote() << client.error().message << client.error().detail;
            setAccepting(false);
            QTimer::singleShot(kDoorRetry, this, [this] { setAccepting(true); });
            return;
        }
        if (!client->isValid()) return;
        const int on = 1;
        (void)::setsockopt(client->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ++m_live;
        joinDoor(*std::move(client), lane.socketName);
    }
    setAccepting(false);
}

void Relay::joinDoor(net::UniqueFd client, const QString& socketName)
{
    auto* pending = new PendingClient(std::move(client), this);
    const auto attempt = [this, pending, socketName] {
        Result<net::UniqueFd> door = net::connectUnixIn(m_options.doorDirectory, socketName);
        if (door) {
            auto* pump = new net::Pump(std::move(pending->client), *std::move(door), {}, {}, this);
            connect(pump, &net::Pump::finished, this, [this, pump] {
                pump->deleteLater();
                released();
            });
        } else if (pending->waiting.durationElapsed() < m_options.doorPatience) {
            return;
        } else {
            qCWarning(relayLog).noquote()
                << "The host's door does not answer, so a connection is closed:" << door.error().message
                << door.error().detail;
            released();
        }
        pending->retry.stop();
        pending->deleteLater();
    };
    connect(&pending->retry, &QTimer::timeout, this, attempt);
    pending->retry.start(kDoorRetry);
    attempt();
}

void Relay::released()
{
    --m_live;
    setAccepting(true);
}

void Relay::setAccepting(bool on)
{
    for (OpenLane& lane : m_lanes)
        lane.notifier->setEnabled(on);
}

RelayOptions loadRelayOptions()
{
    const auto port = [](const char* name, quint16 otherwise) {
        bool isSet = false;
        const int value = qEnvironmentVariableIntValue(name, &isSet);
        return isSet && value >= 0 && value <= 65535 ? static_cast<quint16>(value) : otherwise;
    };
    RelayOptions options;
    options.doorDirectory =
        qEnvironmentVariable("COCOONBOX_AGENT__RUN_DIR", QStringLiteral("/run/cocoonbox")) + QStringLiteral("/door");
    options.lanes = {{port("COCOONBOX_AGENT__RELAY__HTTP_PORT", 3128), QStringLiteral("http.sock")},
                     {port("COCOONBOX_AGENT__RELAY__SOCKS_PORT", 1080), QStringLiteral("socks.sock")}};
    return options;
}

int runRelay(RelayOptions options)
{
    const Result<std::unique_ptr<Relay>> relay = Relay::start(std::move(options));
    if (!relay) {
        qCCritical(relayLog).noquote() << relay.error().message;
        return 1;
    }
    qCInfo(relayLog).noquote() << "The loopback ports lead to the host's doors.";
    return QCoreApplication::exec();
}

} // namespace cocoonbox::agent::relay
