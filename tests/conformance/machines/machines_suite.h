// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "tests/conformance/machines/machines_rig.h"

#include <QObject>

namespace cocoonbox::api::machines {

// What every backend of the port promises. One executable a backend runs it with its own rig.
class MachinesSuite final : public QObject {
    Q_OBJECT
public:
    explicit MachinesSuite(MachinesRig& rig) : m_rig(rig) {}

private slots:
    void cleanup();

    void claimMakesAStoppedMachine();
    void claimAgainAnswersTheSameMachine();
    void claimsAtTheSameTimeMakeOneMachine();
    void claimRefusesWhatIsNoBoxId_data();
    void claimRefusesWhatIsNoBoxId();
    void wakeRunsTheMachineAndASecondWakeDoesNothing();
    void hibernateKeepsTheDisk();
    void hibernateAtRestDoesNothing();
    void wakeChangesTheEndpointsKeyAndEndsTheOldEndpoint();
    void releaseRemovesEverything();
    void releaseOfAnUnknownIdDoesNothing();
    void anUnknownIdIsNotFound();
    void listTellsTheMachinesInOrder();
    void changesAreToldOnceAndInOrder();
    void aDeathIsNoticedAndTheDiskIsKept();
    void aDeadMachineIsStartedByWakeAtOnce();
    void anEndpointNeedsARunningMachine();
    void dialConnectsToWhatTheBoxServes_data();
    void dialConnectsToWhatTheBoxServes();
    void dialBeforeTheBoxListensIsWorthAnotherTry();
    void dialNeverOpensWhatIsNoSocket_data();
    void dialNeverOpensWhatIsNoSocket();
    void dialWorksOnOtherThreads();
    void deliverReplacesTheIdentity();
    void deliverRefusesWhatDoesNotFit_data();
    void deliverRefusesWhatDoesNotFit();
    void metaIsKeptOverHibernateAndForgottenByRelease();
    void metaIsBounded();
    void theDoorDirectoryStandsFromClaimToRelease();
    void callsForOneMachineTakeTurns();
    void tooManyWaitingCallsAreRefused();

private:
    Machine claimed();
    Machine running();

    MachinesRig& m_rig;
};

} // namespace cocoonbox::api::machines
