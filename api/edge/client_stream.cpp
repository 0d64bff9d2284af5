// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/client_stream.h"

#include "api/edge/grpc_wire.h"

#define NGHTTP2_NO_SSIZE_T
#include <nghttp2/nghttp2.h>

namespace cocoonbox::api::edge {

ClientStream::ClientStream(ClientConnection& connection, CallOpener& opener, Loop& loop)
    : m_connection(connection), m_opener(opener), m_loop(loop)
{
}

ClientStream::~ClientStream() = default;

void ClientStream::respond(const HeaderBlock& headers)
{
    m_hasResponded = true;
    m_connection.respond(*this, headers);
}

void ClientStream::respondAndFinish(const HeaderBlock& headers)
{
    m_hasResponded = true;
    m_isAnswered = true;
    m_connection.respondAndFinish(*this, headers);
}

void ClientStream::write(Slice bytes)
{
    m_connection.write(*this, std::move(bytes));
}

void ClientStream::finish(std::unique_ptr<HeaderBlock> trailers)
{
    m_isAnswered = true;
    m_connection.finish(*this, std::move(trailers));
}

void ClientStream::finishOk()
{
    auto trailers = std::make_unique<HeaderBlock>(m_hasResponded ? HeaderBlock() : answerHeaders());
    trailers->add("grpc-status", "0");
    if (m_hasResponded)
        finish(std::move(trailers));
    else
        respondAndFinish(*trailers);
}

void ClientStream::fail(const Error& error)
{
    if (m_isAnswered) return;
    if (m_hasResponded)
        finish(trailersOf(error));
    else
        respondAndFinish(answerOf(error));
}

void ClientStream::consumed(size_t bytes)
{
    m_connection.consumed(*this, bytes);
}

void ClientStream::end(const Error& error)
{
    if (m_call) m_call->release();
    // An answer that the client does not take in time is cut short.
    if (m_isAnswered)
        m_connection.reset(*this, NGHTTP2_CANCEL);
    else
        fail(error);
}

void ClientStream::onHeaders(HeaderBlock headers, bool isLast)
{
    if (!m_isStarted) return start(std::move(headers), isLast);
    if (isLast) onEnd(); // trailers of a client: gRPC has none, their end counts
}

void ClientStream::start(HeaderBlock headers, bool isLast)
{
    m_isStarted = true;
    if (headers.list.empty())
        return fail({ErrorCode::ResourceExhausted,
                     QStringLiteral("The call's metadata is larger than %1 KiB; send less of it.")
                         .arg(kMetadataBytesMax / 1024),
                     QStringLiteral("METADATA_TOO_LARGE"),
                     {},
                     {}});
    if (headers.find(":method") != "POST" || !headers.find("content-type").starts_with("application/grpc")) {
        HeaderBlock refusal; // as the gRPC specification asks
        refusal.add(":status", "415");
        return respondAndFinish(refusal);
    }
    setDeadline(headers.find("grpc-timeout"));
    m_call = m_opener.open(*this, std::move(headers));
    if (isLast) onEnd();
}

void ClientStream::setDeadline(std::string_view timeout)
{
    const auto parsed = timeoutOf(timeout);
    if (!parsed) return;
    m_deadlineAt = std::chrono::steady_clock::now() + *parsed;
    m_deadline = m_loop.at(*m_deadlineAt, [this] {
        m_deadline.reset();
        end({ErrorCode::DeadlineExceeded,
             QStringLiteral("The call did not end within the time its caller gave it. The box may be busy; allow it "
                            "more time or try again."),
             QStringLiteral("DEADLINE_PASSED"),
             {},
             {}});
    });
}

void ClientStream::onBytes(Slice bytes)
{
    const size_t size = bytes.size;
    if (m_call && !m_isAnswered) return m_call->onBytes(std::move(bytes));
    consumed(size);
}

void ClientStream::onEnd()
{
    if (m_call && !m_isAnswered) m_call->onEnd();
}

void ClientStream::onSent(size_t bytes)
{
    if (m_call) m_call->onSent(bytes);
}

void ClientStream::onClosed(uint32_t)
{
    m_isAnswered = true;
    if (m_deadline) m_loop.cancel(*std::exchange(m_deadline, std::nullopt));
    if (m_call) m_call->release();
    m_loop.dispose(std::shared_ptr<ClientStream>(this));
}

ClientConnection::ClientConnection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport,
                                   CallOpener& opener)
    : Http2Connection(loop, buffer, std::move(transport), Role::Server), m_opener(opener)
{
}

ClientConnection::~ClientConnection() = default;

Http2Stream* ClientConnection::openStream()
{
    // Owned by itself until `onClosed`, which comes to every stream: at the latest from Http2Connection::close.
    return m_opener.takesCalls() ? new ClientStream(*this, m_opener, loop()) : nullptr;
}

void ClientConnection::endAll(const Error& error)
{
    // Ending a call closes its stream later, so the set stays as it is.
    for (Http2Stream* stream : streams())
        static_cast<ClientStream*>(stream)->end(error);
}

} // namespace cocoonbox::api::edge
