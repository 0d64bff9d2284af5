// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/known_machines.h"

#include <algorithm>
#include <tuple>

namespace cocoonbox::api::machines {

QList<Machine> KnownMachines::all() const
{
    QList<Machine> machines;
    for (const auto& [id, entry] : m_entries)
        machines.append(entry.machine);
    std::ranges::sort(machines, {}, [](const Machine& m) { return std::tie(m.createdAtMs, m.boxId); });
    return machines;
}

std::optional<Machine> KnownMachines::find(const QString& id) const
{
    const auto found = m_entries.find(id);
    return found == m_entries.end() ? std::nullopt : std::optional(found->second.machine);
}

std::optional<Machine> KnownMachines::findByBox(const QString& boxId) const
{
    for (const auto& [id, entry] : m_entries)
        if (entry.machine.boxId == boxId) return entry.machine;
    return std::nullopt;
}

Result<Machine> KnownMachines::get(const QString& id) const
{
    if (auto machine = find(id)) return *machine;
    return fail(ErrorCode::NotFound,
                QStringLiteral("The box has no machine of that id: it was removed. Ensure the box again."),
                QStringLiteral("MACHINE_UNKNOWN"));
}

Result<Machine> KnownMachines::getByBox(const QString& boxId) const
{
    if (auto machine = findByBox(boxId)) return *machine;
    return fail(ErrorCode::NotFound, QStringLiteral("The box has no machine. Ensure the box again."),
                QStringLiteral("MACHINE_UNKNOWN"));
}

bool KnownMachines::put(const Machine& machine)
{
    const auto found = m_entries.find(machine.id);
    if (machine.state == MachineState::Gone) {
        if (found == m_entries.end()) return false;
        m_entries.erase(found);
        return true;
    }
    if (found != m_entries.end() && found->second.machine == machine) return false;
    m_entries[machine.id] = Entry{machine, ++m_lastRevision};
    return true;
}

quint64 KnownMachines::revision(const QString& id) const
{
    const auto found = m_entries.find(id);
    return found == m_entries.end() ? 0 : found->second.revision;
}

std::unexpected<Error> notRunning(const Machine& machine)
{
    return fail(ErrorCode::FailedPrecondition,
                QStringLiteral("The box is %1, not running. Wake it first.").arg(machineStateName(machine.state)),
                QStringLiteral("MACHINE_NOT_RUNNING"));
}

} // namespace cocoonbox::api::machines
