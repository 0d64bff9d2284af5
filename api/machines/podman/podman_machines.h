// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/box_directories.h"
#include "api/machines/incarnation.h"
#include "api/machines/known_machines.h"
#include "api/machines/podman/podman_answers.h"
#include "api/machines/podman/podman_commands.h"
#include "api/machines/podman/process_end.h"
#include "api/machines/turns.h"
#include "common/async/task_scope.h"

#include <map>
#include <QSet>

namespace cocoonbox::api::machines {

// Boxes as podman containers, by podman's command line. Only containers that carry our data directory's label are ever
// touched. A box outlives the api: `open` finds it again.
//
// Deaths are seen through a pidfd of the box's first program, which podman writes to a file at each start: at once and
// for no memory. `podman events` was measured instead: 44 MB resident, a death told 0.85 s late, and no event at all
// for a container that was removed. What happens behind our back to a machine at rest is found by the next call.
class PodmanMachines final : public Machines {
    Q_OBJECT
public:
    // Looks at the host, asks podman about itself, lists the machines. FailedPrecondition: PODMAN_MISSING,
    // RUNTIME_MISSING, ROOTLESS_UNPREPARED, DATA_DIR_UNUSABLE.
    static Task<std::unique_ptr<PodmanMachines>> open(PodmanConfig config);
    // Ends what it does in the background; the boxes stay as they are. No call may be under way.
    ~PodmanMachines() override;

    const PodmanHost& host() const { return m_commands.host(); }

    Task<Machine> claim(MachineSpec spec) override;
    Task<void> wake(QString id) override;
    Task<void> hibernate(QString id) override;
    Task<void> release(QString id) override;
    Task<QList<Machine>> list() override;
    QList<Machine> machines() const override { return m_known.all(); }
    Result<Endpoint> endpoint(const QString& id) const override;
    Task<void> deliver(QString id, Identity identity) override;
    Task<QHash<QString, QString>> meta(QString id) override;
    Task<void> setMeta(QString id, QString key, QString value) override;
    Result<QString> doorDirectory(const QString& boxId) const override;

private:
    struct Run {
        std::unique_ptr<Incarnation> incarnation;
        std::unique_ptr<ProcessEnd> end;
    };

    PodmanMachines(BoxDirectories directories, PodmanCommands commands);

    Task<Turns::Turn> turnOf(QString id);
    Task<Machine> create(MachineSpec spec);
    // Asks podman about one machine until its answer agrees with the process table, and takes the answer over.
    // The caller has the machine's turn.
    Task<void> settle(QString id);
    // Takes over what podman says of all machines whose turn is free, and of `boxInTurn`.
    Task<void> refresh(QString boxInTurn);
    Task<QList<Container>> askForAll();
    // Makes podman's answer ours. Unavailable MACHINE_UNSETTLED when it calls a machine running that has ended.
    Result<void> adopt(Container container);
    Result<void> beginRun(const Machine& machine, qint64 pid);
    Task<void> afterEnd(QString id, QString key);
    bool isAlive(const QString& id) const;
    void put(Machine machine, MachineState state, const QString& reason = {});

    BoxDirectories m_directories;
    PodmanCommands m_commands;
    KnownMachines m_known;
    std::map<QString, Run> m_runs; // by machine id
    Turns m_turns{kWaitersMax};    // by box id
    Turns m_refreshTurns{kWaitersMax};
    QSet<QString> m_goneWhileAsking; // ids released since the refresh under way began
    TaskScope m_scope;
};

} // namespace cocoonbox::api::machines
