// SPDX-License-Identifier: AGPL-3.0-only
#include "fake_api_wire.h"

namespace cocoonbox::tests {

control::v1::Box wireBox(const app::client::Box& box)
{
    control::v1::Box out;
    out.set_box_id(box.boxId.toStdString());
    out.set_name(box.name.toStdString());
    out.set_state(static_cast<control::v1::State>(box.state));
    out.set_flavor(box.flavor.toStdString());
    out.set_image(box.image.toStdString());
    out.set_wake_id(box.wakeId.toStdString());
    out.set_operation_id(box.operationId.toStdString());
    out.set_failure(box.failure.toStdString());
    out.set_created_at_ms(box.createdAtMs);
    out.set_state_changed_at_ms(box.stateChangedAtMs);
    out.set_cpus(box.cpus);
    out.set_memory_bytes(box.memoryBytes);
    return out;
}

agent::v1::Agent wireAgent(const app::client::Agent& agent)
{
    agent::v1::Agent out;
    out.set_agent_id(agent.agentId.toStdString());
    out.set_title(agent.title.toStdString());
    out.set_state(static_cast<agent::v1::AgentState>(agent.state));
    out.set_turn_id(agent.turnId.toStdString());
    out.set_created_at_ms(agent.createdAtMs);
    out.set_changed_at_ms(agent.changedAtMs);
    return out;
}

agent::v1::Entry wireEntry(const app::client::Entry& entry)
{
    agent::v1::Entry out;
    out.set_seq(entry.seq);
    out.set_agent_id(entry.agentId.toStdString());
    out.set_turn_id(entry.turnId.toStdString());
    out.set_kind(static_cast<agent::v1::EntryKind>(entry.kind));
    out.set_text(entry.text.toStdString());
    out.set_at_ms(entry.atMs);
    if (entry.kind == app::client::EntryKind::ToolCall) {
        auto* call = out.mutable_tool_call();
        call->set_call_id(entry.toolCall.callId.toStdString());
        call->set_tool(entry.toolCall.tool.toStdString());
        call->set_summary(entry.toolCall.summary.toStdString());
        call->set_arguments_json(entry.toolCall.argumentsJson.toStdString());
        call->set_state(static_cast<agent::v1::ToolState>(entry.toolCall.state));
        call->set_output(entry.toolCall.output.toStdString());
    }
    return out;
}

} // namespace cocoonbox::tests
