// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/screen_call.h"

#include "api/edge/grpc_wire.h"
#include "common/base/limits.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cocoonbox::api::edge {

namespace {

using namespace std::chrono_literals;

constexpr size_t kScreenQueueBytesMax = 96 * 1024; // and kOutputBytesMax behind it
constexpr auto kRetryDelayMax = 160ms;

Error screenLost()
{
    return {ErrorCode::Unavailable,
            QStringLiteral("The box's screen broke off: its X server, or the box, stopped. Connect again."),
            QStringLiteral("SCREEN_LOST"),
            {},
            {}};
}

} // namespace

ScreenCall::ScreenCall(ClientStream& client, ReadBuffer& buffer, Dialer dial, Loop::TimePoint giveUpAt)
    : m_client(client), m_buffer(buffer), m_dial(std::move(dial)), m_giveUpAt(giveUpAt)
{
}

ScreenCall::~ScreenCall()
{
    release();
}

void ScreenCall::connect()
{
    m_retry.reset();
    const Result<int> dialled = m_dial();
    if (!dialled) return retryOrFail(dialled.error());
    m_fd = *dialled;
    m_watched = EPOLLIN;
    m_client.loop().watch(m_fd, this, m_watched);
    m_client.respond(answerHeaders());
    writeScreen();
}

void ScreenCall::retryOrFail(const Error& error)
{
    if (error.code != ErrorCode::Unavailable || std::chrono::steady_clock::now() + m_retryDelay > m_giveUpAt)
        return fail(error);
    m_retry = m_client.loop().after(m_retryDelay, [this] { connect(); });
    m_retryDelay = std::min<std::chrono::milliseconds>(m_retryDelay * 2, kRetryDelayMax);
}

void ScreenCall::onBytes(Slice bytes)
{
    m_unconsumed += bytes.size;
    const Result<void> read = m_reader.read(bytes.view(), [this](std::string_view data) { m_toScreen.copy(data); });
    if (!read) return fail(read.error());
    if (m_fd >= 0) writeScreen();
}

void ScreenCall::onEnd()
{
    // A viewer that says nothing more has left; what it said goes first.
    if (m_fd >= 0 && !writeScreen()) return;
    release();
    if (!m_client.isAnswered()) m_client.finishOk();
}

void ScreenCall::onSent(size_t)
{
    if (m_fd >= 0 && (m_watched & EPOLLIN) == 0 && m_client.queuedBytes() < kScreenQueueBytesMax / 2) rewatch();
}

void ScreenCall::onReady(uint32_t events)
{
    if ((events & EPOLLOUT) != 0 && !writeScreen()) return;
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) readScreen();
}

void ScreenCall::readScreen()
{
    const std::span<char> room = m_buffer.room();
    const size_t count = std::min<size_t>(room.size() - kScreenHeadBytesMax, limits::kScreenFrameBytes);
    const ssize_t got = ::recv(m_fd, room.data() + kScreenHeadBytesMax, count, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return fail(screenLost());
    const auto bytes = static_cast<size_t>(got);
    const size_t head = writeScreenHead(room.data() + kScreenHeadBytesMax, bytes);
    const Slice taken = m_buffer.taken(kScreenHeadBytesMax + bytes);
    m_client.write(taken.part(kScreenHeadBytesMax - head, head + bytes));
    if (m_client.queuedBytes() >= kScreenQueueBytesMax) rewatch();
}

// False when the screen is gone and the call has failed.
bool ScreenCall::writeScreen()
{
    std::array<iovec, 16> parts;
    while (!m_toScreen.isEmpty()) {
        msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = static_cast<size_t>(m_toScreen.parts(parts));
        const ssize_t sent = ::sendmsg(m_fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EINTR)) break;
        if (sent <= 0) {
            fail(screenLost());
            return false;
        }
        m_toScreen.drop(static_cast<size_t>(sent));
    }
    if (m_toScreen.isEmpty()) m_client.consumed(std::exchange(m_unconsumed, 0));
    rewatch();
    return true;
}

void ScreenCall::rewatch()
{
    uint32_t wanted = 0;
    if (m_client.queuedBytes() < kScreenQueueBytesMax) wanted |= EPOLLIN;
    if (!m_toScreen.isEmpty()) wanted |= EPOLLOUT;
    if (std::exchange(m_watched, wanted) != wanted) m_client.loop().rewatch(m_fd, this, wanted);
}

void ScreenCall::fail(const Error& error)
{
    release();
    m_client.fail(error);
}

void ScreenCall::release()
{
    if (m_retry) m_client.loop().cancel(*std::exchange(m_retry, std::nullopt));
    if (m_fd < 0) return;
    m_client.loop().unwatch(m_fd, this);
    ::close(std::exchange(m_fd, -1));
}

} // namespace cocoonbox::api::edge
