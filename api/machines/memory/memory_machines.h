// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/box_directories.h"
#include "api/machines/incarnation.h"
#include "api/machines/known_machines.h"
#include "api/machines/turns.h"

#include <map>

namespace cocoonbox::api::machines {

// Machines that run nothing: for tests of what stands above. The channel directories are real ones, so a test plays the
// box by listening at `channelDirectory(boxId, Channel::Agent) + "/agent.sock"` (or Screen, "rfb.sock"). It passes the
// same conformance suite as podman.
class MemoryMachines final : public Machines {
    Q_OBJECT
public:
    enum class Call { Claim, Wake, Hibernate, Release, List, Deliver, Meta, SetMeta };

    // `dataDirectory` is the test's own temporary directory.
    static Result<std::unique_ptr<MemoryMachines>> create(const QString& dataDirectory);

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

    // The next call of that kind ends with `error` and changes nothing. Several queue up.
    void failNext(Call call, Error error);
    // How long each call takes from now on; 0 at first. Even then no call ends before the event loop ran.
    void setLatency(std::chrono::milliseconds latency) { m_latency = latency; }
    // The running machine ends by itself, as a crash would.
    void die(const QString& id, const QString& reason);
    // The machine is gone without anyone having asked for it.
    void vanish(const QString& id);
    QString channelDirectory(const QString& boxId, Channel channel) const
    {
        return m_directories.channel(boxId, channel);
    }
    QString identityFile(const QString& boxId) const
    {
        return m_directories.identity(boxId) + QStringLiteral("/identity");
    }
    // The machine's disk; it lives until the release.
    QHash<QString, QByteArray>& disk(const QString& id) { return m_disks[id]; }

private:
    explicit MemoryMachines(BoxDirectories directories);

    // The machine's turn, once the latency has passed and no failure was asked for.
    Task<Turns::Turn> begin(QString id, Call call);
    Task<void> pass(Call call);
    void put(Machine machine, MachineState state, const QString& reason = {});

    BoxDirectories m_directories;
    KnownMachines m_known;
    Turns m_turns{kWaitersMax};
    std::map<QString, std::unique_ptr<Incarnation>> m_incarnations; // by machine id, of the running ones
    QHash<QString, QHash<QString, QByteArray>> m_disks;
    QHash<Call, QList<Error>> m_failures;
    std::chrono::milliseconds m_latency{0};
};

} // namespace cocoonbox::api::machines
