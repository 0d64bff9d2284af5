// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/agent_probe.h"
#include "api/boxes/box.h"
#include "api/boxes/box_doors.h"

namespace cocoonbox::api::boxes {

// What an operation tells while it works. Each call ends once it is stored.
class Journal {
public:
    virtual ~Journal() = default;
    virtual Task<void> phase(Phase phase, QString detail) = 0;
    // The machine and wake that are about to start.
    virtual Task<void> machine(QString machineId, QString image, QString wakeId) = 0;
};

// The work of the operations, over the machines and the agent; it knows no state and no store. Every step of a machine
// ends within its own deadline (machines::kCallDeadline), the agent has BoxSettings::agentReadyLimit. A stop takes
// effect between steps. Domain thread.
class BoxDriver final {
public:
    BoxDriver(machines::Machines& machines, AgentProbe& probe, BoxDoors& doors, const BoxSettings& settings)
        : m_machines(machines), m_probe(probe), m_doors(doors), m_settings(settings)
    {
    }

    // Claims, wakes and waits for the agent. A machine that runs already is stopped first: a new wake has a new id. On
    // a failure the machine is stopped again, its disk kept.
    Task<machines::Endpoint> start(Box box, std::shared_ptr<Journal> journal, std::stop_token stop);
    // Waits for the agent of a machine that runs, under the wake id that it has.
    Task<machines::Endpoint> adopt(Box box, std::shared_ptr<Journal> journal, std::stop_token stop);
    Task<void> stop(Box box, std::shared_ptr<Journal> journal);
    Task<void> remove(Box box, std::shared_ptr<Journal> journal);

private:
    Task<machines::Endpoint> tryStart(Box box, std::shared_ptr<Journal> journal, std::stop_token stop);
    Task<machines::Machine> claim(Box box, std::shared_ptr<Journal> journal);
    Task<machines::Endpoint> connect(QString machineId, QString boxId, QString wakeId, std::stop_token stop);
    Result<void> openDoors(const Box& box);
    // The endpoint, or why the machine that should run does not.
    Result<machines::Endpoint> endpointOf(const QString& machineId) const;

    machines::Machines& m_machines;
    AgentProbe& m_probe;
    BoxDoors& m_doors;
    const BoxSettings& m_settings;
};

} // namespace cocoonbox::api::boxes
