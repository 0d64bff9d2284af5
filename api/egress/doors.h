// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <memory>
#include <QHash>
#include <QObject>
#include <QString>

// A box's way out. Each awake box has its own two sockets in its own folder, so the socket proves which box speaks; the
// box cannot name itself, nor reach another's. For now they lead to the model gateway only:
//
//   http.sock   absolute-form requests to http://models.cocoonbox.internal -> api/models; any other host and every
//               CONNECT -> 403 "egress denied: HOST" with the reason
//   socks.sock  refused by the protocol
//
// What comes through them is hostile; the limits are those of common/net/http/server.h.
namespace cocoonbox::api::models {
class Gateway;
}

namespace cocoonbox::api::egress {

inline constexpr char kModelsHost[] = "models.cocoonbox.internal";

class Doors final : public QObject {
    Q_OBJECT
public:
    // `gateway` outlives the doors and their requests.
    explicit Doors(models::Gateway& gateway, QObject* parent = nullptr);
    ~Doors() override;

    // Listens in `directory` for the box; an open door is opened anew (the folder may be another). Errors are those of
    // net::listenUnix.
    Result<void> openDoor(const QString& boxId, const QString& userId, const QString& directory);
    // Ends the box's connections and removes its sockets. Not open: nothing happens.
    void closeDoor(const QString& boxId);
    qsizetype openCount() const { return static_cast<qsizetype>(m_doors.size()); }

private:
    struct Door;

    models::Gateway& m_gateway;
    QHash<QString, std::shared_ptr<Door>> m_doors;
};

} // namespace cocoonbox::api::egress
