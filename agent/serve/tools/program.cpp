// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/tools/program.h"

#include "agent/serve/tools/toolhost_client.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::tools {

namespace port = toolhost::port;

Program::Program(ToolhostClient& toolhost, quint64 id) : m_toolhost(toolhost), m_id(id) {}

Task<Program::Output> Program::next()
{
    std::optional<Output> output = co_await m_outputs.next();
    if (!output)
        co_return fail(
            ErrorCode::Unavailable,
            u"The box's tool service was lost while the program ran, so its end is not known. Run it again."_s,
            u"TOOLHOST_LOST"_s);
    if (const auto* bytes = std::get_if<port::ExecOutput>(&*output); bytes && !m_ended) {
        m_mayReceive += bytes->bytes.size();
        m_toolhost.say(port::ExecCredit{m_id, bytes->bytes.size()});
    }
    co_return *std::move(output);
}

QCoro::Task<bool> Program::writeStdin(QByteArray bytes)
{
    while (!bytes.isEmpty()) {
        while (!m_ended && !m_hungUp && m_maySend <= 0) {
            m_writer = Promise<bool>();
            co_await m_writer->get();
        }
        if (m_ended || m_hungUp) co_return false;
        const qint64 size = std::min<qint64>({m_maySend, bytes.size(), port::kExecChunkBytesMax});
        m_maySend -= size;
        if (!m_toolhost.say(port::ExecStdin{m_id, bytes.first(size), false})) co_return false;
        bytes.remove(0, size);
    }
    co_return true;
}

void Program::closeStdin()
{
    if (!m_ended) m_toolhost.say(port::ExecStdin{m_id, {}, true});
}

void Program::resize(int rows, int columns)
{
    if (!m_ended) m_toolhost.say(port::ExecResize{m_id, rows, columns});
}

void Program::signal(int number)
{
    if (!m_ended) m_toolhost.say(port::ExecSignal{m_id, number});
}

void Program::hangUp()
{
    if (m_hungUp) return;
    m_hungUp = true;
    if (!m_ended) m_toolhost.say(port::ExecHangUp{m_id});
    m_outputs.close();
    wakeWriter();
}

void Program::onOutput(const port::ExecOutput& output)
{
    if (output.bytes.isEmpty()) return;
    if (m_hungUp) {
        m_toolhost.say(port::ExecCredit{m_id, output.bytes.size()});
        return;
    }
    m_mayReceive -= output.bytes.size();
    if (m_mayReceive < 0 || !m_outputs.push(output)) hangUp(); // it sends beyond its credit
}

void Program::onExit(const port::ExecExit& exit)
{
    m_ended = true;
    m_outputs.push(exit);
    m_outputs.close();
    wakeWriter();
}

void Program::onCredit(qint64 bytes)
{
    m_maySend = std::min<qint64>(m_maySend + bytes, port::kExecWindowBytes);
    wakeWriter();
}

void Program::onLost()
{
    m_ended = true;
    m_outputs.close();
    wakeWriter();
}

void Program::wakeWriter()
{
    if (!m_writer) return;
    const Promise<bool> writer = *std::exchange(m_writer, std::nullopt);
    writer.set(true);
}

} // namespace cocoonbox::agent::serve::tools
