// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"
#include "common/base/clock.h"
#include "common/crypto/ed25519.h"

#include <memory>
#include <stop_token>

namespace cocoonbox::api::boxes {

// Port: whether the agent of an incarnation answers and is the one we expect.
class AgentProbe {
public:
    virtual ~AgentProbe() = default;
    // One try, at most 3 s. Unavailable where nothing answers yet; any other failure is the agent's own refusal.
    // FailedPrecondition: AGENT_MISMATCH, another box or wake answered.
    virtual Task<void> hello(machines::Endpoint endpoint, QString boxId, QString wakeId, std::stop_token stop) = 0;
};

// Session.Hello over the machine's agent channel, with a credential of the edge.
std::unique_ptr<AgentProbe> makeAgentProbe(crypto::KeyPair key, const Clock& clock);

} // namespace cocoonbox::api::boxes
