// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/conformance/machines/machines_suite.h"

#include "common/net/unix_socket.h"
#include "tests/conformance/machines/suite_support.h"

#include <QDir>
#include <QFileInfo>
#include <QTest>

namespace cocoonbox::api::machines {

Machine MachinesSuite::claimed()
{
    auto machine = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(newId(u"box_"))));
    if (!machine) qFatal("claim: %s (%s)", qPrintable(machine.error().message), qPrintable(machine.error().detail));
    return *machine;
}

Machine MachinesSuite::running()
{
    const Machine machine = claimed();
    const auto woken = QCoro::waitFor(m_rig.machines().wake(machine.id));
    if (!woken) qFatal("wake: %s (%s)", qPrintable(woken.error().message), qPrintable(woken.error().detail));
    return machine;
}

void MachinesSuite::cleanup()
{
    for (const Machine& machine : m_rig.machines().machines())
        QVERIFY(QCoro::waitFor(m_rig.machines().release(machine.id)));
}

void MachinesSuite::claimMakesAStoppedMachine()
{
    const MachineSpec spec = m_rig.spec(newId(u"box_"));
    const qint64 before = QDateTime::currentMSecsSinceEpoch();

    const auto machine = QCoro::waitFor(m_rig.machines().claim(spec));

    QVERIFY2(machine, qPrintable(reasonOf(machine)));
    QVERIFY(!machine->id.isEmpty() && machine->id.size() <= 64);
    QCOMPARE(machine->boxId, spec.boxId);
    QCOMPARE(machine->image, spec.image);
    QCOMPARE(machine->flavor, spec.flavor.name);
    QCOMPARE(machine->state, MachineState::Stopped);
    QVERIFY(machine->createdAtMs >= before && machine->createdAtMs <= QDateTime::currentMSecsSinceEpoch());
    QCOMPARE(m_rig.machines().machines(), QList{*machine});
}

void MachinesSuite::claimAgainAnswersTheSameMachine()
{
    const Machine first = running();
    MachineSpec other = m_rig.spec(first.boxId);
    other.flavor = *flavorNamed(u"large");

    const auto second = QCoro::waitFor(m_rig.machines().claim(other));

    QVERIFY(second);
    QCOMPARE(second->id, first.id);
    QCOMPARE(second->flavor, first.flavor);
    QCOMPARE(second->state, MachineState::Running);
}

void MachinesSuite::claimsAtTheSameTimeMakeOneMachine()
{
    const MachineSpec spec = m_rig.spec(newId(u"box_"));
    auto one = m_rig.machines().claim(spec);
    auto two = m_rig.machines().claim(spec);

    const auto first = QCoro::waitFor(one);
    const auto second = QCoro::waitFor(two);

    QVERIFY(first && second);
    QCOMPARE(first->id, second->id);
    QCOMPARE(m_rig.machines().machines().size(), 1);
}

void MachinesSuite::claimRefusesWhatIsNoBoxId_data()
{
    QTest::addColumn<QString>("boxId");
    QTest::newRow("empty") << QString();
    QTest::newRow("a path") << QStringLiteral("../../etc");
    QTest::newRow("a path of the right length") << QStringLiteral("box_../../../../../../../../x");
    QTest::newRow("another noun's id") << newId(u"usr_");
    QTest::newRow("an option") << QStringLiteral("--privileged");
}

void MachinesSuite::claimRefusesWhatIsNoBoxId()
{
    QFETCH(QString, boxId);

    const auto machine = QCoro::waitFor(m_rig.machines().claim(m_rig.spec(boxId)));

    QCOMPARE(reasonOf(machine), QStringLiteral("BOX_ID_INVALID"));
}

void MachinesSuite::wakeRunsTheMachineAndASecondWakeDoesNothing()
{
    const Machine machine = running();
    const auto before = m_rig.machines().endpoint(machine.id);
    QVERIFY2(before, qPrintable(reasonOf(before)));
    const Heard heard(m_rig.machines(), machine.boxId);

    const auto again = QCoro::waitFor(m_rig.machines().wake(machine.id));

    QVERIFY(again);
    QCOMPARE(heard.states, States{});
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Running);
    QCOMPARE(m_rig.machines().endpoint(machine.id)->key, before->key);
}

void MachinesSuite::hibernateKeepsTheDisk()
{
    const Machine machine = running();
    m_rig.writeDisk(machine.id, QStringLiteral("note"), "kept over the night");

    QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(machine.id)));
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Stopped);
    QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine.id)));

    QCOMPARE(m_rig.readDisk(machine.id, QStringLiteral("note")), QByteArray("kept over the night"));
}

void MachinesSuite::hibernateAtRestDoesNothing()
{
    const Machine machine = claimed();
    const Heard heard(m_rig.machines(), machine.boxId);

    QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(machine.id)));

    QCOMPARE(heard.states, States{});
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Stopped);
}

void MachinesSuite::wakeChangesTheEndpointsKeyAndEndsTheOldEndpoint()
{
    const Machine machine = running();
    const Endpoint first = *m_rig.machines().endpoint(machine.id);
    QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(machine.id)));
    QCOMPARE(reasonOf(first.dial(Channel::Agent)), QStringLiteral("ENDPOINT_STALE"));

    QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine.id)));

    const Endpoint second = *m_rig.machines().endpoint(machine.id);
    QVERIFY(!first.key.isEmpty() && !second.key.isEmpty());
    QVERIFY(first.key != second.key);
    const auto listener =
        net::listenUnixIn(net::openDirectory(channelDirectory(m_rig, machine.boxId, Channel::Agent))->get(),
                          QStringLiteral("agent.sock"));
    QVERIFY(listener);
    QCOMPARE(reasonOf(first.dial(Channel::Agent)), QStringLiteral("ENDPOINT_STALE"));
    const auto dialled = second.dial(Channel::Agent);
    QVERIFY2(dialled, qPrintable(reasonOf(dialled)));
    ::close(*dialled);
}

void MachinesSuite::releaseRemovesEverything()
{
    const Machine machine = running();
    const Endpoint endpoint = *m_rig.machines().endpoint(machine.id);
    m_rig.setTrap(machine, Channel::Agent, Trap::LinkToSocket, QStringLiteral("/etc/passwd"));
    QVERIFY(QCoro::waitFor(m_rig.machines().deliver(machine.id, identityFor(machine.boxId))));
    QVERIFY(QCoro::waitFor(m_rig.machines().setMeta(machine.id, QStringLiteral("a"), QStringLiteral("b"))));

    QVERIFY(QCoro::waitFor(m_rig.machines().release(machine.id)));

    QVERIFY(m_rig.machines().machines().isEmpty());
    const auto listed = QCoro::waitFor(m_rig.machines().list());
    QVERIFY(listed && listed->isEmpty());
    QCOMPARE(reasonOf(m_rig.machines().endpoint(machine.id)), QStringLiteral("MACHINE_UNKNOWN"));
    QCOMPARE(reasonOf(endpoint.dial(Channel::Agent)), QStringLiteral("ENDPOINT_STALE"));
    QVERIFY(QDir(m_rig.dataDirectory() + QStringLiteral("/boxes")).isEmpty());
    QVERIFY(QFileInfo::exists(QStringLiteral("/etc/passwd")));
}

void MachinesSuite::releaseOfAnUnknownIdDoesNothing()
{
    const Machine machine = claimed();
    QVERIFY(QCoro::waitFor(m_rig.machines().release(machine.id)));

    QVERIFY(QCoro::waitFor(m_rig.machines().release(machine.id)));
    QVERIFY(QCoro::waitFor(m_rig.machines().release(QStringLiteral("never-was"))));
}

void MachinesSuite::anUnknownIdIsNotFound()
{
    Machines& machines = m_rig.machines();
    const QString id = QStringLiteral("--all");
    const QString unknown = QStringLiteral("MACHINE_UNKNOWN");

    QCOMPARE(reasonOf(QCoro::waitFor(machines.wake(id))), unknown);
    QCOMPARE(reasonOf(QCoro::waitFor(machines.hibernate(id))), unknown);
    QCOMPARE(reasonOf(QCoro::waitFor(machines.deliver(id, identityFor(newId(u"box_"))))), unknown);
    QCOMPARE(reasonOf(QCoro::waitFor(machines.meta(id))), unknown);
    QCOMPARE(reasonOf(QCoro::waitFor(machines.setMeta(id, QStringLiteral("a"), QStringLiteral("b")))), unknown);
    QCOMPARE(reasonOf(machines.endpoint(id)), unknown);
    QCOMPARE(reasonOf(machines.doorDirectory(QStringLiteral("../.."))), unknown);
}

void MachinesSuite::listTellsTheMachinesInOrder()
{
    const Machine first = running();
    QTest::qSleep(2); // the order within one millisecond is open
    const Machine second = claimed();
    const Heard heard(m_rig.machines(), first.boxId);

    const auto listed = QCoro::waitFor(m_rig.machines().list());

    QVERIFY2(listed, qPrintable(reasonOf(listed)));
    QCOMPARE(listed->size(), 2);
    QCOMPARE(listed->at(0).id, first.id);
    QCOMPARE(listed->at(0).state, MachineState::Running);
    QCOMPARE(listed->at(1), second);
    QCOMPARE(m_rig.machines().machines(), *listed);
    QCOMPARE(heard.states, States{});
}

void MachinesSuite::changesAreToldOnceAndInOrder()
{
    Machines& machines = m_rig.machines();
    const QString boxId = newId(u"box_");
    const Heard heard(machines, boxId);
    States asked;
    const auto connection = connect(&machines, &Machines::changed, &machines,
                                    [&](const Machine& machine) { asked.append(stateOf(machines, machine.id)); });

    const auto machine = QCoro::waitFor(machines.claim(m_rig.spec(boxId)));
    QVERIFY(machine);
    QVERIFY(QCoro::waitFor(machines.wake(machine->id)));
    QVERIFY(QCoro::waitFor(machines.hibernate(machine->id)));
    QVERIFY(QCoro::waitFor(machines.release(machine->id)));
    disconnect(connection);

    const States expected{MachineState::Stopped,  MachineState::Starting, MachineState::Running,
                          MachineState::Stopping, MachineState::Stopped,  MachineState::Gone};
    QCOMPARE(heard.states, expected);
    QCOMPARE(asked, expected);
}

void MachinesSuite::aDeathIsNoticedAndTheDiskIsKept()
{
    const Machine machine = running();
    const Endpoint endpoint = *m_rig.machines().endpoint(machine.id);
    m_rig.writeDisk(machine.id, QStringLiteral("note"), "written before the crash");
    const Heard heard(m_rig.machines(), machine.boxId);
    QElapsedTimer elapsed;
    elapsed.start();

    m_rig.kill(machine);

    QTRY_COMPARE_WITH_TIMEOUT(heard.states, States{MachineState::Failed}, 5000);
    qInfo("a death was told after %lld ms", elapsed.elapsed());
    const Machine dead = m_rig.machines().machines().constFirst();
    QVERIFY(!dead.reason.isEmpty());
    QCOMPARE(reasonOf(m_rig.machines().endpoint(machine.id)), QStringLiteral("MACHINE_NOT_RUNNING"));
    QCOMPARE(reasonOf(endpoint.dial(Channel::Agent)), QStringLiteral("ENDPOINT_STALE"));
    QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine.id)));
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Running);
    QCOMPARE(m_rig.readDisk(machine.id, QStringLiteral("note")), QByteArray("written before the crash"));
}

void MachinesSuite::aDeadMachineIsStartedByWakeAtOnce()
{
    const Machine machine = running();
    const QString key = m_rig.machines().endpoint(machine.id)->key;
    m_rig.kill(machine);

    const auto woken = QCoro::waitFor(m_rig.machines().wake(machine.id));

    QVERIFY2(woken, qPrintable(reasonOf(woken)));
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Running);
    QVERIFY(m_rig.machines().endpoint(machine.id)->key != key);
    QTest::qWait(300);
    QCOMPARE(stateOf(m_rig.machines(), machine.id), MachineState::Running);
}

void MachinesSuite::callsForOneMachineTakeTurns()
{
    Machines& machines = m_rig.machines();
    const Machine machine = claimed();
    const Heard heard(machines, machine.boxId);
    auto wake = machines.wake(machine.id);
    auto sameWake = machines.wake(machine.id);
    auto hibernate = machines.hibernate(machine.id);
    auto secondWake = machines.wake(machine.id);
    auto release = machines.release(machine.id);
    auto lateWake = machines.wake(machine.id);

    QVERIFY(QCoro::waitFor(wake));
    QVERIFY(QCoro::waitFor(sameWake));
    QVERIFY(QCoro::waitFor(hibernate));
    QVERIFY(QCoro::waitFor(secondWake));
    QVERIFY(QCoro::waitFor(release));
    QCOMPARE(reasonOf(QCoro::waitFor(lateWake)), QStringLiteral("MACHINE_UNKNOWN"));

    const States expected{MachineState::Starting, MachineState::Running, MachineState::Stopping, MachineState::Stopped,
                          MachineState::Starting, MachineState::Running, MachineState::Gone};
    QCOMPARE(heard.states, expected);
}

void MachinesSuite::tooManyWaitingCallsAreRefused()
{
    Machines& machines = m_rig.machines();
    const Machine machine = claimed();
    std::vector<Task<void>> calls;
    for (int i = 0; i < kWaitersMax + 1; ++i)
        calls.push_back(machines.wake(machine.id));

    const auto refused = QCoro::waitFor(machines.wake(machine.id));

    QCOMPARE(reasonOf(refused), QStringLiteral("MACHINE_BUSY"));
    for (auto& call : calls)
        QVERIFY(QCoro::waitFor(call));
}

} // namespace cocoonbox::api::machines
