// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/api/boxes/box_rig.h"

#include <QFile>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using machines::MachineState;
using machines::MemoryMachines;
using Call = MemoryMachines::Call;

class TestBoxService : public QObject {
    Q_OBJECT
private slots:
    void init() { m = std::make_unique<BoxRig>(); }
    void cleanup() { m.reset(); }

    void ensureMakesABoxThatRuns()
    {
        const Box asked = m->ensure();
        QCOMPARE(asked.state, BoxState::Starting);
        QCOMPARE(asked.name, QStringLiteral("main"));
        QCOMPARE(asked.flavor, QStringLiteral("small"));
        QCOMPARE(m->phases(asked.operationId), QStringLiteral("creating waking connecting done"));
        const Box box = m->box(asked.boxId);
        QCOMPARE(box.state, BoxState::Running);
        QCOMPARE(box.image, QStringLiteral("image:1"));
        QCOMPARE(box.wokenAtMs, m->clock.now);
        QCOMPARE(m->machineState(box.machineId), MachineState::Running);
        QCOMPARE(m->probe.lastWakeId, box.wakeId);
        QFile identity(m->machines->identityFile(box.boxId));
        QVERIFY(identity.open(QIODevice::ReadOnly));
        QVERIFY(identity.readAll().contains(box.wakeId.toLatin1()));
        QCOMPARE(m->doors.opened.value(box.boxId), m->owner);
    }

    void ensureOfABoxThatStartsOrRunsChangesNothing()
    {
        const Box first = m->ensure();
        QCOMPARE(m->ensure().operationId, first.operationId);
        QVERIFY(m->waitFor(first.boxId, BoxState::Running));
        const Box box = m->box(first.boxId);
        QCOMPARE(m->ensure(), box);
        QCOMPARE(m->service->list(m->owner).size(), 1);
    }

    void hibernateKeepsTheMachineAndAWakeIsNew()
    {
        const Box before = m->running();
        m->machines->disk(before.machineId).insert(QStringLiteral("hello"), "world");
        const auto operation = BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, before.boxId)));
        QCOMPARE(m->phases(operation.operationId), QStringLiteral("stopping done"));
        QCOMPARE(m->box(before.boxId).state, BoxState::Hibernated);
        QCOMPARE(m->box(before.boxId).wokenAtMs, 0);
        QCOMPARE(m->machineState(before.machineId), MachineState::Stopped);
        QVERIFY(m->doors.opened.isEmpty());

        const Box woken = m->running();
        QCOMPARE(woken.boxId, before.boxId);
        QCOMPARE(woken.machineId, before.machineId);
        QVERIFY(woken.wakeId != before.wakeId);
        QCOMPARE(m->phases(woken.operationId), QStringLiteral("waking connecting done"));
        QCOMPARE(m->machines->disk(woken.machineId).value(QStringLiteral("hello")), QByteArray("world"));
    }

    void hibernateOfASleepingBoxIsDoneAtOnce()
    {
        const Box box = m->running();
        m->phases(BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId))).operationId);
        const auto again = BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId)));
        QCOMPARE(m->phases(again.operationId), QStringLiteral("done"));
        QCOMPARE(m->box(box.boxId).state, BoxState::Hibernated);
    }

    void hibernateWhileStartingEndsTheStart()
    {
        m->probe.isSilent = true;
        m->settings.agentReadyLimit = std::chrono::hours(1);
        m->restart();
        const Box asked = m->ensure();
        QVERIFY(BoxRig::until([this] { return m->probe.tries > 0; }));
        const auto operation = BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, asked.boxId)));
        QCOMPARE(m->phases(asked.operationId), QStringLiteral("creating waking connecting failed"));
        QCOMPARE(m->phases(operation.operationId), QStringLiteral("stopping done"));
        QCOMPARE(m->box(asked.boxId).state, BoxState::Hibernated);
        QCOMPARE(m->machineState(m->box(asked.boxId).machineId), MachineState::Stopped);
    }

    void whatIsBusyIsRefused()
    {
        m->machines->setLatency(std::chrono::milliseconds(30));
        const Box box = m->running();
        BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId)));
        const auto refused = QCoro::waitFor(m->service->ensure(m->owner, box.name, {}));
        QCOMPARE(refused.error().code, ErrorCode::FailedPrecondition);
        QCOMPARE(refused.error().reason, QStringLiteral("BOX_BUSY"));
        BoxRig::must(QCoro::waitFor(m->service->remove(m->owner, box.boxId)));
        QCOMPARE(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId)).error().reason, QStringLiteral("BOX_BUSY"));
        QVERIFY(BoxRig::until([&] { return !m->service->find(m->owner, box.boxId); }));
    }

    void deleteLeavesNothingButItsOperation()
    {
        const Box box = m->running();
        const auto operation = BoxRig::must(QCoro::waitFor(m->service->remove(m->owner, box.boxId)));
        QCOMPARE(m->phases(operation.operationId), QStringLiteral("cleaning-up done"));
        QCOMPARE(m->service->find(m->owner, box.boxId).error().reason, QStringLiteral("BOX_UNKNOWN"));
        QVERIFY(m->machines->machines().isEmpty());
        QVERIFY(m->doors.opened.isEmpty());
        QVERIFY(m->running().boxId != box.boxId);
    }

    void aSilentAgentFailsTheBoxAndStopsTheMachine()
    {
        m->probe.isSilent = true;
        const Box asked = m->ensure();
        QVERIFY(m->waitFor(asked.boxId, BoxState::Failed));
        QVERIFY(m->box(asked.boxId).failure.contains(u"did not answer"));
        QCOMPARE(m->phases(asked.operationId), QStringLiteral("creating waking connecting failed"));
        QCOMPARE(m->lastDetail(asked.operationId), m->box(asked.boxId).failure);
        QCOMPARE(m->machineState(m->box(asked.boxId).machineId), MachineState::Stopped);
        m->probe.isSilent = false;
        QVERIFY(m->running().failure.isEmpty());
    }

    void anAgentThatRefusesIsNotAskedAgain()
    {
        m->probe.isRefusing = true;
        const Box asked = m->ensure();
        QVERIFY(m->waitFor(asked.boxId, BoxState::Failed));
        QCOMPARE(m->probe.tries, 1);
        QCOMPARE(m->box(asked.boxId).failure, QStringLiteral("The agent refused."));
    }

    void everyStepThatFailsIsToldAndCanBeTriedAgain_data()
    {
        QTest::addColumn<int>("call");
        QTest::newRow("claim") << static_cast<int>(Call::Claim);
        QTest::newRow("deliver") << static_cast<int>(Call::Deliver);
        QTest::newRow("wake") << static_cast<int>(Call::Wake);
    }
    void everyStepThatFailsIsToldAndCanBeTriedAgain()
    {
        QFETCH(int, call);
        m->machines->failNext(
            static_cast<Call>(call),
            {ErrorCode::ResourceExhausted, QStringLiteral("The disk is full."), QStringLiteral("DISK_FULL"), {}, {}});
        const Box asked = m->ensure();
        QVERIFY(m->waitFor(asked.boxId, BoxState::Failed));
        QCOMPARE(m->box(asked.boxId).failure, QStringLiteral("The disk is full."));
        QVERIFY(m->phases(asked.operationId).endsWith(u"failed"));
        QCOMPARE(m->running().boxId, asked.boxId);
    }

    void aFailedStopAndAFailedRemovalAreTold()
    {
        const Error error{ErrorCode::Internal, QStringLiteral("It will not."), {}, {}, {}};
        const Box box = m->running();
        m->machines->failNext(Call::Hibernate, error);
        const auto stop = BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId)));
        QCOMPARE(m->phases(stop.operationId), QStringLiteral("stopping failed"));
        QCOMPARE(m->box(box.boxId).failure, QStringLiteral("It will not."));
        m->machines->failNext(Call::Release, error);
        const auto removal = BoxRig::must(QCoro::waitFor(m->service->remove(m->owner, box.boxId)));
        QCOMPARE(m->phases(removal.operationId), QStringLiteral("cleaning-up failed"));
        const auto again = BoxRig::must(QCoro::waitFor(m->service->remove(m->owner, box.boxId)));
        QCOMPARE(m->phases(again.operationId), QStringLiteral("cleaning-up done"));
    }

    void aMachineThatDiesIsStartedAgainOnce()
    {
        const Box first = m->running();
        m->machines->die(first.machineId, QStringLiteral("out of memory"));
        QVERIFY(BoxRig::until([&] { return m->box(first.boxId).operationId != first.operationId; }));
        QVERIFY(m->waitFor(first.boxId, BoxState::Running));
        const Box second = m->box(first.boxId);
        QVERIFY(second.wakeId != first.wakeId);
        QCOMPARE(m->phases(second.operationId), QStringLiteral("waking waking connecting done"));

        m->clock.now += 60'000;
        m->machines->die(second.machineId, QStringLiteral("out of memory"));
        QVERIFY(m->waitFor(first.boxId, BoxState::Failed));
        QVERIFY(m->box(first.boxId).failure.contains(u"twice"));
        QVERIFY(m->box(first.boxId).failure.contains(u"out of memory"));

        m->clock.now += boxes::kRestartIntervalMs;
        const Box third = m->running();
        m->machines->die(third.machineId, QStringLiteral("again"));
        QVERIFY(BoxRig::until([&] { return m->box(first.boxId).wakeId != third.wakeId; }));
        QVERIFY(m->waitFor(first.boxId, BoxState::Running));
    }

    void aMachineThatDiesWhileItStartsFailsTheStart()
    {
        m->probe.isSilent = true;
        const Box asked = m->ensure();
        QVERIFY(BoxRig::until([this] { return m->probe.tries > 0; }));
        m->machines->die(m->box(asked.boxId).machineId, QStringLiteral("no init"));
        QVERIFY(m->waitFor(asked.boxId, BoxState::Failed));
        QVERIFY2(m->box(asked.boxId).failure.contains(u"no init"), qPrintable(m->box(asked.boxId).failure));
    }

    void aMachineRemovedBehindOurBackIsToldAndMadeAnew()
    {
        const Box box = m->running();
        m->machines->vanish(box.machineId);
        QVERIFY(m->waitFor(box.boxId, BoxState::Failed));
        QVERIFY(m->box(box.boxId).failure.contains(u"removed"));
        const Box woken = m->running();
        QCOMPARE(woken.boxId, box.boxId);
        QVERIFY(woken.machineId != box.machineId);
        QCOMPARE(m->phases(woken.operationId), QStringLiteral("creating waking connecting done"));
    }

    void namesFlavorsAndNumbersAreChecked()
    {
        const auto reasonOf = [this](const QString& name, const QString& flavor = {}) {
            const auto result = QCoro::waitFor(m->service->ensure(m->owner, name, flavor));
            return result ? QStringLiteral("OK") : result.error().reason;
        };
        for (const char* bad :
             {"Main", "a b", "-a", "a-", "a_b", "ü", "../x", "123456789012345678901234567890123", "a\n"})
            QCOMPARE(reasonOf(QString::fromUtf8(bad)), QStringLiteral("BOX_NAME_INVALID"));
        QCOMPARE(reasonOf(QStringLiteral("a"), QStringLiteral("huge")), QStringLiteral("FLAVOR_UNKNOWN"));
        QCOMPARE(reasonOf(QStringLiteral("a"), QStringLiteral("large")), QStringLiteral("OK"));
        for (int i = 1; i < boxes::kBoxesPerUserMax; ++i)
            QCOMPARE(reasonOf(QStringLiteral("b%1").arg(i)), QStringLiteral("OK"));
        QCOMPARE(reasonOf(QStringLiteral("c")), QStringLiteral("BOX_LIMIT"));
        QVERIFY(QCoro::waitFor(m->service->ensure(QStringLiteral("usr_2"), QStringLiteral("c"), {})));
    }

    void anotherUsersBoxIsUnknown()
    {
        const Box box = m->running();
        const QString thief = QStringLiteral("usr_2");
        QCOMPARE(m->service->find(thief, box.boxId).error().reason, QStringLiteral("BOX_UNKNOWN"));
        QCOMPARE(QCoro::waitFor(m->service->hibernate(thief, box.boxId)).error().reason, QStringLiteral("BOX_UNKNOWN"));
        QCOMPARE(QCoro::waitFor(m->service->remove(thief, box.boxId)).error().reason, QStringLiteral("BOX_UNKNOWN"));
        QCOMPARE(QCoro::waitFor(m->service->eventsAfter(thief, box.operationId, 0)).error().reason,
                 QStringLiteral("OPERATION_UNKNOWN"));
        QCOMPARE(m->service->route(thief, box.boxId).error().reason, QStringLiteral("BOX_UNKNOWN"));
        QVERIFY(m->service->list(thief).isEmpty());
        QCOMPARE(m->box(box.boxId).state, BoxState::Running);
    }

    void theDirectoryFollowsTheState()
    {
        m->probe.isSilent = true;
        const Box asked = m->ensure();
        QCOMPARE(m->service->route(m->owner, asked.boxId).error().reason, QStringLiteral("BOX_STARTING"));
        QVERIFY(m->waitFor(asked.boxId, BoxState::Failed));
        QCOMPARE(m->service->route(m->owner, asked.boxId).error().reason, QStringLiteral("BOX_FAILED"));
        m->probe.isSilent = false;
        const Box box = m->running();
        const auto route = m->service->route(m->owner, box.boxId);
        QVERIFY(route);
        QCOMPARE(route->wakeId, box.wakeId);
        QCOMPARE(route->endpoint.key, m->machines->endpoint(box.machineId)->key);
        m->phases(BoxRig::must(QCoro::waitFor(m->service->hibernate(m->owner, box.boxId))).operationId);
        QCOMPARE(m->service->route(m->owner, box.boxId).error().reason, QStringLiteral("BOX_ASLEEP"));
    }

    void anOutdatedImageIsTold()
    {
        const Box box = m->running();
        QVERIFY(!m->service->isImageOutdated(box));
        m->settings.image = QStringLiteral("image:2");
        m->restart();
        QVERIFY(m->service->isImageOutdated(m->box(box.boxId)));
    }

private:
    std::unique_ptr<BoxRig> m;
};

QTEST_GUILESS_MAIN(TestBoxService)
#include "tst_box_service.moc"
