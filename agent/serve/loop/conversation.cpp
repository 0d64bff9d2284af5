// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/loop/conversation.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::loop {

namespace {

using transcript::Entry;
using transcript::EntryKind;
using transcript::ToolCall;
using transcript::ToolState;
using wires::Message;

QString resultOf(const ToolCall& call)
{
    const QString output = call.output.isEmpty() ? u"(no output)"_s : call.output;
    switch (call.state) {
    case ToolState::Done: return output;
    case ToolState::Failed: return u"[failed] "_s + output;
    case ToolState::Cancelled: return u"[cancelled by the user or by a restart; it may have had an effect] "_s + output;
    case ToolState::Running:
    case ToolState::Waiting: break;
    }
    return u"[no result: the call was interrupted] "_s + output;
}

void addUser(QList<Message>& messages, const QString& text)
{
    // Some servers want the roles to alternate.
    if (!messages.isEmpty() && messages.last().role == Message::Role::User)
        messages.last().text += u"\n\n"_s + text;
    else
        messages.append({.role = Message::Role::User, .text = text, .calls = {}, .callId = {}});
}

} // namespace

qsizetype Conversation::sizeOf(const Step& step)
{
    qsizetype size = step.text.size();
    for (const ToolCall& call : step.calls)
        size += call.argumentsJson.size() + call.output.size();
    return size;
}

Conversation::Step& Conversation::stepOf(const Entry& entry)
{
    const bool isSame = !m_steps.empty() && !m_steps.back().isUser && m_steps.back().turnId == entry.turnId &&
                        m_steps.back().round == entry.round;
    if (!isSame)
        m_steps.push_back({.turnId = entry.turnId,
                           .round = entry.round,
                           .isUser = false,
                           .isPrompt = false,
                           .text = {},
                           .calls = {}});
    return m_steps.back();
}

void Conversation::add(const Entry& entry)
{
    const qsizetype before = m_steps.empty() ? 0 : sizeOf(m_steps.back());
    const size_t count = m_steps.size();
    switch (entry.kind) {
    case EntryKind::Prompt:
        m_steps.push_back(
            {.turnId = entry.turnId, .round = 0, .isUser = true, .isPrompt = true, .text = entry.text, .calls = {}});
        break;
    case EntryKind::Error:
        m_steps.push_back({.turnId = entry.turnId,
                           .round = 0,
                           .isUser = true,
                           .isPrompt = false,
                           .text = u"[The turn above ended early: %1]"_s.arg(entry.text),
                           .calls = {}});
        break;
    case EntryKind::HandBack:
        m_steps.push_back({.turnId = entry.turnId,
                           .round = 0,
                           .isUser = true,
                           .isPrompt = false,
                           .text = u"[%1]"_s.arg(entry.text),
                           .calls = {}});
        break;
    case EntryKind::Reply: stepOf(entry).text += entry.text; break;
    case EntryKind::ToolCall: stepOf(entry).calls.append(*entry.toolCall); break;
    case EntryKind::Notice: return; // for people
    }
    m_bytes += sizeOf(m_steps.back()) - (m_steps.size() == count ? before : 0);
    trim();
}

void Conversation::trim()
{
    while (m_bytes > m_bytesMax) {
        const auto newestPrompt = std::ranges::find_if(m_steps.rbegin(), m_steps.rend(), &Step::isPrompt);
        auto oldest = m_steps.begin();
        if (newestPrompt != m_steps.rend() && &*newestPrompt == &*oldest) ++oldest;
        if (oldest == m_steps.end() || std::next(oldest) == m_steps.end()) return;
        m_bytes -= sizeOf(*oldest);
        m_steps.erase(oldest);
        m_leftOut = true;
    }
}

QList<Message> Conversation::messages() const
{
    QList<Message> messages;
    auto step = std::ranges::find_if(m_steps, &Step::isUser);
    if (m_leftOut) addUser(messages, u"[Earlier parts of this conversation were left out to save room.]"_s);
    for (; step != m_steps.end(); ++step) {
        if (step->isUser) {
            addUser(messages, step->text);
            continue;
        }
        Message reply{.role = Message::Role::Assistant, .text = step->text, .calls = {}, .callId = {}};
        for (const ToolCall& call : step->calls)
            reply.calls.append({call.callId, call.tool, call.argumentsJson});
        if (reply.text.isEmpty() && reply.calls.isEmpty()) continue;
        messages.append(reply);
        for (const ToolCall& call : step->calls)
            messages.append(
                {.role = Message::Role::ToolResult, .text = resultOf(call), .calls = {}, .callId = call.callId});
    }
    return messages;
}

} // namespace cocoonbox::agent::serve::loop
