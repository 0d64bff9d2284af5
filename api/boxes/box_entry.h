// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_service.h"

// Private to the service's own files.
namespace cocoonbox::api::boxes {

// A box in memory, with what is not stored.
struct BoxService::Entry {
    Box box;
    machines::Endpoint endpoint;            // while Running
    std::stop_source stop;                  // of the operation at work
    std::optional<Promise<bool>> workEnded; // of the newest operation
    bool isOperationOpen = false;           // the stored operation was cut by a restart of the api: go on with it
    qint64 restartedAtMs = 0;
};

// A box as the edge's threads see it.
struct BoxService::Known {
    BoxState state = BoxState::Starting;
    Route route;
};

} // namespace cocoonbox::api::boxes
