// SPDX-License-Identifier: AGPL-3.0-only
// What becomes of boxes and operations when the api stops, is killed, and starts again.
#include "tests/api/boxes/box_rig.h"

#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using machines::MachineState;

class TestBoxRestart : public QObject {
    Q_OBJECT
private slots:
    void init() { m = std::make_unique<BoxRig>(); }
    void cleanup() { m.reset(); }

    void aBoxThatStillRunsIsTakenBack()
    {
        const Box before = m->running();
        m->doors.opened.clear();
        m->restart();
        QVERIFY(m->waitFor(before.boxId, BoxState::Running));
        const Box box = m->box(before.boxId);
        QCOMPARE(box.wakeId, before.wakeId);
        QCOMPARE(box.machineId, before.machineId);
        QCOMPARE(m->phases(box.operationId), QStringLiteral("connecting done"));
        QVERIFY(m->service->route(m->owner, box.boxId));
        QVERIFY(m->doors.opened.contains(box.boxId));
    }

    void aBoxWhoseAgentIsGoneIsNotTakenBack()
    {
        const Box before = m->running();
        m->probe.isSilent = true;
        m->restart();
        QVERIFY(m->waitFor(before.boxId, BoxState::Failed));
    }

    void aMachineThatDiedMeanwhileFailsItsBox()
    {
        const Box before = m->running();
        m->kill();
        m->machines->die(before.machineId, QStringLiteral("power cut"));
        m->restart();
        QCOMPARE(m->box(before.boxId).state, BoxState::Failed);
        QVERIFY(m->box(before.boxId).failure.contains(u"power cut"));
        QCOMPARE(m->running().machineId, before.machineId);
    }

    void aMachineThatWasStoppedMeanwhileSleeps()
    {
        const Box before = m->running();
        m->kill();
        QVERIFY(QCoro::waitFor(m->machines->hibernate(before.machineId)));
        m->restart();
        QCOMPARE(m->box(before.boxId).state, BoxState::Hibernated);
    }

    void aMachineThatWasRemovedMeanwhileIsTold()
    {
        const Box before = m->running();
        m->kill();
        m->machines->vanish(before.machineId);
        m->restart();
        QCOMPARE(m->box(before.boxId).state, BoxState::Failed);
        QVERIFY(m->box(before.boxId).failure.contains(u"removed"));
    }

    void aStartThatWasCutGoesOnAsTheSameOperation()
    {
        m->probe.isSilent = true;
        const Box asked = m->ensure();
        QVERIFY(BoxRig::until([this] { return m->probe.tries > 0; }));
        m->kill();
        m->probe.isSilent = false;
        m->restart();
        QVERIFY(m->waitFor(asked.boxId, BoxState::Running));
        QCOMPARE(m->box(asked.boxId).operationId, asked.operationId);
        QCOMPARE(m->phases(asked.operationId), QStringLiteral("creating waking connecting waking connecting done"));
        QCOMPARE(m->machines->machines().size(), 1);
    }

    void aDeletionThatWasCutGoesOn()
    {
        const Box box = m->running();
        m->machines->setLatency(std::chrono::milliseconds(50));
        const auto operation = BoxRig::must(QCoro::waitFor(m->service->remove(m->owner, box.boxId)));
        m->kill();
        m->restart();
        QVERIFY(m->phases(operation.operationId).endsWith(u"done"));
        QVERIFY(!m->service->find(m->owner, box.boxId));
        QVERIFY(m->machines->machines().isEmpty());
    }

    void anOperationThatWasReplacedAsTheApiDiedIsEnded()
    {
        const Box box = m->running();
        Box changed = box;
        changed.operationId = QStringLiteral("op_other");
        const boxes::BoxStore store(*m->database);
        QVERIFY(QCoro::waitFor(store.saveWithOperation(changed, 1)));
        QVERIFY(QCoro::waitFor(store.save(box)));
        m->restart();
        QCOMPARE(m->phases(QStringLiteral("op_other")), QStringLiteral("failed"));
    }

    void closingPutsBoxesToSleep()
    {
        const Box box = m->running();
        const QString second = m->running(QStringLiteral("second")).boxId;
        QCoro::waitFor(m->service->close(std::chrono::seconds(10)));
        QCOMPARE(m->box(box.boxId).state, BoxState::Hibernated);
        QCOMPARE(m->box(second).state, BoxState::Hibernated);
        QCOMPARE(m->machineState(box.machineId), MachineState::Stopped);
        m->restart();
        QCOMPARE(m->box(box.boxId).state, BoxState::Hibernated);
        QVERIFY(m->phases(m->box(box.boxId).operationId).endsWith(u"done"));
    }

    void closingWhileABoxStartsPutsItToSleep()
    {
        m->probe.isSilent = true;
        m->settings.agentReadyLimit = std::chrono::hours(1);
        m->restart();
        const Box asked = m->ensure();
        QVERIFY(BoxRig::until([this] { return m->probe.tries > 0; }));
        QCoro::waitFor(m->service->close(std::chrono::seconds(10)));
        QCOMPARE(m->box(asked.boxId).state, BoxState::Hibernated);
    }

    void closingKeepsWhatMayOutliveTheApi()
    {
        m->settings.keepRunning = true;
        m->restart();
        const Box box = m->running();
        QCoro::waitFor(m->service->close(std::chrono::seconds(10)));
        QCOMPARE(m->machineState(box.machineId), MachineState::Running);
        m->restart();
        QVERIFY(m->waitFor(box.boxId, BoxState::Running));
        QCOMPARE(m->box(box.boxId).wakeId, box.wakeId);
    }

    void nothingStartsWhileItCloses()
    {
        const Box box = m->running();
        auto closing = m->service->close(std::chrono::seconds(10));
        QVERIFY(!QCoro::waitFor(m->service->ensure(m->owner, QStringLiteral("late"), {})));
        QCoro::waitFor(closing);
        QCOMPARE(QCoro::waitFor(m->service->ensure(m->owner, box.name, {})).error().reason,
                 QStringLiteral("API_STOPPING"));
    }

private:
    std::unique_ptr<BoxRig> m;
};

QTEST_GUILESS_MAIN(TestBoxRestart)
#include "tst_box_restart.moc"
