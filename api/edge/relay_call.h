// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/client_stream.h"
#include "api/edge/grpc_wire.h"
#include "api/edge/upstreams.h"

#include <functional>

namespace cocoonbox::api::edge {

// One call sent on to another gRPC server, both ways at once. A byte is given back to its sender's window only when it
// has left towards the other side, so each direction holds at most one stream window.
class RelayCall final : public Call {
public:
    // The connection the call goes to, asked for again at each try; an Unavailable is tried again until `giveUpAt`.
    using Finder = std::move_only_function<Result<UpstreamConnection*>()>;
    // Makes the headers for the other side at the moment they are sent.
    using Completer = std::move_only_function<void(HeaderBlock& headers)>;

    RelayCall(ClientStream& client, HeaderBlock headers, Finder find, Completer complete, Loop::TimePoint giveUpAt);
    ~RelayCall() override;
    void connect();

    void onBytes(Slice bytes) override { fromClient(std::move(bytes)); }
    void onEnd() override;
    void onSent(size_t bytes) override;
    void release() override;

private:
    // The other side's end of the call.
    class Upstream final : public Http2Stream {
    public:
        explicit Upstream(RelayCall& call) : m_call(call) {}
        using Http2Stream::hold;
        using Http2Stream::holdEnd;

    private:
        void onHeaders(HeaderBlock headers, bool isLast) override { m_call.fromUpstream(std::move(headers), isLast); }
        void onBytes(Slice bytes) override { m_call.fromUpstream(std::move(bytes)); }
        void onEnd() override { m_call.upstreamBroke(); }
        void onSent(size_t bytes) override { m_call.m_client.consumed(bytes); }
        void onClosed(uint32_t errorCode) override { m_call.upstreamClosed(errorCode); }

        RelayCall& m_call;
    };

    void fromClient(Slice bytes);
    void fromUpstream(Slice bytes);
    void fromUpstream(HeaderBlock headers, bool isLast);
    void upstreamBroke();
    void upstreamClosed(uint32_t errorCode);
    void retryOrFail(const Error& error);
    void fail(const Error& error);

    ClientStream& m_client;
    std::unique_ptr<HeaderBlock> m_request; // until it is sent
    Finder m_find;
    Completer m_complete;
    Loop::TimePoint m_giveUpAt;
    std::optional<Loop::Timer> m_retry;
    std::chrono::milliseconds m_retryDelay{10};
    UpstreamConnection* m_connection = nullptr; // while the upstream stream is open
    Upstream m_upstream{*this};
    MessageMeter m_requestMeter;
    MessageMeter m_answerMeter;
    bool m_hasHeaders = false; // of the answer
};

} // namespace cocoonbox::api::edge
