// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/box_service.h"

#include "api/boxes/box_entry.h"
#include "api/boxes/box_log.h"
#include "common/base/ids.h"
#include "common/log/log.h"

#include <QRegularExpression>

namespace cocoonbox::api::boxes {

Q_LOGGING_CATEGORY(boxesLog, "cocoonbox.api.boxes", QtInfoMsg)

using machines::Machine;
using machines::MachineState;

namespace {

constexpr qsizetype kDetailCharsMax = 1000;

bool isWork(Action action)
{
    return action == Action::Start || action == Action::Restart || action == Action::Adopt || action == Action::Stop ||
           action == Action::Remove;
}

Phase firstPhase(Action action)
{
    if (action == Action::Stop) return Phase::Stopping;
    return action == Action::Remove ? Phase::CleaningUp : Phase::Waking;
}

auto boxUnknown()
{
    return fail(ErrorCode::NotFound, QStringLiteral("You have no such box."), QStringLiteral("BOX_UNKNOWN"));
}

} // namespace

class BoxService::EntryJournal final : public Journal {
public:
    EntryJournal(BoxService& service, EntryPtr entry, QString operationId)
        : m_service(service), m_entry(std::move(entry)), m_operationId(std::move(operationId))
    {
    }
    Task<void> phase(Phase phase, QString detail) override
    {
        return m_service.append(m_operationId, phase, std::move(detail));
    }
    Task<void> machine(QString machineId, QString image, QString wakeId) override
    {
        m_entry->box.machineId = machineId;
        m_entry->box.image = image;
        m_entry->box.wakeId = wakeId;
        return m_service.storeChange(m_entry->box, false);
    }

private:
    BoxService& m_service;
    EntryPtr m_entry;
    QString m_operationId;
};

BoxService::BoxService(BoxStore store, machines::Machines& machines, AgentProbe& probe, BoxDoors& doors,
                       BoxSettings settings, const Clock& clock)
    : m_store(store), m_machines(machines), m_settings(std::move(settings)), m_clock(clock),
      m_driver(machines, probe, doors, m_settings), m_directory(std::make_shared<const Directory>())
{
    connect(&m_machines, &machines::Machines::changed, this, &BoxService::onMachineChanged);
}

BoxService::~BoxService() = default;

BoxService::EntryPtr BoxService::entryOf(const QString& ownerId, const QString& boxId) const
{
    const EntryPtr entry = m_boxes.value(boxId);
    return entry && entry->box.ownerId == ownerId ? entry : nullptr;
}

BoxService::EntryPtr BoxService::entryNamed(const QString& ownerId, const QString& name) const
{
    for (const EntryPtr& entry : m_boxes)
        if (entry->box.ownerId == ownerId && entry->box.name == name) return entry;
    return nullptr;
}

Result<Box> BoxService::find(const QString& ownerId, const QString& boxId) const
{
    const EntryPtr entry = entryOf(ownerId, boxId);
    if (!entry) return boxUnknown();
    return entry->box;
}

QList<Box> BoxService::list(const QString& ownerId) const
{
    QList<Box> boxes;
    for (const EntryPtr& entry : m_boxes)
        if (entry->box.ownerId == ownerId) boxes.append(entry->box);
    std::ranges::sort(boxes, {}, &Box::name);
    return boxes;
}

Result<Box> BoxService::newBox(const QString& ownerId, const QString& name, const QString& flavor) const
{
    static const QRegularExpression shape(QStringLiteral("\\A[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?\\z"));
    if (!shape.match(name).hasMatch())
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("A box's name has 1 to 32 characters a-z, 0-9 and -, and - neither first nor last."),
                    QStringLiteral("BOX_NAME_INVALID"));
    const QString chosen = flavor.isEmpty() ? m_settings.defaultFlavor : flavor;
    if (!m_settings.flavors.contains(chosen)) {
        QStringList names = m_settings.flavors.keys();
        names.sort();
        return fail(
            ErrorCode::InvalidArgument,
            QStringLiteral("There is no flavor \"%1\". Use one of: %2.").arg(chosen.left(32), names.join(u", ")),
            QStringLiteral("FLAVOR_UNKNOWN"));
    }
    if (list(ownerId).size() >= kBoxesPerUserMax)
        return fail(ErrorCode::ResourceExhausted,
                    QStringLiteral("You have %1 boxes, which is the limit; delete one first.").arg(kBoxesPerUserMax),
                    QStringLiteral("BOX_LIMIT"));
    Box box;
    box.boxId = newId(u"box_");
    box.ownerId = ownerId;
    box.name = name;
    box.state = BoxState::Hibernated;
    box.flavor = chosen;
    box.createdAtMs = m_clock.nowMs();
    return box;
}

Task<Box> BoxService::ensure(QString ownerId, QString name, QString flavor)
{
    if (name.isEmpty()) name = QStringLiteral("main");
    EntryPtr entry = entryNamed(ownerId, name);
    const bool isNew = !entry;
    if (isNew) {
        CO_TRY_ASSIGN(Box box, newBox(ownerId, name, flavor));
        entry = std::make_shared<Entry>();
        entry->box = std::move(box);
        m_boxes.insert(entry->box.boxId, entry);
    }
    const Result<void> done = co_await happen(entry, Event::EnsureAsked, {});
    if (!done && isNew) m_boxes.remove(entry->box.boxId);
    CO_TRY_VOID(done);
    co_return Box(entry->box); // a copy: QCoro 0.12 moves from what a co_return names
}

Task<Operation> BoxService::hibernate(QString ownerId, QString boxId)
{
    return ask(std::move(ownerId), std::move(boxId), Event::HibernateAsked);
}

Task<Operation> BoxService::remove(QString ownerId, QString boxId)
{
    return ask(std::move(ownerId), std::move(boxId), Event::DeleteAsked);
}

Task<Operation> BoxService::ask(QString ownerId, QString boxId, Event event)
{
    const EntryPtr entry = entryOf(ownerId, boxId);
    if (!entry) co_return boxUnknown();
    if (event == Event::HibernateAsked && entry->box.state == BoxState::Hibernated) {
        // Its last operation may be forgotten by now; this one is over as it begins.
        Box box = entry->box;
        box.operationId = newId(u"op_");
        entry->box = box;
        CO_TRY_VOID(co_await storeChange(box, true));
        CO_TRY_VOID(co_await conclude(box.operationId, box.state, {}));
        co_return Operation{box.operationId, boxId};
    }
    CO_TRY_VOID(co_await happen(entry, event, {}));
    co_return Operation{entry->box.operationId, boxId};
}

Task<QList<OperationEvent>> BoxService::eventsAfter(QString ownerId, QString operationId, qint64 number)
{
    CO_TRY_ASSIGN(std::optional<QList<OperationEvent>> events,
                  co_await m_store.eventsAfter(ownerId, operationId, number));
    if (!events)
        co_return fail(ErrorCode::NotFound, QStringLiteral("There is no such operation; they are kept for 24 hours."),
                       QStringLiteral("OPERATION_UNKNOWN"));
    co_return *std::move(events);
}

Task<void> BoxService::happen(EntryPtr entry, Event event, QString why)
{
    const Box before = entry->box;
    const Transition next = transition(before.state, event);
    if (next.action == Action::Refuse)
        co_return fail(
            ErrorCode::FailedPrecondition,
            QStringLiteral("The box is %1; wait until that is over, then try again.").arg(boxStateName(before.state)),
            QStringLiteral("BOX_BUSY"));
    if (next == Transition{before.state, Action::None}) co_return {};
    if (m_isClosing && next.action != Action::Stop && isWork(next.action))
        co_return fail(ErrorCode::Unavailable, QStringLiteral("The api is stopping; try again in a moment."),
                       QStringLiteral("API_STOPPING"));

    Box box = before;
    box.state = next.state;
    box.stateChangedAtMs = m_clock.nowMs();
    box.failure = next.state == BoxState::Failed ? why : QString();
    box.wokenAtMs = next.state == BoxState::Running ? box.stateChangedAtMs : 0;
    const bool isNewOperation = isWork(next.action) && !std::exchange(entry->isOperationOpen, false);
    if (isNewOperation) box.operationId = newId(u"op_");
    if (next.action == Action::Restart) entry->restartedAtMs = box.stateChangedAtMs;
    entry->box = box;
    qCInfo(boxesLog).noquote() << "The box is" << boxStateName(box.state) << why << log::field("box", box.boxId);

    const Result<void> stored = co_await storeChange(box, isNewOperation);
    if (!stored) {
        if (entry->box == box) entry->box = before;
        m_boxes.insert(box.boxId, entry);
        publish();
        co_return stored;
    }
    if (next.action == Action::Conclude) co_return co_await conclude(box.operationId, box.state, box.failure);
    if (isWork(next.action))
        m_scope.spawn(work(entry, next.action, box.operationId, why), QStringLiteral("box operation"));
    co_return {};
}

Task<void> BoxService::storeChange(Box box, bool isNewOperation)
{
    if (box.state == BoxState::Gone) m_boxes.remove(box.boxId);
    publish();
    if (box.state == BoxState::Gone) {
        CO_TRY_VOID(co_await m_store.remove(box.boxId));
    } else if (isNewOperation) {
        CO_TRY_VOID(co_await m_store.saveWithOperation(box, m_clock.nowMs()));
    } else {
        CO_TRY_VOID(co_await m_store.save(box));
    }
    m_bell.ring();
    co_return {};
}

Task<void> BoxService::work(EntryPtr entry, Action action, QString operationId, QString why)
{
    entry->stop.request_stop();
    entry->stop = std::stop_source();
    const std::stop_token stop = entry->stop.get_token();
    const Promise<bool> ended;
    if (const auto previous = std::exchange(entry->workEnded, ended)) co_await previous->get();

    const auto journal = std::make_shared<EntryJournal>(*this, entry, operationId);
    Result<void> result;
    if (!why.isEmpty()) result = co_await journal->phase(firstPhase(action), why);
    if (result && !stop.stop_requested()) result = co_await perform(entry, action, journal, stop);
    if (m_isDraining && stop.stop_requested())
        result = {}; // the operation stays open and goes on at the next start
    else if (stop.stop_requested())
        result = co_await append(operationId, Phase::Failed,
                                 QStringLiteral("Something else was asked of the box meanwhile."));
    else
        result = co_await report(entry, action, std::move(result));
    ended.set(true);
    co_return result;
}

Task<void> BoxService::perform(EntryPtr entry, Action action, std::shared_ptr<Journal> journal, std::stop_token stop)
{
    if (action == Action::Stop) co_return co_await m_driver.stop(entry->box, journal);
    if (action == Action::Remove) co_return co_await m_driver.remove(entry->box, journal);
    Task<machines::Endpoint> started =
        action == Action::Adopt ? m_driver.adopt(entry->box, journal, stop) : m_driver.start(entry->box, journal, stop);
    CO_TRY_ASSIGN(entry->endpoint, co_await started);
    co_return {};
}

Task<void> BoxService::report(EntryPtr entry, Action action, Result<void> result)
{
    if (!result)
        qCWarning(boxesLog).noquote() << result.error().message << result.error().reason << result.error().detail
                                      << log::field("box", entry->box.boxId);
    const QString why = result ? QString() : result.error().message;
    if (action == Action::Stop) return happen(entry, result ? Event::Stopped : Event::StopFailed, why);
    if (action == Action::Remove) return happen(entry, result ? Event::Removed : Event::RemoveFailed, why);
    return happen(entry, result ? Event::Started : Event::StartFailed, why);
}

Task<void> BoxService::conclude(QString operationId, BoxState state, QString failure)
{
    switch (state) {
    case BoxState::Running: return append(operationId, Phase::Done, QStringLiteral("The box runs."));
    case BoxState::Hibernated: return append(operationId, Phase::Done, QStringLiteral("The box sleeps."));
    case BoxState::Gone: return append(operationId, Phase::Done, QStringLiteral("The box is deleted."));
    default: return append(operationId, Phase::Failed, failure);
    }
}

Task<void> BoxService::append(QString operationId, Phase phase, QString detail)
{
    CO_TRY_VOID(co_await m_store.append(operationId, {0, phase, detail.left(kDetailCharsMax), m_clock.nowMs()}));
    m_bell.ring();
    co_return {};
}

void BoxService::spawn(EntryPtr entry, Event event, QString why)
{
    m_scope.spawn(happen(std::move(entry), event, std::move(why)), QStringLiteral("box event"));
}

void BoxService::onMachineChanged(const Machine& machine)
{
    const EntryPtr entry = m_boxes.value(machine.boxId);
    if (!entry || entry->box.machineId != machine.id || m_isClosing) return;
    if (machine.state == MachineState::Gone) {
        spawn(entry, Event::MachineVanished,
              QStringLiteral(
                  "The computer was removed by something else, and its disk with it. Ensure makes a new one."));
    } else if (machine.state == MachineState::Failed || machine.state == MachineState::Stopped) {
        const QString how = machine.reason.isEmpty() ? QStringLiteral("no reason is known") : machine.reason;
        if (entry->restartedAtMs != 0 && m_clock.nowMs() - entry->restartedAtMs < kRestartIntervalMs)
            spawn(entry, Event::MachineDiedAgain,
                  QStringLiteral("The computer stopped by itself twice within 10 minutes (%1). Ensure tries again.")
                      .arg(how));
        else
            spawn(entry, Event::MachineDied,
                  QStringLiteral("The computer stopped by itself (%1); starting it again.").arg(how));
    }
}

} // namespace cocoonbox::api::boxes
