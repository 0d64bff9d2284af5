// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/memory/memory_machines.h"

#include "common/base/ids.h"

#include <QDateTime>
#include <QDir>

namespace cocoonbox::api::machines {

Result<std::unique_ptr<MemoryMachines>> MemoryMachines::create(const QString& dataDirectory)
{
    TRY_ASSIGN(auto directories, BoxDirectories::open(dataDirectory));
    return std::unique_ptr<MemoryMachines>(new MemoryMachines(std::move(directories)));
}

MemoryMachines::MemoryMachines(BoxDirectories directories) : m_directories(std::move(directories)) {}

Task<Machine> MemoryMachines::claim(MachineSpec spec)
{
    CO_TRY_VOID(checkBoxId(spec.boxId));
    CO_TRY_ASSIGN(const auto turn, co_await m_turns.take(spec.boxId));
    CO_TRY_VOID(co_await pass(Call::Claim));
    if (auto existing = m_known.findByBox(spec.boxId)) co_return *existing;
    CO_TRY_VOID(m_directories.prepare(spec.boxId));
    const Machine machine{.id = newId(u"mem_"),
                          .boxId = spec.boxId,
                          .image = spec.image,
                          .flavor = spec.flavor.name,
                          .state = MachineState::Stopped,
                          .reason = {},
                          .createdAtMs = QDateTime::currentMSecsSinceEpoch()};
    put(machine, MachineState::Stopped);
    co_return machine;
}

Task<void> MemoryMachines::wake(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await begin(id, Call::Wake));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    if (machine.state == MachineState::Running) co_return {};
    put(machine, MachineState::Starting);
    CO_TRY_VOID(co_await sleepFor(m_latency));
    auto incarnation = Incarnation::open(m_directories, machine.boxId);
    if (!incarnation) {
        put(machine, machine.state, machine.reason);
        co_return std::unexpected(std::move(incarnation).error());
    }
    m_incarnations[id] = *std::move(incarnation);
    put(machine, MachineState::Running);
    co_return {};
}

Task<void> MemoryMachines::hibernate(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await begin(id, Call::Hibernate));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    if (machine.state != MachineState::Running) co_return {};
    put(machine, MachineState::Stopping);
    CO_TRY_VOID(co_await sleepFor(m_latency));
    m_incarnations.erase(id);
    put(machine, MachineState::Stopped);
    co_return {};
}

Task<void> MemoryMachines::release(QString id)
{
    const auto machine = m_known.find(id);
    if (!machine) co_return {};
    CO_TRY_ASSIGN(const auto turn, co_await m_turns.take(machine->boxId));
    CO_TRY_VOID(co_await pass(Call::Release));
    vanish(id);
    QDir(m_directories.box(machine->boxId)).removeRecursively();
    co_return {};
}

Task<QList<Machine>> MemoryMachines::list()
{
    CO_TRY_VOID(co_await pass(Call::List));
    co_return m_known.all();
}

Result<Endpoint> MemoryMachines::endpoint(const QString& id) const
{
    TRY_ASSIGN(const Machine machine, m_known.get(id));
    const auto incarnation = m_incarnations.find(id);
    if (machine.state == MachineState::Running && incarnation != m_incarnations.end())
        return incarnation->second->endpoint();
    return notRunning(machine);
}

Task<void> MemoryMachines::deliver(QString id, Identity identity)
{
    CO_TRY_ASSIGN(const auto turn, co_await begin(id, Call::Deliver));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    CO_TRY_VOID(checkIdentity(identity, machine.boxId));
    co_return m_directories.writeIdentity(identity);
}

Task<QHash<QString, QString>> MemoryMachines::meta(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await begin(id, Call::Meta));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    co_return m_directories.meta(machine.boxId);
}

Task<void> MemoryMachines::setMeta(QString id, QString key, QString value)
{
    CO_TRY_ASSIGN(const auto turn, co_await begin(id, Call::SetMeta));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    co_return m_directories.setMeta(machine.boxId, key, value);
}

Result<QString> MemoryMachines::doorDirectory(const QString& boxId) const
{
    TRY_VOID(m_known.getByBox(boxId));
    return m_directories.door(boxId);
}

void MemoryMachines::failNext(Call call, Error error)
{
    m_failures[call].append(std::move(error));
}

void MemoryMachines::die(const QString& id, const QString& reason)
{
    const auto machine = m_known.find(id);
    if (!machine || m_incarnations.erase(id) == 0) return;
    put(*machine, MachineState::Failed, reason);
}

void MemoryMachines::vanish(const QString& id)
{
    const auto machine = m_known.find(id);
    if (!machine) return;
    m_incarnations.erase(id);
    m_disks.remove(id);
    put(*machine, MachineState::Gone, QStringLiteral("The machine was removed."));
}

Task<Turns::Turn> MemoryMachines::begin(QString id, Call call)
{
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    CO_TRY_ASSIGN(auto turn, co_await m_turns.take(machine.boxId));
    CO_TRY_VOID(co_await pass(call));
    co_return turn;
}

Task<void> MemoryMachines::pass(Call call)
{
    CO_TRY_VOID(co_await sleepFor(m_latency));
    if (m_failures[call].isEmpty()) co_return {};
    co_return std::unexpected(m_failures[call].takeFirst());
}

void MemoryMachines::put(Machine machine, MachineState state, const QString& reason)
{
    machine.state = state;
    machine.reason = reason;
    if (m_known.put(machine)) emit changed(machine);
}

} // namespace cocoonbox::api::machines
