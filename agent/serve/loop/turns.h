// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/loop/turn.h"

#include <QHash>

namespace cocoonbox::agent::serve::loop {

// The running turns, at most one an agent. A turn belongs to the process, not to the client that asked for it.
class Turns final {
public:
    Turns(LoopParts parts, LoopOptions options);

    // Writes the prompt and starts its turn; a repeated nonce starts nothing. Errors of Transcript::sendPrompt.
    Task<transcript::SentPrompt> send(QString agentId, QString prompt, QString nonce);
    // Ends the running turn and answers when it has ended. NotFound: AGENT_UNKNOWN.
    Task<void> cancel(QString agentId);
    // Before the process ends: lets go of the turns without writing their end. The main loop runs meanwhile.
    void abandonAll(std::chrono::milliseconds limit);

private:
    struct Running {
        QString turnId;
        std::stop_source stop;
    };
    Task<void> runTurn(transcript::SentPrompt sent, std::stop_token stop);

    LoopParts m_parts;
    LoopOptions m_options;
    QHash<QString, Running> m_running; // by agent
    std::shared_ptr<bool> m_abandoned = std::make_shared<bool>(false);
    TaskScope m_scope;
};

} // namespace cocoonbox::agent::serve::loop
