// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/shell/shell_session.h"
#include "agent/toolhost/tool.h"

#include <deque>
#include <map>
#include <memory>

namespace cocoonbox::agent::toolhost::shell {

inline constexpr int kSessionsMax = 32; // of all agents
inline constexpr int kSessionsOfAgentMax = 8;
inline constexpr int kWaitingMax = 8; // calls that wait for one session
inline constexpr int kTimeoutSecondsDefault = 120;
inline constexpr int kTimeoutSecondsMax = 600;

// Each agent's named sessions. Calls for one session take turns.
class ShellTool final : public Tool {
public:
    explicit ShellTool(ShellOptions options) : m_options(std::move(options)) {}
    QCoro::Task<ToolResult> run(ToolCall call) override;

private:
    struct Slot {
        std::unique_ptr<ShellSession> session;
        std::deque<Promise<bool>> waiting;
        bool isTaken = false;
    };
    using Key = std::pair<QString, QString>; // agent, session

    Result<std::shared_ptr<Slot>> slotOf(const Key& key);
    Task<void> takeTurn(std::shared_ptr<Slot> slot);
    static void endTurn(Slot& slot);
    QCoro::Task<ToolResult> runIn(std::shared_ptr<Slot> slot, QString command, ToolCall call,
                                  std::chrono::milliseconds timeout);
    void dropEnded();

    ShellOptions m_options;
    std::map<Key, std::shared_ptr<Slot>> m_slots;
};

} // namespace cocoonbox::agent::toolhost::shell
