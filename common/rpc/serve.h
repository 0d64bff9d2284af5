// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The server half of the bridge: a gRPC callback becomes a coroutine on the domain thread. gRPC's threads only finish
// an operation and post; they never touch domain objects. Include from *_rpc.cpp and tests only: it is slow to compile.
//
// A handler may throw nothing; its Result becomes the status, Error::reason goes into the trailers.
// Whoever stops a server keeps the main loop running until `Server::stop` has answered, or calls never end.

#include "common/async/wait.h"
#include "common/rpc/request_context.h"
#include "common/rpc/status.h"

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

namespace cocoonbox::rpc {

RequestContext makeRequestContext(const grpc::CallbackServerContext& context, std::stop_token stop);
grpc::Status finalStatus(grpc::CallbackServerContext& context, const Result<void>& result);

namespace detail {

template <class Request, class Reply, class Handler>
class UnaryCall final : public grpc::ServerUnaryReactor {
public:
    UnaryCall(grpc::CallbackServerContext* context, const Request* request, Reply* reply, Handler handler)
        : m_context(context), m_request(request), m_reply(reply), m_handler(std::move(handler))
    {
        postToDomain([this] { run(); });
    }

private:
    QCoro::Task<void> run()
    {
        Result<Reply> result = co_await m_handler(makeRequestContext(*m_context, m_stop.get_token()), *m_request);
        if (result) *m_reply = *std::move(result);
        Finish(finalStatus(*m_context, result.transform([](const auto&) {})));
    }
    void OnCancel() override { m_stop.request_stop(); }
    void OnDone() override
    {
        postToDomain([this] { delete this; });
    }

    grpc::CallbackServerContext* m_context;
    const Request* m_request;
    Reply* m_reply;
    Handler m_handler;
    std::stop_source m_stop;
};

} // namespace detail

// Handler: Task<Reply>(RequestContext, Request).
template <class Request, class Reply, class Handler>
grpc::ServerUnaryReactor* serveUnary(grpc::CallbackServerContext* context, const Request* request, Reply* reply,
                                     Handler handler)
{
    return new detail::UnaryCall<Request, Reply, Handler>(context, request, reply, std::move(handler));
}

// The sending end of a server stream; domain thread, one write at a time.
template <class Reply>
class StreamWriter {
public:
    virtual ~StreamWriter() = default;
    // Waits until the message is handed on (this is the back-pressure); false when the client is gone.
    virtual QCoro::Task<bool> write(Reply reply) = 0;
};

// Both ends of a bidirectional call; at most one read and one write outstanding.
template <class Request, class Reply>
class BidiStream : public StreamWriter<Reply> {
public:
    // Nothing when the client has sent its last message, went away, or the call is finished.
    virtual QCoro::Task<std::optional<Request>> read() = 0;
    // Ends the call now, so that a read which still waits ends too; the handler's own result is then not used.
    virtual void finish(Result<void> result) = 0;
};

namespace detail {

template <class Request, class Reply, class Handler>
class WriteCall final : public grpc::ServerWriteReactor<Reply>, public StreamWriter<Reply> {
public:
    WriteCall(grpc::CallbackServerContext* context, const Request* request, Handler handler)
        : m_context(context), m_request(*request), m_handler(std::move(handler))
    {
        postToDomain([this] { run(); });
    }

    QCoro::Task<bool> write(Reply reply) override
    {
        if (m_stop.stop_requested()) co_return false;
        m_reply = std::move(reply);
        m_written = Promise<bool>();
        this->StartWrite(&m_reply);
        co_return co_await m_written.get();
    }

private:
    QCoro::Task<void> run()
    {
        const Result<void> result = co_await m_handler(makeRequestContext(*m_context, m_stop.get_token()),
                                                       std::move(m_request), static_cast<StreamWriter<Reply>&>(*this));
        this->Finish(finalStatus(*m_context, result));
    }
    void OnWriteDone(bool ok) override
    {
        postToDomain([this, ok] { m_written.set(ok); });
    }
    void OnCancel() override { m_stop.request_stop(); }
    void OnDone() override
    {
        postToDomain([this] { delete this; });
    }

    grpc::CallbackServerContext* m_context;
    Request m_request;
    Reply m_reply;
    Handler m_handler;
    Promise<bool> m_written;
    std::stop_source m_stop;
};

template <class Request, class Reply, class Handler>
class BidiCall final : public grpc::ServerBidiReactor<Request, Reply>, public BidiStream<Request, Reply> {
public:
    BidiCall(grpc::CallbackServerContext* context, Handler handler) : m_context(context), m_handler(std::move(handler))
    {
        postToDomain([this] { run(); });
    }

    QCoro::Task<bool> write(Reply reply) override
    {
        if (m_finished || m_stop.stop_requested()) co_return false;
        m_reply = std::move(reply);
        m_written = Promise<bool>();
        this->StartWrite(&m_reply);
        co_return co_await m_written.get();
    }
    QCoro::Task<std::optional<Request>> read() override
    {
        if (m_finished) co_return std::nullopt;
        m_read = Promise<bool>();
        this->StartRead(&m_request);
        if (!co_await m_read.get()) co_return std::nullopt;
        co_return std::move(m_request);
    }
    void finish(Result<void> result) override
    {
        if (std::exchange(m_finished, true)) return;
        this->Finish(finalStatus(*m_context, result));
    }

private:
    // The reactor goes when gRPC is done with it and the handler has ended, whichever comes last.
    QCoro::Task<void> run()
    {
        finish(co_await m_handler(makeRequestContext(*m_context, m_stop.get_token()),
                                  static_cast<BidiStream<Request, Reply>&>(*this)));
        m_handlerEnded = true;
        if (m_done) delete this;
    }
    void OnReadDone(bool ok) override
    {
        postToDomain([this, ok] { m_read.set(ok); });
    }
    void OnWriteDone(bool ok) override
    {
        postToDomain([this, ok] { m_written.set(ok); });
    }
    void OnCancel() override { m_stop.request_stop(); }
    void OnDone() override
    {
        postToDomain([this] {
            m_done = true;
            if (m_handlerEnded) delete this;
        });
    }

    grpc::CallbackServerContext* m_context;
    Request m_request;
    Reply m_reply;
    Handler m_handler;
    Promise<bool> m_read;
    Promise<bool> m_written;
    std::stop_source m_stop;
    bool m_finished = false;
    bool m_handlerEnded = false;
    bool m_done = false;
};

} // namespace detail

// Handler: Task<void>(RequestContext, Request, StreamWriter<Reply>&).
template <class Reply, class Request, class Handler>
grpc::ServerWriteReactor<Reply>* serveStream(grpc::CallbackServerContext* context, const Request* request,
                                             Handler handler)
{
    return new detail::WriteCall<Request, Reply, Handler>(context, request, std::move(handler));
}

// Handler: Task<void>(RequestContext, BidiStream<Request, Reply>&).
template <class Request, class Reply, class Handler>
grpc::ServerBidiReactor<Request, Reply>* serveBidi(grpc::CallbackServerContext* context, Handler handler)
{
    return new detail::BidiCall<Request, Reply, Handler>(context, std::move(handler));
}

} // namespace cocoonbox::rpc
