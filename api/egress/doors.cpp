// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/doors.h"

#include "api/egress/socks_door.h"
#include "api/models/gateway.h"
#include "common/net/http/server.h"
#include "common/net/unix_socket.h"

#include <algorithm>
#include <fcntl.h>
#include <QLoggingCategory>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

Q_LOGGING_CATEGORY(egressLog, "cocoonbox.api.egress", QtInfoMsg)

namespace {

constexpr char kHttpSocket[] = "http.sock";
constexpr char kSocksSocket[] = "socks.sock";
constexpr qsizetype kHostCharsMax = 255;

// Where a request wants to go, in characters that may be shown.
QByteArray hostOf(const net::http::RequestHead& head)
{
    QByteArray host = head.headers.value("Host");
    if (const auto target = net::http::parseAbsoluteTarget(head.target))
        host = target->host;
    else if (head.method == "CONNECT")
        host = head.target;
    const auto isOdd = [](char c) { return c <= ' ' || c > '~'; };
    host = host.first(std::min(host.size(), kHostCharsMax));
    std::ranges::replace_if(host, isOdd, '?');
    return host;
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

namespace {

// Who speaks, as the socket proves.
struct Speaker {
    QString boxId;
    QString userId;
};

QCoro::Task<void> answer(models::Gateway* gateway, Speaker speaker, std::shared_ptr<net::http::Exchange> exchange)
{
    const auto target = net::http::parseAbsoluteTarget(exchange->head().target);
    if (target && target->host == kModelsHost && target->port == 80 && exchange->head().method != "CONNECT") {
        co_await gateway->answer(exchange, target->path);
        co_return;
    }
    const QByteArray host = hostOf(exchange->head());
    qCDebug(egressLog).noquote() << "denied:" << speaker.userId << speaker.boxId << host;
    exchange->reply(403, {{"Content-Type", "text/plain"}, {"X-Cocoonbox-Reason", "EGRESS_DENIED"}},
                    "egress denied: " + host + "\nThis box has no network. It reaches its models at http://" +
                        kModelsHost + ", through its proxy, and nothing else yet.\n");
}

} // namespace

Doors::Doors(models::Gateway& gateway, QObject* parent) : QObject(parent), m_gateway(gateway) {}

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
    options.handler = [gateway = &m_gateway,
                       speaker = Speaker{boxId, userId}](std::shared_ptr<net::http::Exchange> exchange) {
        return answer(gateway, speaker, std::move(exchange));
    };
    options.bodyBytesMax = [](const net::http::RequestHead&) { return models::kRequestBytesMax; };
    door->http = std::make_unique<net::http::Server>(std::move(http), std::move(options));
    door->socks = std::make_unique<SocksDoor>(std::move(socks));
    m_doors.insert(boxId, std::move(door));
    return {};
}

void Doors::closeDoor(const QString& boxId)
{
    m_doors.remove(boxId);
}

} // namespace cocoonbox::api::egress
