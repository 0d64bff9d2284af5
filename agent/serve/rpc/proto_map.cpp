// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/rpc/proto_map.h"

namespace cocoonbox::agent::serve::rpc {

v1::Agent toProto(const transcript::Agent& agent)
{
    v1::Agent proto;
    proto.set_agent_id(agent.agentId.toStdString());
    proto.set_title(agent.title.toStdString());
    proto.set_state(static_cast<v1::AgentState>(agent.state));
    proto.set_turn_id(agent.turnId.toStdString());
    proto.set_created_at_ms(agent.createdAtMs);
    proto.set_changed_at_ms(agent.changedAtMs);
    return proto;
}

v1::Entry toProto(const transcript::Entry& entry)
{
    v1::Entry proto;
    proto.set_seq(entry.seq);
    proto.set_agent_id(entry.agentId.toStdString());
    proto.set_turn_id(entry.turnId.toStdString());
    proto.set_kind(static_cast<v1::EntryKind>(entry.kind));
    proto.set_text(entry.text.toStdString());
    proto.set_at_ms(entry.atMs);
    if (!entry.toolCall) return proto;
    v1::ToolCall* call = proto.mutable_tool_call();
    call->set_call_id(entry.toolCall->callId.toStdString());
    call->set_tool(entry.toolCall->tool.toStdString());
    call->set_summary(entry.toolCall->summary.toStdString());
    call->set_arguments_json(entry.toolCall->argumentsJson.toStdString());
    call->set_state(static_cast<v1::ToolState>(entry.toolCall->state));
    call->set_output(entry.toolCall->output.toStdString());
    call->set_started_at_ms(entry.toolCall->startedAtMs);
    call->set_ended_at_ms(entry.toolCall->endedAtMs);
    return proto;
}

v1::Baton toProto(const session::BatonState& baton)
{
    v1::Baton proto;
    proto.set_held_by(baton.heldBy.toStdString());
    proto.set_since_ms(baton.sinceMs);
    return proto;
}

namespace {

void fill(v1::Event& proto, const transcript::Event& event)
{
    proto.set_offset(event.offset);
    proto.set_at_ms(event.atMs);
    switch (event.kind) {
    case transcript::EventKind::AgentChanged: *proto.mutable_agent_changed() = toProto(event.agent); break;
    case transcript::EventKind::EntryAdded: *proto.mutable_entry_added() = toProto(event.entry); break;
    case transcript::EventKind::EntryChanged: *proto.mutable_entry_changed() = toProto(event.entry); break;
    }
}

void fill(v1::Event& proto, const session::DraftPiece& piece)
{
    v1::Draft* draft = proto.mutable_draft();
    draft->set_agent_id(piece.agentId.toStdString());
    draft->set_turn_id(piece.turnId.toStdString());
    draft->set_position(piece.position);
    draft->set_text(piece.text.toStdString());
}

void fill(v1::Event& proto, const session::BatonState& baton)
{
    *proto.mutable_baton_changed() = toProto(baton);
}

void fill(v1::Event& proto, const session::ClipboardState& clipboard)
{
    v1::ClipboardChanged* changed = proto.mutable_clipboard_changed();
    for (const session::ClipboardKind& kind : clipboard.kinds) {
        v1::ClipboardKind* out = changed->add_kinds();
        out->set_type(kind.type.toStdString());
        out->set_size_bytes(kind.sizeBytes);
    }
}

} // namespace

v1::Event toProto(const session::FeedItem& item, qint64 nowMs)
{
    v1::Event proto;
    proto.set_at_ms(nowMs);
    std::visit([&proto](const auto& it) { fill(proto, it); }, item);
    return proto;
}

Result<void> admit(session::Gate& gate, const cocoonbox::rpc::RequestContext& context)
{
    return gate.check(context.metadata.value(crypto::kCredentialHeader)).transform([](const auto&) {});
}

} // namespace cocoonbox::agent::serve::rpc
