// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/tools/own_program.h"

#include "agent/toolhost/port/own_program.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::tools {

namespace port = toolhost::port;

namespace {

constexpr qsizetype kErrorBytesMax = 8 * 1024;
constexpr qsizetype kLineBytesMax = 64 * 1024;

} // namespace

Task<std::unique_ptr<OwnProgram>> OwnProgram::start(ToolhostClient& toolhost, QStringList words, std::stop_token stop)
{
    port::ExecStart start;
    start.argv = std::move(words);
    start.own = true;
    CO_TRY_ASSIGN(std::shared_ptr<Program> program, co_await toolhost.startProgram(std::move(start), stop));
    co_return std::unique_ptr<OwnProgram>(new OwnProgram(std::move(program)));
}

OwnProgram::OwnProgram(std::shared_ptr<Program> program) : m_program(std::move(program))
{
    m_timer.setSingleShot(true);
    m_timer.callOnTimeout([this] {
        m_isLate = true;
        m_program->hangUp();
    });
}

OwnProgram::~OwnProgram()
{
    m_program->hangUp();
}

void OwnProgram::limit(std::chrono::milliseconds time, QString reason)
{
    m_limitReason = std::move(reason);
    m_timer.start(time);
}

QCoro::Task<bool> OwnProgram::send(QByteArray bytes)
{
    const auto program = m_program;
    co_return co_await program->writeStdin(port::inputFrame(bytes));
}

QCoro::Task<bool> OwnProgram::complete()
{
    const auto program = m_program;
    co_return co_await program->writeStdin(port::inputFrame({}));
}

Task<std::optional<QByteArray>> OwnProgram::read()
{
    const auto program = m_program;
    for (;;) {
        Result<Program::Output> output = co_await program->next();
        if (!output && m_isLate)
            co_return fail(ErrorCode::DeadlineExceeded, u"The box did not do it in its time. Try again."_s,
                           m_limitReason);
        if (!output) co_return std::unexpected(output.error());
        if (auto* bytes = std::get_if<port::ExecOutput>(&*output)) {
            if (!bytes->isStderr) co_return std::optional(std::move(bytes->bytes));
            m_errors.append(bytes->bytes.first(std::min(bytes->bytes.size(), kErrorBytesMax - m_errors.size())));
            continue;
        }
        const auto& exit = std::get<port::ExecExit>(*output);
        if (exit.exitCode == 0) co_return std::optional<QByteArray>();
        co_return std::unexpected(port::failureFrom(m_errors, exit.exitCode).withDetail(exit.failure));
    }
}

namespace {

Task<void> sendAll(OwnProgram& program, QByteArray content)
{
    for (qsizetype at = 0; at < content.size(); at += port::kInputFrameBytesMax) {
        const qsizetype size = std::min(port::kInputFrameBytesMax, content.size() - at);
        if (!co_await program.send(content.mid(at, size))) co_return {}; // reading says why it has ended
    }
    co_await program.complete();
    co_return {};
}

} // namespace

Task<QByteArray> runOwn(ToolhostClient& toolhost, OwnRequest request, std::stop_token stop)
{
    CO_TRY_ASSIGN(const std::unique_ptr<OwnProgram> program, co_await OwnProgram::start(toolhost, request.words, stop));
    program->limit(request.limit, request.limitReason);
    if (request.content) {
        CO_TRY_VOID(co_await sendAll(*program, *request.content));
    }
    QByteArray all;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> bytes, co_await program->read());
        if (!bytes) co_return all;
        all += *bytes;
        if (all.size() > request.bytesMax)
            co_return fail(ErrorCode::ResourceExhausted, u"The box answers with more than it may."_s,
                           u"OUTPUT_TOO_LARGE"_s);
    }
}

Result<std::optional<QByteArray>> takeLine(QByteArray& bytes)
{
    const qsizetype end = bytes.indexOf('\n');
    if (end < 0 && bytes.size() > kLineBytesMax)
        return fail(ErrorCode::InvalidArgument, u"A program of the box's own says what it may not."_s,
                    u"OUTPUT_BROKEN"_s);
    if (end < 0) return std::nullopt;
    QByteArray line = bytes.first(end);
    bytes.remove(0, end + 1);
    return line;
}

} // namespace cocoonbox::agent::serve::tools
