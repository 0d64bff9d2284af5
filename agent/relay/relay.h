// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/pump.h"

#include <chrono>
#include <memory>
#include <QObject>
#include <QSocketNotifier>
#include <QTimer>
#include <vector>

// The relay gives programs in a box, which has no network, two ordinary loopback ports: each connection to a port is
// joined to a new connection to one of the host's doors. It understands none of the bytes.
//
//   127.0.0.1:3128 (HTTP proxy)  ->  door/http.sock
//   127.0.0.1:1080 (SOCKS5)      ->  door/socks.sock
//
// At most kLiveMax connections are joined at once; the others wait in the listening queue. The host may restart at any
// time: a door that does not answer is tried again for kDoorPatience, then the connection is closed.
namespace cocoonbox::agent::relay {

inline constexpr int kLiveMax = 256;
inline constexpr std::chrono::milliseconds kDoorPatience{3'000};
inline constexpr std::chrono::milliseconds kDoorRetry{100};

struct Lane {
    quint16 port = 0;   // on 127.0.0.1; 0 takes any
    QString socketName; // in the door folder
};

struct RelayOptions {
    QString doorDirectory;
    std::vector<Lane> lanes;
    int liveMax = kLiveMax;
    std::chrono::milliseconds doorPatience = kDoorPatience;
};

class Relay final : public QObject {
    Q_OBJECT
public:
    // Unavailable: ADDRESS_IN_USE.
    static Result<std::unique_ptr<Relay>> start(RelayOptions options);
    ~Relay() override;

    quint16 port(size_t lane) const { return m_lanes.at(lane).port; }
    int liveCount() const { return m_live; }

private:
    struct OpenLane {
        net::UniqueFd listener;
        quint16 port = 0;
        QString socketName;
        std::unique_ptr<QSocketNotifier> notifier;
    };

    explicit Relay(RelayOptions options);
    Result<void> open(const Lane& lane);
    void acceptFrom(OpenLane& lane);
    void joinDoor(net::UniqueFd client, const QString& socketName);
    void released();
    void setAccepting(bool on);

    RelayOptions m_options;
    std::vector<OpenLane> m_lanes;
    int m_live = 0;
};

// From the environment: COCOONBOX_AGENT__RUN_DIR (the doors are in door/ below it), __RELAY__HTTP_PORT,
// __RELAY__SOCKS_PORT.
RelayOptions loadRelayOptions();

// Serves until the application quits; the exit code. main has made the QCoreApplication and installed the log.
int runRelay(RelayOptions options);

} // namespace cocoonbox::agent::relay
