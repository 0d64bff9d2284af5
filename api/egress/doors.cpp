// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/doors.h"

#include "api/egress/http_door.h"
#include "api/egress/socks_door.h"
#include "api/models/gateway.h"
#include "common/net/http/server.h"
#include "common/net/unix_socket.h"

#include <fcntl.h>
#include <limits>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

constexpr char kHttpSocket[] = "http.sock";
constexpr char kSocksSocket[] = "socks.sock";

constexpr qsizetype kHeadBytesMax = 64 * 1024;              // browsers bring their cookies
constexpr std::chrono::milliseconds kWriteTimeout{600'000}; // a download that its reader has paused

// What goes on to an origin is never kept, so only the models' requests have a bound.
qint64 bodyBytesMax(const net::http::RequestHead& head)
{
    return isForModels(head) ? models::kRequestBytesMax : std::numeric_limits<qint64>::max();
}

// Only a box's own agent account gets into the folder, so the sockets are open to all who do.
Result<net::UniqueFd> listenIn(int directory, const char* name)
{
    net::ListenOptions options;
    options.mode = 0666;
    return net::listenUnixIn(directory, QLatin1StringView(name), options);
}

} // namespace

struct Doors::Door {
    net::UniqueFd directory;
    std::unique_ptr<net::http::Server> http;
    std::unique_ptr<SocksDoor> socks;

    ~Door()
    {
        if (!directory.isValid()) return;
        for (const char* name : {kHttpSocket, kSocksSocket})
            (void)::unlinkat(directory.get(), name, 0);
    }
};

Doors::Doors(std::shared_ptr<Gate> gate, models::Gateway& gateway, QObject* parent)
    : QObject(parent), m_gate(std::move(gate)), m_gateway(gateway)
{
}

Doors::~Doors() = default;

Result<void> Doors::openDoor(const QString& boxId, const QString& userId, const QString& directory)
{
    closeDoor(boxId);
    auto door = std::make_shared<Door>();
    TRY_ASSIGN(net::UniqueFd folder, net::openDirectory(directory));
    TRY_ASSIGN(net::UniqueFd http, listenIn(folder.get(), kHttpSocket));
    TRY_ASSIGN(net::UniqueFd socks, listenIn(folder.get(), kSocksSocket));
    door->directory = std::move(folder);
    net::http::ServerOptions options;
    const Speaker speaker{boxId, userId};
    options.handler = [gate = m_gate, gateway = &m_gateway, speaker](std::shared_ptr<net::http::Exchange> exchange) {
        return answerProxy(gate, gateway, speaker, std::move(exchange));
    };
    options.bodyBytesMax = bodyBytesMax;
    options.limits.waitsWhenFull = true;
    options.limits.headBytesMax = kHeadBytesMax;
    options.limits.writeTimeout = kWriteTimeout;
    door->http = std::make_unique<net::http::Server>(std::move(http), std::move(options));
    door->socks = std::make_unique<SocksDoor>(std::move(socks), m_gate, speaker);
    m_doors.insert(boxId, std::move(door));
    return {};
}

void Doors::closeDoor(const QString& boxId)
{
    m_doors.remove(boxId);
}

} // namespace cocoonbox::api::egress
