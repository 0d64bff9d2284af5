// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/api/edge/edge_fixture.h"

#include "common/rpc/channel.h"

#include <QFile>
#include <QUrl>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace cocoonbox::testing {

std::optional<api::users::Actor> FakeTokens::check(QByteArrayView token) const
{
    if (token == "token-ann") return api::users::Actor{QStringLiteral("usr_ann"), QStringLiteral("Ann")};
    if (token == "token-ben") return api::users::Actor{QStringLiteral("usr_ben"), QStringLiteral("Ben")};
    return std::nullopt;
}

void FakeBoxes::add(const QString& boxId, const QString& ownerId, const QString& agentPath, const QString& screenPath)
{
    const std::lock_guard lock(m_mutex);
    Box& box = m_boxes[boxId];
    box.ownerId = ownerId;
    box.agentPath = agentPath;
    box.screenPath = screenPath;
}

void FakeBoxes::wakeAgain(const QString& boxId, const QString& wakeId)
{
    const std::lock_guard lock(m_mutex);
    m_boxes[boxId].wakeId = wakeId;
}

void FakeBoxes::put(const QString& boxId, Error state)
{
    const std::lock_guard lock(m_mutex);
    m_boxes[boxId].state = std::move(state);
}

void FakeBoxes::cut()
{
    const std::lock_guard lock(m_mutex);
    for (const int fd : m_dialled) {
        ::shutdown(fd, SHUT_RDWR);
        ::close(fd);
    }
    m_dialled.clear();
}

int FakeBoxes::dials() const
{
    const std::lock_guard lock(m_mutex);
    return m_dials;
}

Result<int> FakeBoxes::dial(const QString& path, Keep keep) const
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const QByteArray name = QFile::encodeName(path);
    std::copy_n(name.constData(), name.size(), address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const std::lock_guard lock(m_mutex);
    ++m_dials;
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd);
        return fail(ErrorCode::Unavailable, QStringLiteral("Nobody listens."), QStringLiteral("CHANNEL_NOT_READY"));
    }
    if (keep == Keep::Yes) m_dialled.push_back(::dup(fd));
    return fd;
}

Result<api::boxes::Route> FakeBoxes::route(QStringView userId, QStringView boxId) const
{
    const std::lock_guard lock(m_mutex);
    const auto box = m_boxes.constFind(boxId.toString());
    if (box == m_boxes.constEnd() || box->ownerId != userId)
        return fail(ErrorCode::NotFound, QStringLiteral("No such box."), QStringLiteral("BOX_UNKNOWN"));
    if (box->state) return std::unexpected(*box->state);
    const api::machines::Endpoint endpoint{
        box.key() + u'#' + box->wakeId,
        [this, agent = box->agentPath, screen = box->screenPath](api::machines::Channel channel) {
            if (channel == api::machines::Channel::Agent) return dial(agent, Keep::Yes);
            return dial(screen, Keep::No); // a duplicate would hide that the edge hung up
        }};
    return api::boxes::Route{box.key(), box->wakeId, box->ownerId, endpoint};
}

EdgeFixture::EdgeFixture()
{
    agent.start();
    boxes.add("box_ann", "usr_ann", folder.filePath("a"), folder.filePath("rfb"));
    boxes.add("box_down", "usr_ann", folder.filePath("none"), folder.filePath("none"));
    boxes.add("box_asleep", "usr_ann", {}, {});
    boxes.put("box_asleep",
              {ErrorCode::FailedPrecondition, "The box sleeps; run `cocoonbox ensure`.", "BOX_ASLEEP", {}, {}});
}

EdgeFixture::~EdgeFixture()
{
    channel.reset();
    edge.reset();
    boxes.cut();
}

void EdgeFixture::startEdge(api::edge::EdgeOptions options)
{
    if (options.address.isEmpty()) options.address = QStringLiteral("127.0.0.1:0");
    auto started = api::edge::Edge::start(std::move(options), tokens, boxes, key, clock);
    if (!started) qFatal("the edge did not start: %s", qPrintable(started.error().message));
    edge = *std::move(started);
    channel = *rpc::makeChannel(QUrl(QStringLiteral("http://127.0.0.1:%1").arg(edge->port())));
}

EdgeFixture::Metadata EdgeFixture::ann(const std::string& boxId)
{
    return {{"authorization", "Bearer token-ann"}, {"x-cocoonbox-box", boxId}};
}

std::unique_ptr<RawCall> EdgeFixture::call(const std::string& method, const Metadata& metadata,
                                           std::optional<std::chrono::milliseconds> timeout)
{
    return std::make_unique<RawCall>(channel, method.starts_with('/') ? method : kTestService + method, metadata,
                                     timeout);
}

EdgeFixture::Outcome EdgeFixture::outcomeOf(const std::string& path, const Metadata& metadata)
{
    const auto start = std::chrono::steady_clock::now();
    const auto raw = call(path, metadata);
    raw->write({});
    while (raw->read()) {
    }
    const grpc::Status status = raw->finish();
    return {status.error_code(), raw->reason(), QString::fromStdString(status.error_message()),
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start)};
}

bool eventually(const std::function<bool()>& condition)
{
    for (int i = 0; i < 500 && !condition(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return condition();
}

} // namespace cocoonbox::testing
