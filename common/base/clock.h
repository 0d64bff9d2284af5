// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QDateTime>

namespace cocoonbox {

// Wall time in milliseconds since the Unix epoch, injected so that tests can set it.
class Clock {
public:
    virtual ~Clock() = default;
    virtual qint64 nowMs() const = 0;
};

class SystemClock final : public Clock {
public:
    qint64 nowMs() const override { return QDateTime::currentMSecsSinceEpoch(); }
};

} // namespace cocoonbox
