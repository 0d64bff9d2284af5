// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/box_driver.h"

#include "common/async/wait.h"
#include "common/base/ids.h"

#include <QElapsedTimer>

namespace cocoonbox::api::boxes {

using machines::Endpoint;
using machines::Machine;
using machines::MachineState;

namespace {

constexpr auto kProbeInterval = std::chrono::milliseconds(50);

bool isRunning(MachineState state)
{
    return state == MachineState::Running || state == MachineState::Starting;
}

Result<void> checkStop(const std::stop_token& stop)
{
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    return {};
}

bool mayAnswerLater(ErrorCode code)
{
    return code == ErrorCode::Unavailable || code == ErrorCode::DeadlineExceeded;
}

} // namespace

Task<Endpoint> BoxDriver::start(Box box, std::shared_ptr<Journal> journal, std::stop_token stop)
{
    Result<Endpoint> started = co_await tryStart(box, std::move(journal), stop);
    if (started || started.error().code == ErrorCode::Cancelled) co_return started;
    m_doors.close(box.boxId);
    for (const Machine& machine : m_machines.machines()) {
        if (machine.boxId != box.boxId || !isRunning(machine.state)) continue;
        // The start's own failure is what is told; a machine that does not even stop is met by the next Ensure.
        static_cast<void>(co_await m_machines.hibernate(machine.id));
        break;
    }
    co_return started;
}

Task<Endpoint> BoxDriver::tryStart(Box box, std::shared_ptr<Journal> journal, std::stop_token stop)
{
    CO_TRY_ASSIGN(const Machine machine, co_await claim(box, journal));
    CO_TRY_VOID(checkStop(stop));
    if (isRunning(machine.state)) {
        CO_TRY_VOID(co_await m_machines.hibernate(machine.id));
    }
    CO_TRY_VOID(co_await journal->phase(Phase::Waking, QStringLiteral("Starting the computer.")));
    const QString wakeId = randomHex128();
    CO_TRY_VOID(co_await journal->machine(machine.id, machine.image, wakeId));
    CO_TRY_VOID(co_await m_machines.deliver(
        machine.id, {box.boxId, wakeId, m_settings.keyId, m_settings.publicKey, m_settings.model}));
    CO_TRY_VOID(openDoors(box));
    CO_TRY_VOID(checkStop(stop));
    CO_TRY_VOID(co_await m_machines.wake(machine.id));
    CO_TRY_VOID(co_await journal->phase(Phase::Connecting, QStringLiteral("Waiting for the agent to answer.")));
    co_return co_await connect(machine.id, box.boxId, wakeId, stop);
}

Task<Machine> BoxDriver::claim(Box box, std::shared_ptr<Journal> journal)
{
    const auto flavor = m_settings.flavors.constFind(box.flavor);
    if (flavor == m_settings.flavors.constEnd())
        co_return fail(
            ErrorCode::FailedPrecondition,
            QStringLiteral("The box's flavor \"%1\" is no longer configured; add it to the api's configuration "
                           "again, then try again.")
                .arg(box.flavor),
            QStringLiteral("FLAVOR_UNKNOWN"));
    if (box.machineId.isEmpty()) {
        CO_TRY_VOID(co_await journal->phase(Phase::Creating, QStringLiteral("Making the computer.")));
    }
    CO_TRY_ASSIGN(const Machine machine, co_await m_machines.claim({box.boxId, m_settings.image, *flavor}));
    if (!box.machineId.isEmpty() && box.machineId != machine.id) {
        CO_TRY_VOID(co_await journal->phase(
            Phase::Creating, QStringLiteral("The computer was removed behind our back, and its disk with "
                                            "it; a new one was made.")));
    }
    co_return machine;
}

Task<Endpoint> BoxDriver::adopt(Box box, std::shared_ptr<Journal> journal, std::stop_token stop)
{
    CO_TRY_VOID(co_await journal->phase(Phase::Connecting,
                                        QStringLiteral("The api started anew; waiting for the agent to answer.")));
    CO_TRY_VOID(openDoors(box));
    co_return co_await connect(box.machineId, box.boxId, box.wakeId, stop);
}

Result<void> BoxDriver::openDoors(const Box& box)
{
    TRY_ASSIGN(const QString directory, m_machines.doorDirectory(box.boxId));
    return m_doors.open(box.boxId, box.ownerId, directory);
}

Result<Endpoint> BoxDriver::endpointOf(const QString& machineId) const
{
    Result<Endpoint> endpoint = m_machines.endpoint(machineId);
    if (endpoint) return endpoint;
    QString reason = QStringLiteral("it was removed");
    for (const Machine& machine : m_machines.machines())
        if (machine.id == machineId) reason = machine.reason.isEmpty() ? endpoint.error().message : machine.reason;
    return fail(ErrorCode::Unavailable,
                QStringLiteral("The computer stopped while it started: %1. Try again.").arg(reason),
                QStringLiteral("MACHINE_DIED"));
}

Task<Endpoint> BoxDriver::connect(QString machineId, QString boxId, QString wakeId, std::stop_token stop)
{
    QElapsedTimer elapsed;
    elapsed.start();
    for (;;) {
        CO_TRY_ASSIGN(const Endpoint endpoint, endpointOf(machineId));
        const Result<void> answer = co_await m_probe.hello(endpoint, boxId, wakeId, stop);
        CO_TRY_VOID(checkStop(stop));
        if (answer) {
            // It may have died right after its answer.
            CO_TRY_ASSIGN(const Endpoint now, endpointOf(machineId));
            if (now.key == endpoint.key) co_return now;
        } else if (!mayAnswerLater(answer.error().code)) {
            co_return std::unexpected(answer.error());
        }
        if (elapsed.durationElapsed() > m_settings.agentReadyLimit) {
            Error error{
                ErrorCode::DeadlineExceeded,
                QStringLiteral("The computer started but its agent did not answer within %1 s. Try again; if it "
                               "stays so, the box's image may be broken.")
                    .arg(std::chrono::duration_cast<std::chrono::seconds>(m_settings.agentReadyLimit).count()),
                QStringLiteral("AGENT_SILENT"), answer ? QString() : answer.error().message,
                std::source_location::current()};
            co_return std::unexpected(std::move(error));
        }
        CO_TRY_VOID(co_await sleepFor(kProbeInterval, stop));
    }
}

Task<void> BoxDriver::stop(Box box, std::shared_ptr<Journal> journal)
{
    CO_TRY_VOID(co_await journal->phase(Phase::Stopping, QStringLiteral("Stopping the computer; its disk is kept.")));
    if (box.machineId.isEmpty()) co_return {};
    const Result<void> stopped = co_await m_machines.hibernate(box.machineId);
    m_doors.close(box.boxId);
    co_return stopped;
}

Task<void> BoxDriver::remove(Box box, std::shared_ptr<Journal> journal)
{
    CO_TRY_VOID(co_await journal->phase(Phase::CleaningUp, QStringLiteral("Removing the computer and its disk.")));
    m_doors.close(box.boxId);
    // Also one that a crash kept us from writing down.
    for (const Machine& machine : m_machines.machines())
        if (machine.boxId == box.boxId && machine.id != box.machineId) {
            CO_TRY_VOID(co_await m_machines.release(machine.id));
        }
    if (box.machineId.isEmpty()) co_return {};
    co_return co_await m_machines.release(box.machineId);
}

} // namespace cocoonbox::api::boxes
