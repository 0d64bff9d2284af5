// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/tools/toolhost_client.h"

#include "common/net/unix_socket.h"

#include <QLoggingCategory>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::tools {

namespace port = toolhost::port;

namespace {

Q_LOGGING_CATEGORY(toolsLog, "cocoonbox.agent.tools", QtInfoMsg)

std::unexpected<Error> toolhostDown()
{
    return fail(ErrorCode::Unavailable,
                u"The box's tool service is not running, so no tool can be used. It is started again by itself; try "
                "again in a few seconds."_s,
                u"TOOLHOST_DOWN"_s);
}

std::unexpected<Error> toolhostLost()
{
    return fail(ErrorCode::Unavailable,
                u"The box's tool service was lost while the tool ran; the tool may have had an effect. Look before you "
                "do it again."_s,
                u"TOOLHOST_LOST"_s);
}

} // namespace

ToolhostClient::ToolhostClient(ToolhostOptions options) : m_options(std::move(options)), m_delay(m_options.retryMin)
{
    m_retry.setSingleShot(true);
    m_retry.callOnTimeout(this, &ToolhostClient::connectNow);
}

ToolhostClient::~ToolhostClient()
{
    if (m_channel) m_channel->disconnect(this);
}

void ToolhostClient::start()
{
    connectNow();
}

void ToolhostClient::connectNow()
{
    Result<net::UniqueFd> socket = net::connectUnixIn(m_options.socketFolder, u"tools.sock"_s);
    Result<void> peer = socket.transform([](const auto&) {});
    if (socket) peer = port::checkPeer(socket->get(), m_options.uid);
    if (!peer) {
        if (!std::exchange(m_quietly, true))
            qCWarning(toolsLog).noquote() << "toolhost is not reachable:" << peer.error().message;
        retryLater();
        return;
    }
    m_channel = std::make_unique<port::FrameChannel>(socket->release());
    connect(m_channel.get(), &port::FrameChannel::received, this, &ToolhostClient::onMessage);
    connect(m_channel.get(), &port::FrameChannel::closed, this, &ToolhostClient::onClosed);
    m_channel->send(port::Hello{});
}

void ToolhostClient::retryLater()
{
    m_retry.start(m_delay);
    m_delay = std::min(m_delay * 2, m_options.retryMax);
}

void ToolhostClient::onGreeting(const port::Hello& hello)
{
    if (hello.version != port::kVersion || m_greeted) {
        m_channel->abort({ErrorCode::FailedPrecondition,
                          u"toolhost speaks version %1 of the port, not %2."_s.arg(hello.version).arg(port::kVersion),
                          u"PORT_VERSION"_s,
                          {},
                          std::source_location::current()});
        return;
    }
    m_greeted = true;
    m_quietly = false;
    m_delay = m_options.retryMin;
    qCInfo(toolsLog) << "toolhost is ready";
    emit readyChanged(true);
}

void ToolhostClient::onMessage(const port::Message& message)
{
    if (const auto* hello = std::get_if<port::Hello>(&message)) return onGreeting(*hello);
    if (const auto* output = std::get_if<port::CallOutput>(&message)) {
        const auto onOutput = m_calls.value(output->id).onOutput;
        if (onOutput) onOutput(output->text);
    } else if (const auto* result = std::get_if<port::CallResult>(&message)) {
        if (m_calls.contains(result->id)) m_calls.take(result->id).result.set(*result);
    } else if (const auto* bytes = std::get_if<port::ExecOutput>(&message)) {
        if (const auto program = m_programs.value(bytes->id)) program->onOutput(*bytes);
    } else if (const auto* credit = std::get_if<port::ExecCredit>(&message)) {
        if (const auto program = m_programs.value(credit->id)) program->onCredit(credit->bytes);
    } else if (const auto* exit = std::get_if<port::ExecExit>(&message)) {
        if (const auto program = m_programs.take(exit->id)) program->onExit(*exit);
    } else {
        m_channel->abort({ErrorCode::InvalidArgument,
                          u"toolhost said a word that only serve may say."_s,
                          u"FRAME_BROKEN"_s,
                          {},
                          std::source_location::current()});
    }
}

void ToolhostClient::onClosed(const Error& error)
{
    if (!std::exchange(m_quietly, true)) qCWarning(toolsLog).noquote() << "toolhost is gone:" << error.message;
    m_channel.release()->deleteLater();
    const bool wasReady = std::exchange(m_greeted, false);
    const QHash<quint64, Call> calls = std::exchange(m_calls, {});
    const auto programs = std::exchange(m_programs, {});
    retryLater();
    for (const Call& call : calls)
        call.result.set(toolhostLost());
    for (const auto& program : programs)
        program->onLost();
    if (wasReady) emit readyChanged(false);
}

bool ToolhostClient::say(const port::Message& message)
{
    return m_greeted && m_channel && m_channel->send(message);
}

Task<void> ToolhostClient::untilReady(std::stop_token stop)
{
    const std::chrono::milliseconds step{50};
    Result<void> ready =
        co_await pollUntil([this] { return m_greeted; }, step, m_options.patience, u"toolhost"_s, stop);
    if (!ready && ready.error().code != ErrorCode::Cancelled) co_return toolhostDown();
    co_return ready;
}

Task<ToolResult> ToolhostClient::run(ToolRequest request, std::function<void(QString)> onOutput, std::stop_token stop)
{
    CO_TRY_VOID(co_await untilReady(stop));
    if (m_calls.size() >= port::kCallsMax)
        co_return fail(ErrorCode::ResourceExhausted, u"Too many tools run at once in this box. Wait for one to end."_s,
                       u"TOOL_LIMIT"_s);
    const quint64 id = m_nextId++;
    const Call call{std::move(onOutput), {}};
    m_calls.insert(id, call);
    if (!say(port::CallStart{id, request.tool, request.argumentsJson, request.limit.count(), request.agentId})) {
        m_calls.remove(id);
        co_return toolhostDown();
    }
    CO_TRY_ASSIGN(const port::CallResult result, co_await finished(id, call, request.limit, stop));
    co_return ToolResult{result.text, result.isError};
}

// Three ways to end: its result, the token (toolhost is told and has a moment to answer), or its deadline.
Task<port::CallResult> ToolhostClient::finished(quint64 id, Call call, std::chrono::milliseconds limit,
                                                std::stop_token stop)
{
    QTimer deadline;
    deadline.setSingleShot(true);
    const auto endAs = [this, id, result = call.result](Result<port::CallResult> outcome) {
        m_calls.remove(id);
        result.set(std::move(outcome));
    };
    const auto cancelled = std::make_shared<bool>(false);
    deadline.callOnTimeout(this, [this, id, endAs, cancelled] {
        if (*cancelled) return endAs(fail(ErrorCode::Cancelled, u"Cancelled."_s));
        say(port::CallCancel{id});
        endAs(fail(ErrorCode::DeadlineExceeded, u"The tool did not end in its time and was stopped."_s,
                   u"TOOL_TIMEOUT"_s));
    });
    deadline.start(limit + m_options.deadlineSlack);
    const QPointer<QTimer> timer(&deadline);
    const std::stop_callback onStop(stop, [this, id, timer, cancelled] {
        postToDomain([this, id, timer, cancelled] {
            if (!timer) return; // it has ended meanwhile
            *cancelled = true;
            say(port::CallCancel{id});
            timer->start(m_options.cancelGrace);
        });
    });
    Result<port::CallResult> result = co_await call.result.get();
    // What was done to the end in spite of it is told as done.
    const bool isDone = result && !result->isError;
    if (stop.stop_requested() && !isDone) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
    co_return result;
}

Task<std::shared_ptr<Program>> ToolhostClient::startProgram(port::ExecStart start, std::stop_token stop)
{
    CO_TRY_VOID(co_await untilReady(stop));
    if (m_programs.size() >= port::kExecsMax)
        co_return fail(ErrorCode::ResourceExhausted,
                       u"32 programs run in this box for its viewers already. End one of them first."_s,
                       u"EXEC_LIMIT"_s);
    start.id = m_nextId++;
    if (!say(start)) co_return toolhostDown();
    auto program = std::make_shared<Program>(*this, start.id);
    m_programs.insert(start.id, program);
    co_return program;
}

} // namespace cocoonbox::agent::serve::tools
