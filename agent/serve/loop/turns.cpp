// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/loop/turns.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::loop {

Turns::Turns(LoopParts parts, LoopOptions options) : m_parts(parts), m_options(std::move(options)) {}

Task<transcript::SentPrompt> Turns::send(QString agentId, QString prompt, QString nonce)
{
    CO_TRY_ASSIGN(const transcript::SentPrompt sent, co_await m_parts.transcript.sendPrompt(agentId, prompt, nonce));
    if (!sent.isRepeat) {
        const Running running{sent.prompt.turnId, {}};
        m_running.insert(agentId, running);
        m_scope.spawn(runTurn(sent, running.stop.get_token()), u"turn"_s);
    }
    co_return sent;
}

Task<void> Turns::runTurn(transcript::SentPrompt sent, std::stop_token stop)
{
    const QString agentId = sent.prompt.agentId;
    Result<transcript::Agent> agent = co_await m_parts.transcript.agent(agentId);
    Result<void> outcome = agent.transform([](const auto&) {});
    if (agent) {
        Turn turn(m_parts, m_options, m_scope, *std::move(agent));
        outcome = co_await turn.run(sent.prompt.seq, stop, m_abandoned);
    }
    if (m_running.value(agentId).turnId == sent.prompt.turnId) m_running.remove(agentId);
    co_return outcome;
}

Task<void> Turns::cancel(QString agentId)
{
    CO_TRY_ASSIGN(const transcript::Agent agent, co_await m_parts.transcript.agent(agentId));
    const auto running = m_running.find(agentId);
    if (running == m_running.end()) co_return {};
    const QString turnId = running->turnId;
    running->stop.request_stop();
    co_return co_await pollUntil([this, agentId, turnId] { return m_running.value(agentId).turnId != turnId; }, 10ms,
                                 5s, u"Ending the turn"_s);
}

void Turns::abandonAll(std::chrono::milliseconds limit)
{
    *m_abandoned = true;
    for (Running& running : m_running)
        running.stop.request_stop();
    m_scope.drain(limit);
}

} // namespace cocoonbox::agent::serve::loop
