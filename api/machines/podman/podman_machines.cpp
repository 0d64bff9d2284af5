// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_machines.h"

#include <QDateTime>
#include <QFile>
#include <QLoggingCategory>

namespace cocoonbox::api::machines {

Q_LOGGING_CATEGORY(machinesLog, "cocoonbox.api.machines", QtInfoMsg)

namespace {

constexpr auto kBackgroundEndsWithin = std::chrono::seconds(5);
constexpr int kSettleTries = 10;
constexpr auto kSettleInterval = std::chrono::milliseconds(100);
const QString kEndedByItself = QStringLiteral("The box ended by itself. Wake it again; its disk is kept.");
const QString kRemovedByOthers = QStringLiteral("The machine was removed from podman by someone else.");

// Not bound to a stop token: a podman that is killed half-way leaves a machine half-made. Its deadline ends it.
Task<QByteArray> ask(process::ProcessSpec spec, QString doing)
{
    auto result = co_await process::runProcess(std::move(spec));
    if (!result) co_return std::unexpected(podmanFailure(std::move(result).error(), doing));
    CO_TRY_VOID(checkPodman(*result, doing));
    co_return std::move(result->output);
}

Result<void> checkSpec(const MachineSpec& spec)
{
    TRY_VOID(checkBoxId(spec.boxId));
    const Flavor& flavor = spec.flavor;
    if (!spec.image.isEmpty() && !flavor.name.isEmpty() && flavor.cpuMillis > 0 && flavor.memoryBytes > 0 &&
        flavor.shmBytes > 0 && flavor.pidsMax > 0)
        return {};
    return fail(ErrorCode::InvalidArgument,
                QStringLiteral("A machine needs an image and a flavor whose limits are all above zero."),
                QStringLiteral("SPEC_INVALID"));
}

qint64 readPid(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(32).trimmed().toLongLong() : 0;
}

} // namespace

Task<std::unique_ptr<PodmanMachines>> PodmanMachines::open(PodmanConfig config)
{
    CO_TRY_ASSIGN(auto directories, BoxDirectories::open(config.dataDirectory));
    if (directories.dataDirectory().contains(u':'))
        co_return fail(
            ErrorCode::FailedPrecondition,
            QStringLiteral("podman cannot mount from a data directory with a \":\" in its path. Choose another."),
            QStringLiteral("DATA_DIR_UNUSABLE"));
    CO_TRY_ASSIGN(PodmanHost host, chooseHost(readHostFacts(), config.runtime));
    CO_TRY_ASSIGN(const QByteArray about, co_await ask(PodmanCommands(config, host).information(),
                                                       QStringLiteral("Asking podman about the host")));
    CO_TRY_ASSIGN(host, completeHost(host, about));
    qCInfo(machinesLog).noquote() << "podman with" << host.runtime << "and" << host.cgroupManager
                                  << (host.isRootless ? "without root" : "as root");
    for (const QString& warning : std::as_const(host.warnings))
        qCWarning(machinesLog).noquote() << warning;
    std::unique_ptr<PodmanMachines> machines(
        new PodmanMachines(std::move(directories), PodmanCommands(std::move(config), std::move(host))));
    CO_TRY_VOID(co_await machines->refresh({}));
    co_return machines;
}

PodmanMachines::PodmanMachines(BoxDirectories directories, PodmanCommands commands)
    : m_directories(std::move(directories)), m_commands(std::move(commands))
{
}

PodmanMachines::~PodmanMachines()
{
    m_scope.drain(kBackgroundEndsWithin);
}

Task<Machine> PodmanMachines::claim(MachineSpec spec)
{
    CO_TRY_VOID(checkSpec(spec));
    CO_TRY_ASSIGN(const auto turn, co_await m_turns.take(spec.boxId));
    if (const auto existing = m_known.findByBox(spec.boxId)) co_return *existing;
    auto made = co_await create(spec);
    if (made || made.error().reason != u"MACHINE_NAME_TAKEN") co_return made;
    // An earlier claim whose answer was lost may have made it.
    CO_TRY_VOID(co_await refresh(spec.boxId));
    if (const auto existing = m_known.findByBox(spec.boxId)) co_return *existing;
    co_return made;
}

Task<Machine> PodmanMachines::create(MachineSpec spec)
{
    CO_TRY_VOID(m_directories.prepare(spec.boxId));
    CO_TRY_ASSIGN(const QByteArray output,
                  co_await ask(m_commands.create(spec, m_directories), QStringLiteral("Creating the box")));
    const QString id = QString::fromLatin1(output.trimmed());
    if (!isContainerId(id))
        co_return fail(ErrorCode::Internal, QStringLiteral("podman did not tell the id of the machine it made."),
                       QStringLiteral("PODMAN_UNREADABLE"));
    const Machine machine{.id = id,
                          .boxId = spec.boxId,
                          .image = spec.image,
                          .flavor = spec.flavor.name,
                          .state = MachineState::Stopped,
                          .reason = {},
                          .createdAtMs = QDateTime::currentMSecsSinceEpoch()};
    put(machine, MachineState::Stopped);
    co_return machine;
}

Task<void> PodmanMachines::wake(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    if (isAlive(id)) co_return {};
    m_runs.erase(id);
    put(machine, MachineState::Starting);
    const QString pidPath = pidFile(m_directories, machine.boxId);
    QFile::remove(pidPath);
    const auto started = co_await ask(m_commands.start(id), QStringLiteral("Starting the box"));
    // No new file: it ran already, started by someone else. `settle` asks podman for the process.
    if (started && beginRun(machine, readPid(pidPath))) co_return {};
    CO_TRY_VOID(co_await settle(id));
    if (!started) co_return std::unexpected(started.error());
    if (isAlive(id)) co_return {};
    CO_TRY_ASSIGN(const Machine ended, m_known.get(id));
    co_return fail(ErrorCode::Unavailable, QStringLiteral("Starting the box: %1").arg(ended.reason),
                   QStringLiteral("MACHINE_DIED"));
}

Task<void> PodmanMachines::hibernate(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    if (machine.state != MachineState::Running) co_return {};
    put(machine, MachineState::Stopping);
    const auto stopped = co_await ask(m_commands.stop(id), QStringLiteral("Stopping the box"));
    if (!stopped) {
        CO_TRY_VOID(co_await settle(id));
        co_return std::unexpected(stopped.error());
    }
    m_runs.erase(id);
    put(machine, MachineState::Stopped);
    co_return {};
}

Task<void> PodmanMachines::release(QString id)
{
    if (!m_known.find(id)) co_return {};
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    const auto machine = m_known.find(id);
    if (!machine) co_return {};
    const QString doing = QStringLiteral("Removing the box");
    CO_TRY_VOID(co_await ask(m_commands.remove(id), doing));
    CO_TRY_VOID(co_await ask(m_commands.deleteTree(m_directories.box(machine->boxId)), doing));
    put(*machine, MachineState::Gone, QStringLiteral("The box was deleted."));
    co_return {};
}

Task<QList<Machine>> PodmanMachines::list()
{
    CO_TRY_VOID(co_await refresh({}));
    co_return m_known.all();
}

Result<Endpoint> PodmanMachines::endpoint(const QString& id) const
{
    TRY_ASSIGN(const Machine machine, m_known.get(id));
    const auto run = m_runs.find(id);
    if (machine.state == MachineState::Running && run != m_runs.end() && !run->second.incarnation->hasEnded())
        return run->second.incarnation->endpoint();
    return notRunning(machine);
}

Task<void> PodmanMachines::deliver(QString id, Identity identity)
{
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    CO_TRY_VOID(checkIdentity(identity, machine.boxId));
    co_return m_directories.writeIdentity(identity);
}

Task<QHash<QString, QString>> PodmanMachines::meta(QString id)
{
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    co_return m_directories.meta(machine.boxId);
}

Task<void> PodmanMachines::setMeta(QString id, QString key, QString value)
{
    CO_TRY_ASSIGN(const auto turn, co_await turnOf(id));
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    co_return m_directories.setMeta(machine.boxId, key, value);
}

Result<QString> PodmanMachines::doorDirectory(const QString& boxId) const
{
    TRY_VOID(m_known.getByBox(boxId));
    return m_directories.door(boxId);
}

Task<Turns::Turn> PodmanMachines::turnOf(QString id)
{
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    co_return co_await m_turns.take(machine.boxId);
}

Task<void> PodmanMachines::settle(QString id)
{
    for (int tries = 0; tries < kSettleTries; ++tries) {
        CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
        const auto lines = co_await ask(m_commands.inspect({id}), QStringLiteral("Looking at the box"));
        if (!lines && lines.error().reason == u"MACHINE_UNKNOWN") {
            put(machine, MachineState::Gone, kRemovedByOthers);
            co_return std::unexpected(lines.error());
        }
        if (!lines) {
            // Nothing is known now; `wake` tries anew, whatever it finds.
            m_runs.erase(id);
            put(machine, MachineState::Failed, lines.error().message);
            co_return std::unexpected(lines.error());
        }
        CO_TRY_ASSIGN(const QList<Container> containers, readContainers(*lines));
        if (!containers.isEmpty() && adopt(containers.first())) co_return {};
        CO_TRY_VOID(co_await sleepFor(kSettleInterval, m_scope.stopToken()));
    }
    CO_TRY_ASSIGN(const Machine machine, m_known.get(id));
    m_runs.erase(id);
    put(machine, MachineState::Failed, kEndedByItself);
    co_return {};
}

Task<QList<Container>> PodmanMachines::askForAll()
{
    const QString doing = QStringLiteral("Listing the boxes");
    CO_TRY_ASSIGN(const QByteArray output, co_await ask(m_commands.list(m_directories.dataDirectory()), doing));
    const QStringList ids = QString::fromLatin1(output).split(u'\n', Qt::SkipEmptyParts);
    if (ids.isEmpty()) co_return QList<Container>{};
    auto result = co_await process::runProcess(m_commands.inspect(ids));
    if (!result) co_return std::unexpected(podmanFailure(std::move(result).error(), doing));
    // One that was removed between the two questions is no failure: podman still tells of the others.
    const auto checked = checkPodman(*result, doing);
    if (!checked && checked.error().reason != u"MACHINE_UNKNOWN") co_return std::unexpected(checked.error());
    co_return readContainers(result->output);
}

Task<void> PodmanMachines::refresh(QString boxInTurn)
{
    CO_TRY_ASSIGN(const auto turn, co_await m_refreshTurns.take({}));
    m_goneWhileAsking.clear();
    QHash<QString, quint64> before; // the machines at rest and their revision; the answer holds for no other
    const auto isFree = [&](const QString& boxId) { return boxId == boxInTurn || !m_turns.isTaken(boxId); };
    for (const Machine& machine : m_known.all())
        if (isFree(machine.boxId)) before.insert(machine.id, m_known.revision(machine.id));
    CO_TRY_ASSIGN(const QList<Container> containers, co_await askForAll());
    for (const Container& container : containers) {
        const Machine& machine = container.machine;
        const quint64 revision = m_known.revision(machine.id);
        const bool isCurrent =
            revision == before.take(machine.id) && isFree(machine.boxId) && !m_goneWhileAsking.contains(machine.id);
        if (!isCurrent || adopt(container)) continue;
        // podman has not noticed yet that it ended.
        put(machine, MachineState::Failed, kEndedByItself);
        m_scope.spawn(afterEnd(machine.id, {}), QStringLiteral("settle a machine"));
    }
    for (const auto& [id, revision] : std::as_const(before).asKeyValueRange()) {
        const auto machine = m_known.find(id);
        if (machine && m_known.revision(id) == revision && isFree(machine->boxId))
            put(*machine, MachineState::Gone, kRemovedByOthers);
    }
    co_return {};
}

Result<void> PodmanMachines::adopt(Container container)
{
    Machine& machine = container.machine;
    if (const auto known = m_known.find(machine.id)) {
        // podman rounds and renames these; what we said first holds.
        machine.createdAtMs = known->createdAtMs;
        machine.image = known->image;
    }
    if (machine.state != MachineState::Running) {
        m_runs.erase(machine.id);
        put(machine, machine.state, machine.reason);
        return {};
    }
    if (isAlive(machine.id)) {
        put(machine, MachineState::Running);
        return {};
    }
    return beginRun(machine, container.pid);
}

Result<void> PodmanMachines::beginRun(const Machine& machine, qint64 pid)
{
    TRY_ASSIGN(auto incarnation, Incarnation::open(m_directories, machine.boxId));
    const QString key = incarnation->endpoint().key;
    TRY_ASSIGN(auto end, ProcessEnd::watch(pid, [this, id = machine.id, key] {
                   if (const auto run = m_runs.find(id); run != m_runs.end()) run->second.incarnation->end();
                   m_scope.spawn(afterEnd(id, key), QStringLiteral("settle a machine that ended"));
               }));
    if (end->hasHappened())
        return fail(ErrorCode::Unavailable, QStringLiteral("The machine has ended already."),
                    QStringLiteral("MACHINE_UNSETTLED"));
    m_runs[machine.id] = Run{std::move(incarnation), std::move(end)};
    put(machine, MachineState::Running);
    return {};
}

// `key` is the run that ended; empty when podman called it running and it was not.
Task<void> PodmanMachines::afterEnd(QString id, QString key)
{
    const auto known = m_known.find(id);
    if (!known) co_return {};
    CO_TRY_ASSIGN(const auto turn, co_await m_turns.take(known->boxId));
    const auto run = m_runs.find(id);
    const QString current = run == m_runs.end() ? QString() : run->second.incarnation->endpoint().key;
    if (!m_known.find(id) || current != key) co_return {};
    const auto settled = co_await settle(id);
    if (!settled && settled.error().reason != u"MACHINE_UNKNOWN") co_return std::unexpected(settled.error());
    if (const auto machine = m_known.find(id); machine && machine->state == MachineState::Failed)
        qCWarning(machinesLog).noquote() << "box" << machine->boxId << "-" << machine->reason;
    co_return {};
}

bool PodmanMachines::isAlive(const QString& id) const
{
    const auto run = m_runs.find(id);
    return run != m_runs.end() && !run->second.end->hasHappened();
}

void PodmanMachines::put(Machine machine, MachineState state, const QString& reason)
{
    machine.state = state;
    machine.reason = reason;
    if (state == MachineState::Gone) {
        m_runs.erase(machine.id);
        if (m_refreshTurns.isTaken({})) m_goneWhileAsking.insert(machine.id);
    }
    if (m_known.put(machine)) emit changed(machine);
}

} // namespace cocoonbox::api::machines
