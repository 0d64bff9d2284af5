// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/loop/conversation.h"
#include "agent/serve/session/baton.h"
#include "agent/serve/session/draft_board.h"
#include "agent/serve/session/hand_backs.h"
#include "agent/serve/tools/tool_runner.h"
#include "agent/serve/transcript/transcript.h"
#include "agent/serve/wires/wire.h"
#include "common/async/task_scope.h"

namespace cocoonbox::agent::serve::loop {

struct LoopOptions {
    std::function<QString()> model = [] { return QStringLiteral("default"); }; // its name, asked for each reply
    int roundsMax = 64;                                                        // replies of the model in one turn
    qsizetype conversationBytesMax = 400 * 1024;                               // about 100,000 tokens
    std::chrono::milliseconds screenWaitMax = std::chrono::minutes(10);
    std::chrono::milliseconds liveOutputEvery{1000}; // how often a running tool's output is shown
    wires::RetryPolicy retry;
};

// What the loop works with; all outlive it.
struct LoopParts {
    transcript::Transcript& transcript;
    session::DraftBoard& drafts;
    session::Baton& baton;
    tools::ToolRunner& tools;
    wires::ModelWire& wire;
    const Clock& clock;
    session::HandBacks& handBacks;
};

// One turn: from a prompt until the agent rests. Everything is written before it is acted upon, and the turn ends with
// an idle agent and an entry that says how, unless `abandoned` says that the process is ending: then the next start
// ends it (Transcript::open).
class Turn final {
public:
    Turn(LoopParts parts, const LoopOptions& options, TaskScope& scope, transcript::Agent agent);

    // `stop` is the user's Cancel.
    Task<void> run(qint64 promptSeq, std::stop_token stop, std::shared_ptr<const bool> abandoned);

private:
    Task<void> loadConversation(qint64 promptSeq);
    Task<void> rounds(qint64 promptSeq, std::stop_token stop);
    Task<void> tellHandBacks();
    Task<wires::ModelReply> ask(std::stop_token stop);
    Task<void> keepReply(wires::ModelReply reply);
    Task<void> runCalls(wires::ModelReply reply, std::stop_token stop);
    Task<transcript::ToolState> runCall(wires::ModelCall call, std::stop_token stop);
    Task<std::shared_ptr<session::Baton::Action>> takeScreen(transcript::Entry* entry, std::stop_token stop);
    Task<void> waitForScreen(transcript::Entry* entry, std::stop_token stop);
    Task<void> writeNew(transcript::Entry* entry);
    Task<tools::ToolResult> runOnScreen(transcript::Entry entry, std::shared_ptr<QString> shown,
                                        std::shared_ptr<session::Baton::Action> action, std::stop_token stop);
    Task<tools::ToolResult> runTool(transcript::Entry entry, std::shared_ptr<QString> shown, std::stop_token stop);
    Task<transcript::ToolState> endCall(transcript::Entry entry, Result<tools::ToolResult> result, QString shown);
    Task<void> refuseCall(wires::ModelCall call, QString why);
    Task<void> conclude(Result<void> outcome, std::shared_ptr<const bool> abandoned);

    transcript::Entry newEntry(transcript::EntryKind kind, const QString& text = {}) const;
    transcript::Entry newCallEntry(const wires::ModelCall& call, transcript::ToolState state) const;

    LoopParts m_parts;
    const LoopOptions& m_options;
    TaskScope& m_scope;
    transcript::Agent m_agent;
    const QString m_turnId;
    int m_round = 0;
    Conversation m_conversation;
};

} // namespace cocoonbox::agent::serve::loop
