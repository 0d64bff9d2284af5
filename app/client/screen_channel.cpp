// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/screen_channel.h"

#include "app/client/connection.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>

namespace cocoonbox::app::client {

namespace wire = agent::v1;

namespace {

constexpr qsizetype kAheadBytes = 256 * 1024;

// The call. It keeps itself alive until gRPC is done with it. Operations are started with the mutex held: gRPC never
// calls back from within them, as these callbacks are not inlined.
class ScreenCall final : public grpc::ClientBidiReactor<wire::ScreenClientFrame, wire::ScreenServerFrame> {
public:
    static std::shared_ptr<ScreenCall> start(std::shared_ptr<Connection> connection, const QString& boxId)
    {
        auto call = std::make_shared<ScreenCall>();
        call->m_self = call;
        call->m_connection = std::move(connection);
        rpc::applyOptions(call->m_context, call->m_connection->options(boxId, {}));
        const auto stub = wire::Session::NewStub(call->m_connection->channel());
        stub->async()->Screen(&call->m_context, call.get());
        const std::scoped_lock lock(call->m_mutex);
        call->AddHold();
        call->StartCall();
        call->startRead();
        call->startWrite(); // an empty frame opens the channel
        return call;
    }

    Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit)
    {
        std::unique_lock lock(m_mutex);
        const auto ready = [this] { return m_aheadBytes > 0 || m_done || m_closed; };
        if (limit == rfb::ByteStream::kNoLimit)
            m_arrived.wait(lock, ready);
        else if (!m_arrived.wait_for(lock, limit, ready))
            return 0;
        if (m_aheadBytes == 0 || m_closed) return std::unexpected(m_error.value_or(closed()));
        qsizetype taken = 0;
        while (taken < capacity && !m_ahead.empty()) {
            const std::string& chunk = m_ahead.front();
            const qsizetype part = std::min(capacity - taken, static_cast<qsizetype>(chunk.size()) - m_chunkTaken);
            std::memcpy(to + taken, chunk.data() + m_chunkTaken, static_cast<size_t>(part));
            taken += part;
            m_chunkTaken += part;
            if (m_chunkTaken < static_cast<qsizetype>(chunk.size())) break;
            m_ahead.pop_front();
            m_chunkTaken = 0;
        }
        m_aheadBytes -= taken;
        if (!m_reading && m_aheadBytes < kAheadBytes / 2) startRead();
        return taken;
    }

    bool write(QByteArrayView message)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_closed || m_done || m_waiting.size() + message.size() > rfb::ByteStream::kWaitingBytesMax) return false;
        m_waiting.append(message);
        if (!m_writing) startWrite();
        return true;
    }

    void close()
    {
        const std::scoped_lock lock(m_mutex);
        m_closed = true;
        m_arrived.notify_all();
        m_context.TryCancel();
        release();
    }

private:
    static Error closed()
    {
        return {ErrorCode::Unavailable,
                QStringLiteral("The connection to the box's screen was closed."),
                QStringLiteral("SCREEN_CLOSED"),
                {},
                {}};
    }

    // All with the mutex held; nothing starts once the hold is given up.
    void startRead()
    {
        if (!m_held) return;
        m_reading = true;
        StartRead(&m_in);
    }
    void startWrite()
    {
        if (!m_held) return;
        const qsizetype part = std::min<qsizetype>(m_waiting.size(), limits::kScreenFrameBytes);
        m_out.set_data(m_waiting.constData(), static_cast<size_t>(part));
        m_waiting.remove(0, part);
        m_writing = true;
        StartWrite(&m_out);
    }
    void release()
    {
        if (std::exchange(m_held, false)) RemoveHold();
    }

    void OnReadDone(bool ok) override
    {
        const std::scoped_lock lock(m_mutex);
        m_reading = false;
        if (!ok) return release();
        if (!m_in.data().empty()) {
            m_aheadBytes += static_cast<qsizetype>(m_in.data().size());
            m_ahead.push_back(std::move(*m_in.mutable_data()));
            m_arrived.notify_one();
        }
        if (m_aheadBytes < kAheadBytes) startRead();
    }
    void OnWriteDone(bool ok) override
    {
        const std::scoped_lock lock(m_mutex);
        m_writing = false;
        if (ok && !m_waiting.isEmpty()) startWrite();
    }
    void OnDone(const grpc::Status& status) override
    {
        std::shared_ptr<ScreenCall> self;
        const std::scoped_lock lock(m_mutex);
        self = std::move(m_self);
        m_done = true;
        if (const Result<void> end = m_connection->explained(rpc::resultOf(status, m_context)); !end)
            m_error = end.error();
        m_arrived.notify_all();
    }

    std::shared_ptr<ScreenCall> m_self;
    std::shared_ptr<Connection> m_connection;
    grpc::ClientContext m_context;

    std::mutex m_mutex;
    std::condition_variable m_arrived;
    wire::ScreenServerFrame m_in;
    wire::ScreenClientFrame m_out;
    std::deque<std::string> m_ahead;
    qsizetype m_chunkTaken = 0; // of the first of m_ahead
    qsizetype m_aheadBytes = 0;
    QByteArray m_waiting;
    std::optional<Error> m_error;
    bool m_held = true;
    bool m_reading = false;
    bool m_writing = false;
    bool m_done = false;
    bool m_closed = false;
};

class ScreenChannel final : public rfb::ByteStream {
public:
    explicit ScreenChannel(std::shared_ptr<ScreenCall> call) : m_call(std::move(call)) {}
    ~ScreenChannel() override { m_call->close(); }
    Result<qsizetype> read(char* to, qsizetype capacity, std::chrono::milliseconds limit) override
    {
        return m_call->read(to, capacity, limit);
    }
    bool write(QByteArrayView message) override { return m_call->write(message); }
    void close() override { m_call->close(); }

private:
    std::shared_ptr<ScreenCall> m_call;
};

} // namespace

std::shared_ptr<rfb::ByteStream> openScreenChannel(const std::shared_ptr<Connection>& connection, const QString& boxId)
{
    return std::make_shared<ScreenChannel>(ScreenCall::start(connection, boxId));
}

} // namespace cocoonbox::app::client
