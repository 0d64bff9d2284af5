// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/incarnation.h"

#include "api/machines/box_directories.h"
#include "common/base/ids.h"
#include "common/net/unix_socket.h"

#include <atomic>

namespace cocoonbox::api::machines {

// Shared with endpoints on other threads; only `ended` changes after construction.
struct Incarnation::State {
    net::UniqueFd agentDirectory;
    net::UniqueFd screenDirectory;
    std::atomic<bool> ended = false;

    Result<int> dial(Channel channel) const;
};

namespace {

// What a failed connection means for the caller: the box is not there yet, or it is up to something.
Error channelError(Error error)
{
    if (error.reason == u"SOCKET_IS_NOT_A_SOCKET")
        return {ErrorCode::PermissionDenied,
                QStringLiteral("The box put something else in the place of its socket, so it was not opened. "
                               "Hibernate and wake the box to make it anew."),
                QStringLiteral("CHANNEL_HOSTILE"), error.detail, error.where};
    if (error.code == ErrorCode::NotFound || error.code == ErrorCode::Unavailable)
        return {ErrorCode::Unavailable, QStringLiteral("The box does not answer yet. Try again in a moment."),
                QStringLiteral("CHANNEL_NOT_READY"), error.message, error.where};
    return std::move(error).withContext(QStringLiteral("reaching the box"));
}

} // namespace

Result<int> Incarnation::State::dial(Channel channel) const
{
    if (ended.load(std::memory_order_acquire))
        return fail(ErrorCode::Unavailable, QStringLiteral("The box was stopped or started anew since. Try again."),
                    QStringLiteral("ENDPOINT_STALE"));
    auto socket = channel == Channel::Agent ? net::connectUnixIn(agentDirectory.get(), QStringLiteral("agent.sock"))
                                            : net::connectUnixIn(screenDirectory.get(), QStringLiteral("rfb.sock"));
    if (!socket) return std::unexpected(channelError(std::move(socket).error()));
    return socket->release();
}

Result<std::unique_ptr<Incarnation>> Incarnation::open(const BoxDirectories& directories, const QString& boxId)
{
    auto state = std::make_shared<State>();
    TRY_ASSIGN(state->agentDirectory, net::openDirectory(directories.channel(boxId, Channel::Agent)));
    TRY_ASSIGN(state->screenDirectory, net::openDirectory(directories.channel(boxId, Channel::Screen)));
    return std::unique_ptr<Incarnation>(new Incarnation(std::move(state)));
}

Incarnation::Incarnation(std::shared_ptr<State> state)
    : m_state(std::move(state)),
      m_endpoint{randomHex128(), [shared = m_state](Channel channel) { return shared->dial(channel); }}
{
}

Incarnation::~Incarnation()
{
    end();
}

void Incarnation::end()
{
    m_state->ended.store(true, std::memory_order_release);
}

bool Incarnation::hasEnded() const
{
    return m_state->ended.load(std::memory_order_acquire);
}

} // namespace cocoonbox::api::machines
