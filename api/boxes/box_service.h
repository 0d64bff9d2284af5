// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/bell.h"
#include "api/boxes/box_directory.h"
#include "api/boxes/box_driver.h"
#include "api/boxes/box_state.h"
#include "api/boxes/box_store.h"
#include "common/async/task_scope.h"
#include "common/base/clock.h"

#include <atomic>

namespace cocoonbox::api::boxes {

// Whatever is asked of boxes and happens to them. Domain thread, but for `route`. The store's database, the machines,
// the probe, the doors and the clock outlive it.
class BoxService final : public QObject, public BoxDirectory {
    Q_OBJECT
public:
    BoxService(BoxStore store, machines::Machines& machines, AgentProbe& probe, BoxDoors& doors, BoxSettings settings,
               const Clock& clock);
    ~BoxService() override;

    // Reads the store, asks the backend, and goes on from there: a box that still runs is Starting until its agent
    // answers, an operation that was cut goes on. Call once, before anything else.
    Task<void> open();
    // Hibernates what runs unless it may outlive the api, then ends all work. What is not done by the limit goes on at
    // the next start.
    QCoro::Task<void> close(std::chrono::milliseconds limit);
    // Ends all work where it stands, with the event loop running until then; it goes on at the next start.
    void suspend(std::chrono::milliseconds limit);

    // Errors as in boxes.proto.
    Task<Box> ensure(QString ownerId, QString name, QString flavor);
    Result<Box> find(const QString& ownerId, const QString& boxId) const;
    QList<Box> list(const QString& ownerId) const; // by name
    Task<Operation> hibernate(QString ownerId, QString boxId);
    Task<Operation> remove(QString ownerId, QString boxId);
    // What came after event `number`; empty when nothing did yet. NotFound: OPERATION_UNKNOWN.
    Task<QList<OperationEvent>> eventsAfter(QString ownerId, QString operationId, qint64 number);
    // Rings after every stored change of a box or an operation.
    Bell& bell() { return m_bell; }

    bool isImageOutdated(const Box& box) const { return !box.image.isEmpty() && box.image != m_settings.image; }
    machines::Flavor flavorOf(const Box& box) const { return m_settings.flavors.value(box.flavor); }

    Result<Route> route(QStringView userId, QStringView boxId) const override;

private:
    struct Entry;
    class EntryJournal;
    using EntryPtr = std::shared_ptr<Entry>;
    struct Known;
    using Directory = QHash<QString, Known>;

    EntryPtr entryOf(const QString& ownerId, const QString& boxId) const;
    EntryPtr entryNamed(const QString& ownerId, const QString& name) const;
    Result<Box> newBox(const QString& ownerId, const QString& name, const QString& flavor) const;
    // The one way a box changes: the transition, its storing, its telling, and the start of its work.
    Task<void> happen(EntryPtr entry, Event event, QString why);
    Task<void> storeChange(Box box, bool isNewOperation);
    Task<void> work(EntryPtr entry, Action action, QString operationId, QString why);
    Task<void> perform(EntryPtr entry, Action action, std::shared_ptr<Journal> journal, std::stop_token stop);
    Task<void> report(EntryPtr entry, Action action, Result<void> result);
    Task<void> conclude(QString operationId, BoxState state, QString failure);
    Task<void> append(QString operationId, Phase phase, QString detail);
    Task<Operation> ask(QString ownerId, QString boxId, Event event);
    Task<void> reconcile(EntryPtr entry, QList<machines::Machine> found);
    Task<void> forgetOldOperations(std::stop_token stop);
    void onMachineChanged(const machines::Machine& machine);
    void spawn(EntryPtr entry, Event event, QString why);
    bool isAnyHibernating() const;
    void publish();

    BoxStore m_store;
    machines::Machines& m_machines;
    BoxSettings m_settings;
    const Clock& m_clock;
    BoxDriver m_driver;
    Bell m_bell;
    QHash<QString, EntryPtr> m_boxes;
    std::atomic<std::shared_ptr<const Directory>> m_directory;
    bool m_isClosing = false;  // nothing starts any more
    bool m_isDraining = false; // what works now is left as it is
    TaskScope m_scope;
};

} // namespace cocoonbox::api::boxes
