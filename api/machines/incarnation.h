// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"

#include <memory>

namespace cocoonbox::api::machines {

class BoxDirectories;

// One run of a machine that is reached through unix sockets in its channel directories. Its endpoints may outlive it:
// they answer ENDPOINT_STALE from `end`, or its destruction, on.
class Incarnation final {
public:
    // Opens the box's channel directories once; later swaps of a path do not matter.
    static Result<std::unique_ptr<Incarnation>> open(const BoxDirectories& directories, const QString& boxId);
    ~Incarnation();
    Incarnation(const Incarnation&) = delete;

    const Endpoint& endpoint() const { return m_endpoint; }
    void end();
    bool hasEnded() const;

private:
    struct State;
    explicit Incarnation(std::shared_ptr<State> state);

    std::shared_ptr<State> m_state;
    Endpoint m_endpoint;
};

} // namespace cocoonbox::api::machines
