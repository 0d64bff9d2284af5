// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/http2_connection.h"
#include "common/base/result.h"

#include <optional>

namespace cocoonbox::api::edge {

class ClientStream;

// What answers one client's stream. The stream owns it and destroys it after `release`.
class Call {
public:
    virtual ~Call() = default;
    // Payload of the client; it counts against its window until ClientStream::consumed.
    virtual void onBytes(Slice bytes) = 0;
    virtual void onEnd() = 0;              // the client has sent its last
    virtual void onSent(size_t bytes) = 0; // so much of the answer has left the queue
    // The client is gone, or the stream was answered by somebody else (deadline, stop). Let go of everything.
    virtual void release() = 0;
};

class CallOpener {
public:
    virtual ~CallOpener() = default;
    virtual bool takesCalls() const = 0;
    // The call for a request, or nothing when the stream was answered at once.
    virtual std::unique_ptr<Call> open(ClientStream& stream, HeaderBlock request) = 0;
    virtual void onClientLost(class ClientConnection& connection) = 0;
};

// One call of one client, as its answerer sees it.
class ClientStream final : public Http2Stream {
public:
    ClientStream(class ClientConnection& connection, CallOpener& opener, Loop& loop);
    ~ClientStream() override;

    Loop& loop() { return m_loop; }
    std::optional<Loop::TimePoint> deadline() const { return m_deadlineAt; }
    bool isAnswered() const { return m_isAnswered; }

    void respond(const HeaderBlock& headers);
    void respondAndFinish(const HeaderBlock& headers);
    void write(Slice bytes);
    void finish(std::unique_ptr<HeaderBlock> trailers);
    void finishOk();
    // Ends the call with an error, whatever has been answered so far.
    void fail(const Error& error);
    void consumed(size_t bytes);
    // Holds `what` for as long as the stream lives.
    void keep(std::shared_ptr<void> what) { m_kept = std::move(what); }
    // Ends it on behalf of the edge: the call is released first.
    void end(const Error& error);

private:
    friend class ClientConnection;
    void onHeaders(HeaderBlock headers, bool isLast) override;
    void onBytes(Slice bytes) override;
    void onEnd() override;
    void onSent(size_t bytes) override;
    void onClosed(uint32_t errorCode) override;
    void start(HeaderBlock headers, bool isLast);
    void setDeadline(std::string_view timeout);

    ClientConnection& m_connection;
    CallOpener& m_opener;
    Loop& m_loop;
    std::unique_ptr<Call> m_call;
    std::optional<Loop::TimePoint> m_deadlineAt;
    std::optional<Loop::Timer> m_deadline;
    std::shared_ptr<void> m_kept;
    bool m_hasResponded = false;
    bool m_isAnswered = false;
    bool m_isStarted = false;
};

// A client's connection and the streams on it.
class ClientConnection final : public Http2Connection {
public:
    ClientConnection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport, CallOpener& opener);
    ~ClientConnection() override;

    // Ends every call with `error`.
    void endAll(const Error& error);

private:
    friend class ClientStream;
    Http2Stream* openStream() override;
    void onLost() override { m_opener.onClientLost(*this); }

    CallOpener& m_opener;
};

} // namespace cocoonbox::api::edge
