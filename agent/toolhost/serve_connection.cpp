// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/serve_connection.h"

#include <QJsonDocument>
#include <QLoggingCategory>
#include <QPointer>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost {

Q_LOGGING_CATEGORY(toolhostLog, "cocoonbox.agent.toolhost", QtInfoMsg)

namespace {

// Programs stop being read above this, well below the channel's own bound.
constexpr qsizetype kBacklogBytes = 2 * 1024 * 1024;
constexpr std::chrono::milliseconds kBacklogPoll{20};

} // namespace

ServeConnection::ServeConnection(int fd, const ToolSet& tools, QString workspace, QObject* parent)
    : QObject(parent), m_channel(fd), m_tools(tools), m_workspace(std::move(workspace))
{
    connect(&m_channel, &port::FrameChannel::received, this, &ServeConnection::onMessage);
    connect(&m_channel, &port::FrameChannel::closed, this, [this](const Error& error) {
        if (error.reason != "TOOLS_CHANNEL_ENDED"_L1) qCWarning(toolhostLog).noquote() << error.message;
        onClosed();
    });
    m_backlog.callOnTimeout(this, &ServeConnection::checkBacklog);
}

ServeConnection::~ServeConnection()
{
    m_channel.disconnect(this);
    for (const auto& call : std::as_const(m_calls))
        call->stop.request_stop();
}

void ServeConnection::onMessage(const port::Message& message)
{
    if (!m_isGreeted && !std::holds_alternative<port::Hello>(message)) return misbehaved();
    std::visit([this](const auto& word) { onWord(word); }, message);
}

void ServeConnection::onWord(const port::Hello& hello)
{
    if (m_isGreeted || hello.version != port::kVersion) return misbehaved();
    m_isGreeted = true;
    send(port::Hello{});
}

bool ServeConnection::takeId(quint64 id)
{
    if (!m_calls.contains(id) && !m_programs.contains(id)) return true;
    misbehaved();
    return false;
}

void ServeConnection::onWord(const port::CallStart& start)
{
    if (!takeId(start.id)) return;
    if (m_calls.size() >= port::kCallsMax) return misbehaved();
    const auto running = std::make_shared<RunningCall>();
    m_calls.insert(start.id, running);
    (void)runCall(start, running);
}

QCoro::Task<void> ServeConnection::runCall(port::CallStart start, std::shared_ptr<RunningCall> running)
{
    const QPointer<ServeConnection> self(this);
    ToolResult result;
    QJsonParseError wrong{};
    const QJsonDocument arguments = QJsonDocument::fromJson(start.arguments, &wrong);
    const std::shared_ptr<Tool> tool = m_tools.value(start.tool);
    if (!tool) {
        result = ToolResult::failure(u"There is no tool \"%1\"."_s.arg(start.tool));
    } else if (!arguments.isObject()) {
        result = ToolResult::failure(u"The arguments are not a JSON object: %1."_s.arg(wrong.errorString()));
    } else {
        ToolCall call{arguments.object(), start.scope, std::chrono::milliseconds(start.timeoutMs),
                      running->stop.get_token(), [self, id = start.id, running](const QString& text) {
                          if (self) self->sendOutput(id, *running, text);
                      }};
        result = co_await tool->run(std::move(call));
    }
    if (!self || self->m_isClosed) co_return;
    self->m_calls.remove(start.id);
    self->send(port::CallResult{start.id, port::boundedResult(result.text), result.isError});
}

void ServeConnection::sendOutput(quint64 id, RunningCall& running, const QString& text)
{
    const QByteArray bytes = text.toUtf8();
    running.outputBytes += bytes.size();
    if (running.outputBytes <= port::kCallOutputBytesMax)
        send(port::CallOutput{id, text});
    else
        running.outputBytes = port::kCallOutputBytesMax + 1; // what follows a gap would mislead: the result has it all
}

void ServeConnection::onWord(const port::CallCancel& cancel)
{
    if (const auto call = m_calls.value(cancel.id)) call->stop.request_stop();
}

void ServeConnection::onWord(const port::ExecStart& start)
{
    if (!takeId(start.id)) return;
    if (m_programs.size() >= port::kExecsMax) return misbehaved();
    Result<SpawnSpec> spec = exec::specOf(start, m_workspace);
    Result<std::unique_ptr<ChildProcess>> child = spec ? ChildProcess::start(*spec) : std::unexpected(spec.error());
    if (!child) return send(port::ExecExit{start.id, 127, 0, child.error().message});
    auto* program =
        new exec::Program(start.id, *std::move(child), [this](const port::Message& message) { send(message); }, this);
    m_programs.insert(start.id, program);
    connect(program, &exec::Program::finished, this, [this, program, id = start.id] {
        m_programs.remove(id);
        program->deleteLater();
    });
}

void ServeConnection::onWord(const port::ExecStdin& input)
{
    exec::Program* running = program(input.id);
    if (running && !running->onInput(input)) misbehaved();
}

void ServeConnection::onWord(const port::ExecResize& resize)
{
    if (const exec::Program* running = program(resize.id)) running->onResize({resize.rows, resize.columns});
}

void ServeConnection::onWord(const port::ExecSignal& signal)
{
    if (const exec::Program* running = program(signal.id)) running->onSignal(signal.number);
}

void ServeConnection::onWord(const port::ExecHangUp& hangUp)
{
    if (exec::Program* running = program(hangUp.id)) running->hangUp();
}

void ServeConnection::onWord(const port::ExecCredit& credit)
{
    if (exec::Program* running = program(credit.id)) running->onCredit(credit.bytes);
}

void ServeConnection::send(const port::Message& message)
{
    if (m_isClosed) return;
    (void)m_channel.send(message);
    if (m_channel.unsentBytes() <= kBacklogBytes || m_backlog.isActive()) return;
    m_backlog.start(kBacklogPoll);
    for (exec::Program* running : std::as_const(m_programs))
        running->setPaused(true);
}

void ServeConnection::checkBacklog()
{
    if (m_channel.unsentBytes() > kBacklogBytes / 2) return;
    m_backlog.stop();
    for (exec::Program* running : std::as_const(m_programs))
        running->setPaused(false);
}

void ServeConnection::misbehaved()
{
    m_channel.abort(Error{ErrorCode::FailedPrecondition,
                          u"The other end of the tools socket broke the protocol."_s,
                          u"TOOLS_PROTOCOL_BROKEN"_s,
                          {},
                          std::source_location::current()});
}

void ServeConnection::onClosed()
{
    if (m_isClosed) return;
    m_isClosed = true;
    m_backlog.stop();
    for (const auto& call : std::as_const(m_calls))
        call->stop.request_stop();
    for (exec::Program* running : std::as_const(m_programs))
        running->hangUp();
    emit closed();
}

} // namespace cocoonbox::agent::toolhost
