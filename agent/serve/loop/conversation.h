// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/transcript/entry.h"
#include "agent/serve/wires/wire.h"

#include <deque>

namespace cocoonbox::agent::serve::loop {

// The part of a transcript that the model is told, made from entries so that it is whole after any restart: every tool
// call stands with its result, whatever became of it. Kept within `bytesMax`: the oldest steps go first, whole, but
// never the newest prompt or the newest step.
class Conversation final {
public:
    explicit Conversation(qsizetype bytesMax) : m_bytesMax(bytesMax) {}

    // Entries in the order of their seq, tool calls in their last state.
    void add(const transcript::Entry& entry);
    // Begins with a user's message, and satisfies wires::checkHistory once it ends with a prompt or with results.
    QList<wires::Message> messages() const;

private:
    // One user message, or one reply of the model with its calls.
    struct Step {
        QString turnId;
        int round = 0;
        bool isUser = false;
        bool isPrompt = false;
        QString text;
        QList<transcript::ToolCall> calls;
    };
    static qsizetype sizeOf(const Step& step);
    Step& stepOf(const transcript::Entry& entry);
    void trim();

    qsizetype m_bytesMax;
    qsizetype m_bytes = 0;
    bool m_leftOut = false;
    std::deque<Step> m_steps;
};

} // namespace cocoonbox::agent::serve::loop
