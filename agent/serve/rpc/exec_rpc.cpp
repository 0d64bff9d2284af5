// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/rpc/proto_map.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/tools/toolhost_client.h"
#include "common/rpc/serve.h"

#include "cocoonbox/agent/v1/exec.grpc.pb.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::rpc {

namespace {

using cocoonbox::rpc::BidiStream;
using cocoonbox::rpc::RequestContext;
using tools::Program;
namespace port = toolhost::port;

using Stream = BidiStream<v1::ExecInput, v1::ExecOutput>;

constexpr int kWordsMax = 1024;
constexpr size_t kWordBytesMax = 128 * 1024;
constexpr int kEnvMax = 64;
constexpr size_t kEnvBytesMax = 32 * 1024;
constexpr size_t kPathBytesMax = 4096;
constexpr int kWindowMax = 4096;

std::unexpected<Error> invalid(const QString& message)
{
    return fail(ErrorCode::InvalidArgument, message, u"EXEC_ARGV_INVALID"_s);
}

bool hasNul(const std::string& text)
{
    return text.find('\0') != std::string::npos;
}

bool isWindow(const v1::WindowSize& window)
{
    return window.rows() >= 1 && window.rows() <= kWindowMax && window.columns() >= 1 && window.columns() <= kWindowMax;
}

Result<void> checkStart(const v1::ExecStart& start)
{
    size_t bytes = 0;
    bool nul = hasNul(start.cwd());
    for (const std::string& word : start.argv()) {
        bytes += word.size();
        nul = nul || hasNul(word);
    }
    if (start.argv_size() > kWordsMax || bytes > kWordBytesMax)
        return invalid(u"The command line has at most 1,024 words and 128 KiB. Put the rest into a file."_s);
    if (start.argv_size() > 0 && start.argv(0).empty()) return invalid(u"The program's name is empty."_s);
    size_t envBytes = 0;
    for (const auto& [name, value] : start.env()) {
        envBytes += name.size() + value.size();
        nul = nul || hasNul(name) || hasNul(value);
        if (name.empty() || name.find('=') != std::string::npos)
            return invalid(u"A variable's name is empty or holds an equals sign."_s);
    }
    if (start.env_size() > kEnvMax || envBytes > kEnvBytesMax)
        return invalid(u"At most 64 variables and 32 KiB can be added to the environment."_s);
    if (nul) return invalid(u"A word of the command holds a zero byte."_s);
    if (start.cwd().size() > kPathBytesMax) return invalid(u"The folder's name is longer than 4,096 bytes."_s);
    if (start.has_window() && !isWindow(start.window())) return invalid(u"A window has 1 to 4,096 rows and columns."_s);
    return {};
}

port::ExecStart toPort(const v1::ExecStart& start)
{
    port::ExecStart out;
    for (const std::string& word : start.argv())
        out.argv.append(QString::fromStdString(word));
    for (const auto& [name, value] : start.env())
        out.env.insert(QString::fromStdString(name), QString::fromStdString(value));
    out.cwd = QString::fromStdString(start.cwd());
    out.tty = start.tty();
    out.rows = start.window().rows();
    out.columns = start.window().columns();
    out.loginShell = start.login_shell();
    return out;
}

v1::ExecOutput toProto(const Program::Output& output)
{
    v1::ExecOutput proto;
    if (const auto* bytes = std::get_if<port::ExecOutput>(&output)) {
        (bytes->isStderr ? proto.mutable_stderr_data() : proto.mutable_stdout_data())
            ->assign(bytes->bytes.toStdString());
        return proto;
    }
    const auto& exit = std::get<port::ExecExit>(output);
    proto.mutable_exited()->set_exit_code(exit.exitCode);
    proto.mutable_exited()->set_signal_number(exit.signalNumber);
    proto.mutable_exited()->set_failure(exit.failure.toStdString());
    return proto;
}

QCoro::Task<void> passInput(Program& program, v1::ExecInput input)
{
    switch (input.input_case()) {
    case v1::ExecInput::kStdinData: co_await program.writeStdin(QByteArray::fromStdString(input.stdin_data())); break;
    case v1::ExecInput::kStdinClosed:
        if (input.stdin_closed()) program.closeStdin();
        break;
    case v1::ExecInput::kResize:
        if (isWindow(input.resize())) program.resize(input.resize().rows(), input.resize().columns());
        break;
    case v1::ExecInput::kSignalNumber:
        if (input.signal_number() >= 1 && input.signal_number() <= 31) program.signal(input.signal_number());
        break;
    case v1::ExecInput::kStart: // a second start means nothing
    case v1::ExecInput::INPUT_NOT_SET: break;
    }
}

// Ends when the client has no more to say, or when the call is finished.
QCoro::Task<void> pumpInput(Stream& stream, std::shared_ptr<Program> program, bool tty, std::stop_token stop,
                            Promise<bool> ended)
{
    while (std::optional<v1::ExecInput> input = co_await stream.read())
        co_await passInput(*program, *std::move(input));
    // A client that says no more may still read. A terminal has no end of input of its own.
    if (!stop.stop_requested() && !tty) program->closeStdin();
    ended.set(true);
}

Task<void> pumpOutput(Stream& stream, std::shared_ptr<Program> program)
{
    while (true) {
        CO_TRY_ASSIGN(const Program::Output output, co_await program->next());
        if (!co_await stream.write(toProto(output))) co_return fail(ErrorCode::Cancelled, u"The client is gone."_s);
        if (std::holds_alternative<port::ExecExit>(output)) co_return {};
    }
}

class ExecService final : public v1::Exec::CallbackService {
public:
    ExecService(session::Gate& gate, tools::ToolhostClient& toolhost) : m_gate(gate), m_toolhost(toolhost) {}

    grpc::ServerBidiReactor<v1::ExecInput, v1::ExecOutput>* Run(grpc::CallbackServerContext* context) override
    {
        return cocoonbox::rpc::serveBidi<v1::ExecInput, v1::ExecOutput>(
            context, [this](RequestContext c, Stream& stream) { return run(c, stream); });
    }

private:
    Task<void> run(RequestContext context, Stream& stream)
    {
        CO_TRY_VOID(admit(m_gate, context));
        const std::optional<v1::ExecInput> first = co_await stream.read();
        if (!first || !first->has_start())
            co_return fail(ErrorCode::InvalidArgument, u"The first message must say what to run."_s,
                           u"EXEC_START_MISSING"_s);
        CO_TRY_VOID(checkStart(first->start()));
        CO_TRY_ASSIGN(const std::shared_ptr<Program> program,
                      co_await m_toolhost.startProgram(toPort(first->start()), context.stop));
        const std::stop_callback onStop(context.stop, [program] { postToDomain([program] { program->hangUp(); }); });
        const Promise<bool> inputEnded;
        pumpInput(stream, program, first->start().tty(), context.stop, inputEnded);
        const Result<void> result = co_await pumpOutput(stream, program);
        // Both pumps use the stream, so it may go only when both have ended.
        stream.finish(result);
        program->hangUp();
        co_await inputEnded.get();
        co_return result;
    }

    session::Gate& m_gate;
    tools::ToolhostClient& m_toolhost;
};

} // namespace

std::unique_ptr<grpc::Service> makeExecService(session::Gate& gate, tools::ToolhostClient& toolhost)
{
    return std::make_unique<ExecService>(gate, toolhost);
}

} // namespace cocoonbox::agent::serve::rpc
