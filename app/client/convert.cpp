// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/convert.h"

#include "cocoonbox/agent/v1/agents.pb.h"
#include "cocoonbox/agent/v1/exec.pb.h"
#include "cocoonbox/agent/v1/files.pb.h"
#include "cocoonbox/agent/v1/session.pb.h"
#include "cocoonbox/control/v1/boxes.pb.h"
#include "cocoonbox/control/v1/users.pb.h"

#include <array>

namespace cocoonbox::app::client {

namespace {

// The enums of the two sides have the same order; a number beyond ours is Unknown.
template <class Enum>
Enum enumOf(int wire, Enum last)
{
    return wire >= 0 && wire <= static_cast<int>(last) ? static_cast<Enum>(wire) : static_cast<Enum>(0);
}
static_assert(control::v1::STATE_DELETING == static_cast<int>(BoxState::Deleting));
static_assert(control::v1::PHASE_FAILED == static_cast<int>(Phase::Failed));
static_assert(agent::v1::AGENT_STATE_WAITING_FOR_SCREEN == static_cast<int>(AgentState::WaitingForScreen));
static_assert(agent::v1::ENTRY_KIND_HAND_BACK == static_cast<int>(EntryKind::HandBack));
static_assert(agent::v1::FILE_KIND_OTHER == static_cast<int>(FileKind::Other));
static_assert(agent::v1::TOOL_STATE_CANCELLED == static_cast<int>(ToolState::Cancelled));

template <size_t N, class Enum>
QString nameIn(const std::array<const char*, N>& names, Enum value)
{
    return QString::fromLatin1(names.at(static_cast<size_t>(value)));
}

} // namespace

QString boxStateName(BoxState state)
{
    static constexpr std::array kNames = {"unknown",    "starting", "running", "hibernating",
                                          "hibernated", "failed",   "deleting"};
    return nameIn(kNames, state);
}

QString phaseName(Phase phase)
{
    static constexpr std::array kNames = {"unknown",  "creating",    "waking", "connecting",
                                          "stopping", "cleaning-up", "done",   "failed"};
    return nameIn(kNames, phase);
}

QString agentStateName(AgentState state)
{
    static constexpr std::array kNames = {"unknown", "idle", "working", "waiting-for-user", "waiting-for-screen"};
    return nameIn(kNames, state);
}

QString fileKindName(FileKind kind)
{
    static constexpr std::array kNames = {"unknown", "regular", "folder", "link", "other"};
    return nameIn(kNames, kind);
}

QString entryKindName(EntryKind kind)
{
    static constexpr std::array kNames = {"unknown", "prompt", "reply", "tool-call", "notice", "error", "hand-back"};
    return nameIn(kNames, kind);
}

QString toolStateName(ToolState state)
{
    static constexpr std::array kNames = {"unknown", "running", "waiting", "done", "failed", "cancelled"};
    return nameIn(kNames, state);
}

User fromWire(const control::v1::User& user)
{
    return {fromWire(user.user_id()), fromWire(user.name()), user.created_at_ms()};
}

Box fromWire(const control::v1::Box& box)
{
    return {.boxId = fromWire(box.box_id()),
            .name = fromWire(box.name()),
            .state = enumOf(box.state(), BoxState::Deleting),
            .flavor = fromWire(box.flavor()),
            .image = fromWire(box.image()),
            .imageUpdateAvailable = box.image_update_available(),
            .wakeId = fromWire(box.wake_id()),
            .operationId = fromWire(box.operation_id()),
            .failure = fromWire(box.failure()),
            .createdAtMs = box.created_at_ms(),
            .stateChangedAtMs = box.state_changed_at_ms(),
            .wokenAtMs = box.woken_at_ms(),
            .cpus = box.cpus(),
            .memoryBytes = box.memory_bytes()};
}

QList<Box> fromWire(const control::v1::BoxList& list)
{
    QList<Box> boxes;
    boxes.reserve(list.boxes_size());
    for (const auto& box : list.boxes())
        boxes.append(fromWire(box));
    return boxes;
}

Operation fromWire(const control::v1::Operation& operation)
{
    return {fromWire(operation.operation_id()), fromWire(operation.box_id())};
}

OperationEvent fromWire(const control::v1::OperationEvent& event)
{
    return {.operationId = fromWire(event.operation_id()),
            .phase = enumOf(event.phase(), Phase::Failed),
            .detail = fromWire(event.detail()),
            .offsetKey = fromWire(event.offset_key()),
            .atMs = event.at_ms()};
}

Agent fromWire(const agent::v1::Agent& agent)
{
    return {.agentId = fromWire(agent.agent_id()),
            .title = fromWire(agent.title()),
            .state = enumOf(agent.state(), AgentState::WaitingForScreen),
            .turnId = fromWire(agent.turn_id()),
            .createdAtMs = agent.created_at_ms(),
            .changedAtMs = agent.changed_at_ms()};
}

Entry fromWire(const agent::v1::Entry& entry)
{
    Entry out{.seq = entry.seq(),
              .agentId = fromWire(entry.agent_id()),
              .turnId = fromWire(entry.turn_id()),
              .kind = enumOf(entry.kind(), EntryKind::HandBack),
              .text = fromWire(entry.text()),
              .toolCall = {},
              .atMs = entry.at_ms()};
    if (entry.has_tool_call()) {
        const agent::v1::ToolCall& call = entry.tool_call();
        out.toolCall = {.callId = fromWire(call.call_id()),
                        .tool = fromWire(call.tool()),
                        .summary = fromWire(call.summary()),
                        .argumentsJson = fromWire(call.arguments_json()),
                        .state = enumOf(call.state(), ToolState::Cancelled),
                        .output = fromWire(call.output()),
                        .startedAtMs = call.started_at_ms(),
                        .endedAtMs = call.ended_at_ms()};
    }
    return out;
}

Baton fromWire(const agent::v1::Baton& baton)
{
    return {fromWire(baton.held_by()), baton.since_ms()};
}

Hello fromWire(const agent::v1::HelloResponse& hello)
{
    Hello out{.boxId = fromWire(hello.box_id()),
              .wakeId = fromWire(hello.wake_id()),
              .agentVersion = fromWire(hello.agent_version()),
              .capabilities = {},
              .toolhostReady = hello.toolhost_ready(),
              .startedAtMs = hello.started_at_ms(),
              .lastOffset = hello.last_offset()};
    for (const std::string& capability : hello.capabilities())
        out.capabilities.append(fromWire(capability));
    return out;
}

SendAccepted fromWire(const agent::v1::SendAccepted& accepted)
{
    return {fromWire(accepted.turn_id()), accepted.seq()};
}

agent::v1::ExecStart toWire(const ExecStart& start)
{
    agent::v1::ExecStart out;
    for (const QString& word : start.argv)
        out.add_argv(word.toStdString());
    out.set_cwd(start.cwd.toStdString());
    for (auto it = start.environment.cbegin(); it != start.environment.cend(); ++it)
        (*out.mutable_env())[it.key().toStdString()] = it.value().toStdString();
    out.set_tty(start.tty);
    out.set_login_shell(start.loginShell);
    out.mutable_window()->set_rows(start.rows);
    out.mutable_window()->set_columns(start.columns);
    return out;
}

QList<ClipboardKind> fromWire(const agent::v1::ClipboardChanged& changed)
{
    QList<ClipboardKind> kinds;
    for (const auto& kind : changed.kinds())
        if (kinds.size() < 8) kinds.append({fromWire(kind.type()), kind.size_bytes()});
    return kinds;
}

FileEntry fromWire(const agent::v1::FileEntry& entry)
{
    return {.name = fromWire(entry.name()),
            .path = fromWire(entry.path()),
            .kind = enumOf(entry.kind(), FileKind::Other),
            .sizeBytes = entry.size_bytes(),
            .modifiedAtMs = entry.modified_at_ms()};
}

FileList fromWire(const agent::v1::FileList& list)
{
    FileList out{fromWire(list.path()), {}, list.truncated()};
    for (const auto& entry : list.entries())
        out.entries.append(fromWire(entry));
    return out;
}

} // namespace cocoonbox::app::client
