// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/exec_channel.h"

#include "app/client/connection.h"
#include "app/client/convert.h"
#include "cocoonbox/agent/v1/exec.grpc.pb.h"

#include <deque>

namespace cocoonbox::app::client {

namespace wire = agent::v1;

namespace {

constexpr size_t kWaitingInputsMax = 64; // resizes and signals; bytes are sent one at a time

} // namespace

struct ExecChannel::Call {
    struct Waiting {
        wire::ExecInput input;
        Promise<bool> written;
    };
    Call(std::shared_ptr<Connection> through, const QString& boxId)
        : connection(std::move(through)), stub(wire::Exec::NewStub(connection->channel())),
          bidi(stub->async(), &wire::Exec::Stub::async::Run, connection->options(boxId, {}))
    {
    }

    std::shared_ptr<Connection> connection;
    std::unique_ptr<wire::Exec::Stub> stub;
    rpc::ClientBidi<wire::ExecInput, wire::ExecOutput> bidi;
    std::deque<Waiting> queue;
    bool writing = false;
    bool broken = false;

    // A call takes one message at a time.
    static QCoro::Task<void> pump(std::shared_ptr<Call> self)
    {
        if (std::exchange(self->writing, true)) co_return;
        while (!self->queue.empty()) {
            Waiting next = std::move(self->queue.front());
            self->queue.pop_front();
            const bool ok = !self->broken && co_await self->bidi.write(std::move(next.input));
            self->broken = !ok;
            next.written.set(ok);
        }
        self->writing = false;
    }

    static Promise<bool> post(const std::shared_ptr<Call>& self, wire::ExecInput input)
    {
        Promise<bool> written;
        if (self->queue.size() >= kWaitingInputsMax) {
            written.set(false);
            return written;
        }
        self->queue.push_back({std::move(input), written});
        pump(self);
        return written;
    }
};

ExecChannel::ExecChannel(std::shared_ptr<Connection> connection, const QString& boxId, const ExecStart& start)
    : m_call(std::make_shared<Call>(std::move(connection), boxId))
{
    wire::ExecInput first;
    *first.mutable_start() = toWire(start);
    Call::post(m_call, std::move(first));
}

ExecChannel::~ExecChannel()
{
    m_call->broken = true;
    m_call->bidi.cancel();
}

QCoro::Task<std::optional<ExecOutput>> ExecChannel::read()
{
    const auto call = m_call;
    for (;;) {
        auto message = co_await call->bidi.read();
        if (!message) co_return std::nullopt;
        ExecOutput output;
        if (message->has_stdout_data() || message->has_stderr_data()) {
            const std::string& bytes = message->has_stdout_data() ? message->stdout_data() : message->stderr_data();
            output.kind = message->has_stdout_data() ? ExecOutput::Kind::Stdout : ExecOutput::Kind::Stderr;
            output.bytes = QByteArray::fromStdString(bytes);
            co_return output;
        }
        if (message->has_exited()) {
            output.kind = ExecOutput::Kind::Exited;
            output.exitCode = message->exited().exit_code();
            output.signalNumber = message->exited().signal_number();
            output.failure = fromWire(message->exited().failure());
            co_return output;
        }
    }
}

Task<void> ExecChannel::finish()
{
    const auto call = m_call;
    co_return call->connection->explained(co_await call->bidi.finish());
}

QCoro::Task<bool> ExecChannel::writeStdin(QByteArray bytes)
{
    wire::ExecInput input;
    input.set_stdin_data(bytes.constData(), static_cast<size_t>(bytes.size()));
    const Promise<bool> written = Call::post(m_call, std::move(input));
    co_return co_await written.get();
}

void ExecChannel::closeStdin()
{
    wire::ExecInput input;
    input.set_stdin_closed(true);
    Call::post(m_call, std::move(input));
}

void ExecChannel::resize(int rows, int columns)
{
    wire::ExecInput input;
    input.mutable_resize()->set_rows(rows);
    input.mutable_resize()->set_columns(columns);
    Call::post(m_call, std::move(input));
}

void ExecChannel::signal(int number)
{
    wire::ExecInput input;
    input.set_signal_number(number);
    Call::post(m_call, std::move(input));
}

} // namespace cocoonbox::app::client
