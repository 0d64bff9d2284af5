// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/relay_call.h"

#include "common/base/limits.h"

#include <algorithm>

#define NGHTTP2_NO_SSIZE_T
#include <nghttp2/nghttp2.h>

namespace cocoonbox::api::edge {

namespace {

using namespace std::chrono_literals;

constexpr auto kRetryDelayMax = 160ms;

Error messageTooLarge()
{
    return {ErrorCode::ResourceExhausted,
            QStringLiteral("A message of this call is larger than %1 MiB. Send it in parts.")
                .arg(limits::kMessageBytesMax / (1024 * 1024)),
            QStringLiteral("MESSAGE_TOO_LARGE"),
            {},
            {}};
}

Error protocolBroken()
{
    return {ErrorCode::Internal,
            QStringLiteral("The box's agent broke off its answer, or gave one that is not gRPC. Try again; if it "
                           "stays, hibernate and wake the box."),
            QStringLiteral("AGENT_PROTOCOL"),
            {},
            {}};
}

// As gRPC maps the codes of RFC 9113 §7; a lost connection has one of our own.
Error closedEarly(uint32_t errorCode)
{
    switch (errorCode) {
    case kConnectionLost:
        return {ErrorCode::Unavailable,
                QStringLiteral("The connection to the box broke off in the middle of the call: the box, or its agent, "
                               "stopped. Try again; `cocoonbox status` shows the state of the box."),
                QStringLiteral("BOX_LOST"),
                {},
                {}};
    case NGHTTP2_REFUSED_STREAM:
        return {ErrorCode::Unavailable,
                QStringLiteral("The box's agent takes no more calls now. Try again."),
                QStringLiteral("AGENT_BUSY"),
                {},
                {}};
    case NGHTTP2_CANCEL:
        return {ErrorCode::Cancelled,
                QStringLiteral("The box's agent cancelled the call."),
                QStringLiteral("AGENT_CANCELLED"),
                {},
                {}};
    case NGHTTP2_ENHANCE_YOUR_CALM:
        return {ErrorCode::ResourceExhausted,
                QStringLiteral("The box's agent is asked for too much. Wait, then retry."),
                QStringLiteral("AGENT_BUSY"),
                {},
                {}};
    default: return protocolBroken();
    }
}

} // namespace

RelayCall::RelayCall(ClientStream& client, HeaderBlock headers, Finder find, Completer complete,
                     Loop::TimePoint giveUpAt)
    : m_client(client), m_request(std::make_unique<HeaderBlock>(std::move(headers))), m_find(std::move(find)),
      m_complete(std::move(complete)), m_giveUpAt(giveUpAt)
{
}

RelayCall::~RelayCall() = default;

void RelayCall::connect()
{
    m_retry.reset();
    const Result<UpstreamConnection*> found = m_find();
    if (!found) return retryOrFail(found.error());
    m_complete(*m_request);
    if (!(*found)->request(m_upstream, *m_request)) return retryOrFail(closedEarly(NGHTTP2_REFUSED_STREAM));
    m_connection = *found;
    m_request.reset();
    m_find = {};
    m_complete = {};
}

void RelayCall::retryOrFail(const Error& error)
{
    if (error.code != ErrorCode::Unavailable || std::chrono::steady_clock::now() + m_retryDelay > m_giveUpAt)
        return fail(error);
    m_retry = m_client.loop().after(m_retryDelay, [this] { connect(); });
    m_retryDelay = std::min<std::chrono::milliseconds>(m_retryDelay * 2, kRetryDelayMax);
}

void RelayCall::fromClient(Slice bytes)
{
    if (!m_requestMeter.pass(bytes.view())) return fail(messageTooLarge());
    if (m_connection)
        m_connection->write(m_upstream, std::move(bytes));
    else
        m_upstream.hold(std::move(bytes));
}

void RelayCall::onEnd()
{
    if (m_connection)
        m_connection->finish(m_upstream, nullptr);
    else
        m_upstream.holdEnd();
}

void RelayCall::onSent(size_t bytes)
{
    if (m_connection) m_connection->consumed(m_upstream, bytes);
}

void RelayCall::fromUpstream(Slice bytes)
{
    if (m_client.isAnswered()) return;
    if (!m_answerMeter.pass(bytes.view())) return fail(messageTooLarge());
    m_client.write(std::move(bytes));
}

void RelayCall::fromUpstream(HeaderBlock headers, bool isLast)
{
    if (m_client.isAnswered()) return;
    if (headers.list.empty())
        return fail(
            {ErrorCode::ResourceExhausted,
             QStringLiteral("The box answered with metadata of more than %1 KiB.").arg(kMetadataBytesMax / 1024),
             QStringLiteral("METADATA_TOO_LARGE"),
             {},
             {}});
    const std::string_view status = headers.find(":status");
    if (!m_hasHeaders && status.starts_with('1')) return; // interim, means nothing to gRPC
    if (!m_hasHeaders && status != "200") return fail(protocolBroken());
    if (!m_hasHeaders && !isLast) {
        m_hasHeaders = true;
        return m_client.respond(headers);
    }
    if (!isLast) return fail(protocolBroken());
    if (m_hasHeaders)
        m_client.finish(std::make_unique<HeaderBlock>(std::move(headers)));
    else
        m_client.respondAndFinish(headers);
    if (m_connection) m_connection->leave(m_upstream);
}

void RelayCall::upstreamBroke()
{
    fail(protocolBroken());
}

void RelayCall::upstreamClosed(uint32_t errorCode)
{
    m_connection = nullptr;
    m_client.fail(closedEarly(errorCode)); // nothing when the answer was complete
}

void RelayCall::fail(const Error& error)
{
    release();
    m_client.fail(error);
}

void RelayCall::release()
{
    if (m_retry) m_client.loop().cancel(*std::exchange(m_retry, std::nullopt));
    if (m_connection) std::exchange(m_connection, nullptr)->abandon(m_upstream, NGHTTP2_CANCEL);
}

} // namespace cocoonbox::api::edge
