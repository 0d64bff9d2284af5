// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/machines.h"

#include <array>

namespace cocoonbox::api::machines {

namespace {

constexpr qint64 kMebi = 1024 * 1024;

const std::array<Flavor, 3>& flavors()
{
    static const std::array<Flavor, 3> all = {
        Flavor{QStringLiteral("small"), 1000, 1024 * kMebi, 256 * kMebi, 1024},
        Flavor{QStringLiteral("medium"), 2000, 2048 * kMebi, 512 * kMebi, 2048},
        Flavor{QStringLiteral("large"), 4000, 8192 * kMebi, 1024 * kMebi, 4096},
    };
    return all;
}

} // namespace

Machines::~Machines() = default;

Result<Flavor> flavorNamed(QStringView name)
{
    for (const Flavor& flavor : flavors())
        if (flavor.name == name) return flavor;
    return fail(ErrorCode::InvalidArgument,
                QStringLiteral("There is no flavor \"%1\". Use small, medium or large.").arg(name.left(32)),
                QStringLiteral("FLAVOR_UNKNOWN"));
}

QString machineStateName(MachineState state)
{
    switch (state) {
    case MachineState::Stopped: return QStringLiteral("stopped");
    case MachineState::Starting: return QStringLiteral("starting");
    case MachineState::Running: return QStringLiteral("running");
    case MachineState::Stopping: return QStringLiteral("stopping");
    case MachineState::Failed: return QStringLiteral("failed");
    case MachineState::Gone: return QStringLiteral("gone");
    }
    Q_UNREACHABLE_RETURN({});
}

} // namespace cocoonbox::api::machines
