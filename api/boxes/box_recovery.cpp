// SPDX-License-Identifier: AGPL-3.0-only
// How the service starts from what it finds, and how it ends; and the edge's view of the boxes.
#include "api/boxes/box_entry.h"
#include "api/boxes/box_log.h"
#include "common/log/log.h"

#include <QDeadlineTimer>

namespace cocoonbox::api::boxes {

using machines::Machine;
using machines::MachineState;

namespace {

constexpr auto kForgetInterval = std::chrono::hours(1);

const Machine* machineOf(const QList<Machine>& machines, const QString& boxId)
{
    const auto found = std::ranges::find(machines, boxId, &Machine::boxId);
    return found == machines.end() ? nullptr : &*found;
}

Event foundEvent(const Box& box, const Machine* machine)
{
    if (!machine) return box.machineId.isEmpty() ? Event::FoundStopped : Event::FoundNothing;
    switch (machine->state) {
    case MachineState::Running:
    case MachineState::Starting: return Event::FoundRunning;
    case MachineState::Stopped:
    case MachineState::Stopping: return Event::FoundStopped;
    case MachineState::Failed: return Event::FoundDied;
    case MachineState::Gone: return Event::FoundNothing;
    }
    Q_UNREACHABLE_RETURN(Event::FoundNothing);
}

QString whyOf(Event event, const Machine* machine)
{
    if (event == Event::FoundNothing)
        return QStringLiteral(
            "The computer was removed while the api was away, and its disk with it. Ensure makes a new one.");
    if (event == Event::FoundDied)
        return QStringLiteral("The computer stopped by itself while the api was away (%1). Ensure tries again.")
            .arg(machine->reason);
    return {};
}

} // namespace

Task<void> BoxService::open()
{
    CO_TRY_ASSIGN(const QList<Box> boxes, co_await m_store.boxes());
    CO_TRY_ASSIGN(const QList<Operation> operations, co_await m_store.openOperations());
    CO_TRY_ASSIGN(const QList<Machine> found, co_await m_machines.list());
    for (const Box& box : boxes) {
        const auto entry = std::make_shared<Entry>();
        entry->box = box;
        entry->isOperationOpen = std::ranges::contains(operations, box.operationId, &Operation::operationId);
        m_boxes.insert(box.boxId, entry);
    }
    for (const Machine& machine : found)
        if (!m_boxes.contains(machine.boxId))
            qCWarning(boxesLog).noquote()
                << "A machine belongs to no box and is left alone:" << machine.id << log::field("box", machine.boxId);
    for (const EntryPtr& entry : m_boxes.values()) {
        CO_TRY_VOID(co_await reconcile(entry, found));
    }
    for (const Operation& operation : operations) {
        const EntryPtr entry = m_boxes.value(operation.boxId);
        if (entry && entry->box.operationId == operation.operationId) continue;
        CO_TRY_VOID(
            co_await append(operation.operationId, Phase::Failed,
                            QStringLiteral("The api was restarted while something else was asked of the box.")));
    }
    m_scope.spawn(forgetOldOperations(m_scope.stopToken()), QStringLiteral("forget old operations"));
    co_return {};
}

Task<void> BoxService::reconcile(EntryPtr entry, QList<Machine> found)
{
    const Machine* machine = machineOf(found, entry->box.boxId);
    if (machine) {
        // A crash between the claim and its writing leaves a machine that the box does not know.
        entry->box.machineId = machine->id;
        entry->box.image = machine->image;
    }
    const Event event = foundEvent(entry->box, machine);
    CO_TRY_VOID(co_await happen(entry, event, whyOf(event, machine)));
    // Nothing works on it any more, so what was left open has come to this.
    if (std::exchange(entry->isOperationOpen, false)) {
        CO_TRY_VOID(co_await conclude(entry->box.operationId, entry->box.state, entry->box.failure));
    }
    publish();
    co_return {};
}

Task<void> BoxService::forgetOldOperations(std::stop_token stop)
{
    for (;;) {
        CO_TRY_VOID(co_await m_store.forgetOperations(m_clock.nowMs() - kOperationKeptMs));
        CO_TRY_VOID(co_await sleepFor(kForgetInterval, stop));
    }
}

bool BoxService::isAnyHibernating() const
{
    return std::ranges::any_of(m_boxes,
                               [](const EntryPtr& entry) { return entry->box.state == BoxState::Hibernating; });
}

QCoro::Task<void> BoxService::close(std::chrono::milliseconds limit)
{
    m_isClosing = true;
    const QDeadlineTimer deadline(limit);
    if (!m_settings.keepRunning) {
        for (const EntryPtr& entry : m_boxes.values())
            if (entry->box.state == BoxState::Running || entry->box.state == BoxState::Starting)
                spawn(entry, Event::HibernateAsked, QStringLiteral("The api is stopping."));
        static_cast<void>(co_await pollUntil([this] { return !isAnyHibernating(); }, std::chrono::milliseconds(20),
                                             limit, QStringLiteral("Hibernating the boxes")));
    }
    suspend(std::chrono::milliseconds(std::max<qint64>(deadline.remainingTime(), 1000)));
}

void BoxService::suspend(std::chrono::milliseconds limit)
{
    m_isClosing = true;
    m_isDraining = true;
    for (const EntryPtr& entry : std::as_const(m_boxes))
        entry->stop.request_stop();
    m_scope.drain(limit);
}

void BoxService::publish()
{
    auto directory = std::make_shared<Directory>();
    for (const EntryPtr& entry : std::as_const(m_boxes)) {
        const Box& box = entry->box;
        if (box.state != BoxState::Running) entry->endpoint = {};
        directory->insert(box.boxId, {box.state, {box.boxId, box.wakeId, box.ownerId, entry->endpoint}});
    }
    m_directory.store(std::move(directory));
}

Result<Route> BoxService::route(QStringView userId, QStringView boxId) const
{
    const std::shared_ptr<const Directory> directory = m_directory.load();
    const auto found = directory->constFind(boxId.toString());
    if (found == directory->constEnd() || found->route.ownerId != userId)
        return fail(ErrorCode::NotFound, QStringLiteral("You have no such box."), QStringLiteral("BOX_UNKNOWN"));
    switch (found->state) {
    case BoxState::Running: return found->route;
    case BoxState::Starting:
        return fail(ErrorCode::Unavailable, QStringLiteral("The box is starting; try again in a moment."),
                    QStringLiteral("BOX_STARTING"));
    case BoxState::Hibernating:
    case BoxState::Hibernated:
        return fail(ErrorCode::FailedPrecondition, QStringLiteral("The box sleeps; wake it with Ensure first."),
                    QStringLiteral("BOX_ASLEEP"));
    case BoxState::Failed:
        return fail(ErrorCode::FailedPrecondition,
                    QStringLiteral("The box failed; Get says why, and Ensure tries again."),
                    QStringLiteral("BOX_FAILED"));
    case BoxState::Deleting:
    case BoxState::Gone: break;
    }
    return fail(ErrorCode::FailedPrecondition, QStringLiteral("The box is being deleted."),
                QStringLiteral("BOX_DELETING"));
}

} // namespace cocoonbox::api::boxes
