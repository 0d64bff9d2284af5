// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <memory>
#include <QHash>
#include <QObject>
#include <QString>

// A box's way out. Each awake box has its own two sockets in its own folder, so the socket proves which box speaks; the
// box cannot name itself, nor reach another's:
//
//   http.sock   an HTTP proxy: http_door.h; the models too are behind it
//   socks.sock  SOCKS5: socks_door.h
//
// Both go out by one gate (gate.h). What comes through them is hostile; the limits are those of
// common/net/http/server.h and socks_door.h, 256 connections a door, of which more wait to be taken.
namespace cocoonbox::api::models {
class Gateway;
}

namespace cocoonbox::api::egress {

class Gate;

class Doors final : public QObject {
    Q_OBJECT
public:
    // `gateway` outlives the doors and their requests.
    Doors(std::shared_ptr<Gate> gate, models::Gateway& gateway, QObject* parent = nullptr);
    ~Doors() override;

    // Listens in `directory` for the box; an open door is opened anew (the folder may be another). Errors are those of
    // net::listenUnix.
    Result<void> openDoor(const QString& boxId, const QString& userId, const QString& directory);
    // Ends the box's connections and removes its sockets. Not open: nothing happens.
    void closeDoor(const QString& boxId);
    qsizetype openCount() const { return static_cast<qsizetype>(m_doors.size()); }

private:
    struct Door;

    std::shared_ptr<Gate> m_gate;
    models::Gateway& m_gateway;
    QHash<QString, std::shared_ptr<Door>> m_doors;
};

} // namespace cocoonbox::api::egress
