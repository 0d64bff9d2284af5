// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"
#include "app/client/control_types.h"
#include "cocoonbox/agent/v1/agents.pb.h"
#include "cocoonbox/control/v1/boxes.pb.h"

namespace cocoonbox::tests {

control::v1::Box wireBox(const app::client::Box& box);
agent::v1::Agent wireAgent(const app::client::Agent& agent);
agent::v1::Entry wireEntry(const app::client::Entry& entry);

} // namespace cocoonbox::tests
