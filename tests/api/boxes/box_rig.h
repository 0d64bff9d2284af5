// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_service.h"
#include "api/machines/memory/memory_machines.h"

#include <QCoroTask>
#include <QTemporaryDir>

namespace cocoonbox::testing {

using namespace cocoonbox::api;
using boxes::Box;
using boxes::BoxState;
using boxes::Phase;

class FakeClock final : public Clock {
public:
    qint64 nowMs() const override { return now; }
    qint64 now = 1'700'000'000'000;
};

// An agent that answers, keeps silent, or refuses.
class FakeProbe final : public boxes::AgentProbe {
public:
    Task<void> hello(machines::Endpoint, QString, QString wakeId, std::stop_token stop) override
    {
        ++tries;
        lastWakeId = wakeId;
        CO_TRY_VOID(co_await sleepFor(std::chrono::milliseconds(1), stop));
        if (isSilent) co_return fail(ErrorCode::Unavailable, QStringLiteral("nothing listens"));
        if (isRefusing)
            co_return fail(ErrorCode::Unauthenticated, QStringLiteral("The agent refused."), QStringLiteral("NO"));
        co_return {};
    }
    bool isSilent = false;
    bool isRefusing = false;
    int tries = 0;
    QString lastWakeId;
};

class FakeDoors final : public boxes::BoxDoors {
public:
    Result<void> open(const QString& boxId, const QString& ownerId, const QString&) override
    {
        opened.insert(boxId, ownerId);
        return {};
    }
    void close(const QString& boxId) override { opened.remove(boxId); }
    QHash<QString, QString> opened;
};

// The service over a real database and machines that run nothing. `restart` is the api dying and starting again: the
// database and the machines stay.
class BoxRig {
public:
    BoxRig()
    {
        settings.image = QStringLiteral("image:1");
        settings.flavors = {{QStringLiteral("small"), {QStringLiteral("small"), 2000, 1 << 30, 1 << 26, 2048}},
                            {QStringLiteral("large"), {QStringLiteral("large"), 4000, 1 << 30, 1 << 26, 2048}}};
        settings.defaultFlavor = QStringLiteral("small");
        settings.keyId = QStringLiteral("key1");
        settings.publicKey = QByteArray(32, 'k');
        settings.agentReadyLimit = std::chrono::milliseconds(300);
        machines = must(api::machines::MemoryMachines::create(dir.path()));
        database = must(
            QCoro::waitFor(sql::Database::open({QStringLiteral("sqlite:") + dir.filePath(QStringLiteral("api.db"))})));
        must(QCoro::waitFor(sql::migrate(*database, {boxes::BoxStore::migrations()})));
        restart();
    }
    ~BoxRig() { kill(); }

    // Work ends where it stands, and nothing is concluded.
    void kill()
    {
        if (service) service->suspend(std::chrono::seconds(5));
        service.reset();
    }
    void restart()
    {
        kill();
        service =
            std::make_unique<boxes::BoxService>(boxes::BoxStore(*database), *machines, probe, doors, settings, clock);
        must(QCoro::waitFor(service->open()));
    }

    template <class T>
    static T must(Result<T> result)
    {
        if (!result) qFatal("%s (%s)", qPrintable(result.error().message), qPrintable(result.error().detail));
        if constexpr (!std::is_void_v<T>) return *std::move(result);
    }
    static bool until(std::function<bool()> condition)
    {
        return QCoro::waitFor(pollUntil(std::move(condition), std::chrono::milliseconds(2), std::chrono::seconds(10),
                                        QStringLiteral("the test")))
            .has_value();
    }

    Box ensure(const QString& name = {}) { return must(QCoro::waitFor(service->ensure(owner, name, {}))); }
    Box box(const QString& boxId) const { return must(service->find(owner, boxId)); }
    bool waitFor(const QString& boxId, BoxState state)
    {
        return until([this, boxId, state] { return service->find(owner, boxId) && box(boxId).state == state; });
    }
    Box running(const QString& name = {})
    {
        const QString id = ensure(name).boxId;
        if (!waitFor(id, BoxState::Running)) qFatal("the box does not run: %s", qPrintable(box(id).failure));
        return box(id);
    }
    // "waking connecting done", once the operation has ended.
    QString phases(const QString& operationId)
    {
        QStringList names;
        const bool ended = until([&] {
            names.clear();
            const auto events = must(QCoro::waitFor(service->eventsAfter(owner, operationId, 0)));
            for (const boxes::OperationEvent& event : events)
                names.append(boxes::phaseName(event.phase));
            return !events.isEmpty() && boxes::isFinal(events.last().phase);
        });
        return ended ? names.join(u' ') : QStringLiteral("never ended: ") + names.join(u' ');
    }
    QString lastDetail(const QString& operationId)
    {
        phases(operationId);
        return must(QCoro::waitFor(service->eventsAfter(owner, operationId, 0))).last().detail;
    }
    api::machines::MachineState machineState(const QString& machineId) const
    {
        for (const api::machines::Machine& machine : machines->machines())
            if (machine.id == machineId) return machine.state;
        return api::machines::MachineState::Gone;
    }

    QTemporaryDir dir;
    FakeClock clock;
    FakeProbe probe;
    FakeDoors doors;
    boxes::BoxSettings settings;
    const QString owner = QStringLiteral("usr_1");
    std::unique_ptr<api::machines::MemoryMachines> machines;
    std::unique_ptr<sql::Database> database;
    std::unique_ptr<boxes::BoxService> service;
};

} // namespace cocoonbox::testing
