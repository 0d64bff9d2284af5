// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_directory.h"
#include "api/users/token_check.h"

#include <string_view>

namespace cocoonbox::api::edge {

// Where a method is served, by its path alone.
enum class Destination {
    Control, // the api's own services
    Agent,   // the box's agent
    Screen,  // the edge, from the box's RFB channel
    Private, // in the box, but not for users
};

Destination destinationOf(std::string_view path);

// A call that may go to a box.
struct Admission {
    QString userId;
    boxes::Route route;
};

// Who may call what. The checks run in this order: token, service, box; so a stranger learns of no service, and a
// user of no box that is not theirs.
class Gate {
public:
    Gate(const users::TokenCheck& tokens, const boxes::BoxDirectory& boxes) : m_tokens(tokens), m_boxes(boxes) {}

    // For Agent, Screen and Private. The reasons are in edge.h.
    Result<Admission> admit(Destination destination, std::string_view authorization, std::string_view boxId) const;
    // The route anew, for a dial that is repeated: the box may have moved or woken again.
    Result<boxes::Route> routeAgain(const Admission& admission) const;

private:
    const users::TokenCheck& m_tokens;
    const boxes::BoxDirectory& m_boxes;
};

} // namespace cocoonbox::api::edge
