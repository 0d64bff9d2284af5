// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/session/event_feed.h"
#include "agent/serve/session/gate.h"
#include "agent/serve/transcript/entry.h"
#include "common/rpc/request_context.h"

#include "cocoonbox/agent/v1/session.pb.h"

namespace cocoonbox::agent::serve::rpc {

v1::Agent toProto(const transcript::Agent& agent);
v1::Entry toProto(const transcript::Entry& entry);
v1::Baton toProto(const session::BatonState& baton);
v1::Event toProto(const session::FeedItem& item, qint64 nowMs);

// Whether the call may be served.
Result<void> admit(session::Gate& gate, const cocoonbox::rpc::RequestContext& context);

} // namespace cocoonbox::agent::serve::rpc
