// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QString>

namespace cocoonbox::api::boxes {

// Port: the host's listeners of one box. Domain thread.
class BoxDoors {
public:
    virtual ~BoxDoors() = default;
    // Listens in `directory`, before the box starts; open doors are opened anew.
    virtual Result<void> open(const QString& boxId, const QString& ownerId, const QString& directory) = 0;
    // Nothing happens where they are not open.
    virtual void close(const QString& boxId) = 0;
};

} // namespace cocoonbox::api::boxes
