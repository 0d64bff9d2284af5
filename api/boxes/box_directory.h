// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"
#include "common/base/result.h"

#include <QString>

namespace cocoonbox::api::boxes {

// Where a running box is reached. `wakeId` is part of the edge's credential; a route is stale once it has changed.
struct Route {
    QString boxId;
    QString wakeId;
    QString ownerId;
    machines::Endpoint endpoint;
};

// Port for the edge: from a caller and a box id to a route. Memory only, callable from any thread.
class BoxDirectory {
public:
    virtual ~BoxDirectory() = default;
    // NotFound: BOX_UNKNOWN (also another user's box). Unavailable: BOX_STARTING. FailedPrecondition: BOX_ASLEEP,
    // BOX_FAILED, BOX_DELETING.
    virtual Result<Route> route(QStringView userId, QStringView boxId) const = 0;
};

} // namespace cocoonbox::api::boxes
