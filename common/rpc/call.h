// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The client half of the bridge: protoc's async stubs as coroutines on the domain thread.

#include "common/async/wait.h"
#include "common/base/limits.h"
#include "common/rpc/status.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

namespace cocoonbox::rpc {

struct CallOptions {
    std::chrono::milliseconds timeout = limits::kUnaryDeadline; // zero: none (streams)
    QList<std::pair<QByteArray, QByteArray>> metadata;
    std::stop_token stop;
};

void applyOptions(grpc::ClientContext& context, const CallOptions& options);
Result<void> resultOf(const grpc::Status& status, const grpc::ClientContext& context);

// `Async` is a stub's async class: rpc::call(stub->async(), &Boxes::Stub::async::Get, request, options).
template <class Async, class Request, class Reply>
Task<Reply> call(Async* stub,
                 void (Async::*method)(grpc::ClientContext*, const Request*, Reply*, std::function<void(grpc::Status)>),
                 std::type_identity_t<Request> request, CallOptions options = {})
{
    struct Call {
        grpc::ClientContext context;
        Request request;
        Reply reply;
        Promise<grpc::Status> status;
    };
    auto call = std::make_shared<Call>();
    call->request = std::move(request);
    applyOptions(call->context, options);
    const std::stop_callback cancel(options.stop, [call] { call->context.TryCancel(); });
    (stub->*method)(&call->context, &call->request, &call->reply, [call](grpc::Status status) {
        postToDomain([call, status = std::move(status)] { call->status.set(status); });
    });
    const grpc::Status status = co_await call->status.get();
    CO_TRY_VOID(resultOf(status, call->context));
    co_return std::move(call->reply);
}

namespace detail {

template <class Base, class Reply>
struct ReadReactor : Base {
    std::shared_ptr<ReadReactor> self; // until gRPC is done with it
    grpc::ClientContext context;
    Reply reply;
    Promise<bool> read;
    Promise<bool> written;
    Promise<grpc::Status> done;
    bool held = true; // operations may start from outside the reactor

    void begin()
    {
        this->AddHold();
        this->StartCall();
    }
    void release()
    {
        if (std::exchange(held, false)) this->RemoveHold();
    }
    void OnReadDone(bool ok) override
    {
        postToDomain([keep = self, ok] { keep->read.set(ok); });
    }
    void OnDone(const grpc::Status& status) override
    {
        postToDomain([keep = self, status] {
            keep->done.set(status);
            keep->self.reset();
        });
    }
};

template <class Request, class Reply>
struct BidiReactor final : ReadReactor<grpc::ClientBidiReactor<Request, Reply>, Reply> {
    Request request;
    void OnWriteDone(bool ok) override
    {
        postToDomain([keep = this->self, ok] { keep->written.set(ok); });
    }
};

// What every call shares that receives a stream. Destroying it cancels the call.
template <class Reactor, class Reply>
class ReceivingCall {
public:
    ReceivingCall(const ReceivingCall&) = delete;

    // Nothing at the end of the stream, for whatever reason; `finish` tells which.
    QCoro::Task<std::optional<Reply>> read()
    {
        const auto reactor = m_reactor;
        if (!reactor->held) co_return std::nullopt;
        reactor->read = Promise<bool>();
        reactor->StartRead(&reactor->reply);
        if (co_await reactor->read.get()) co_return std::move(reactor->reply);
        co_return std::nullopt;
    }
    Task<void> finish()
    {
        const auto reactor = m_reactor;
        reactor->release();
        const grpc::Status status = co_await reactor->done.get();
        co_return resultOf(status, reactor->context);
    }
    void cancel()
    {
        m_reactor->context.TryCancel();
        m_reactor->release();
    }

protected:
    explicit ReceivingCall(const CallOptions& options)
        : m_reactor(std::make_shared<Reactor>()), m_cancel(options.stop, Canceller{m_reactor})
    {
        m_reactor->self = m_reactor;
        applyOptions(m_reactor->context, options);
    }
    ~ReceivingCall() { cancel(); }

    struct Canceller {
        std::shared_ptr<Reactor> reactor;
        void operator()() const { reactor->context.TryCancel(); }
    };
    const std::shared_ptr<Reactor> m_reactor;
    const std::stop_callback<Canceller> m_cancel;
};

} // namespace detail

// The receiving end of a server stream.
template <class Reply>
class ClientReader final
    : public detail::ReceivingCall<detail::ReadReactor<grpc::ClientReadReactor<Reply>, Reply>, Reply> {
public:
    template <class Async, class Request>
    ClientReader(Async* stub,
                 void (Async::*method)(grpc::ClientContext*, const Request*, grpc::ClientReadReactor<Reply>*),
                 const std::type_identity_t<Request>& request, const CallOptions& options)
        : ClientReader::ReceivingCall(options)
    {
        (stub->*method)(&this->m_reactor->context, &request, this->m_reactor.get()); // serialises the request at once
        this->m_reactor->begin();
    }
};

// Both ends of a bidirectional call.
template <class Request, class Reply>
class ClientBidi final : public detail::ReceivingCall<detail::BidiReactor<Request, Reply>, Reply> {
public:
    template <class Async>
    ClientBidi(Async* stub, void (Async::*method)(grpc::ClientContext*, grpc::ClientBidiReactor<Request, Reply>*),
               const CallOptions& options)
        : ClientBidi::ReceivingCall(options)
    {
        (stub->*method)(&this->m_reactor->context, this->m_reactor.get());
        this->m_reactor->begin();
    }

    // Waits until the message is handed on; false when the call has ended. One write at a time.
    QCoro::Task<bool> write(Request request)
    {
        const auto reactor = this->m_reactor;
        if (!reactor->held) co_return false;
        reactor->request = std::move(request);
        reactor->written = Promise<bool>();
        reactor->StartWrite(&reactor->request);
        co_return co_await reactor->written.get();
    }
    void writesDone()
    {
        if (this->m_reactor->held) this->m_reactor->StartWritesDone();
    }
};

} // namespace cocoonbox::rpc
