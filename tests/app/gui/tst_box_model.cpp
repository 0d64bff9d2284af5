// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/box_list_model.h"
#include "tests/app/gui/fake_links.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::AgentState;
using client::BoxState;
using client::SessionState;

namespace {
const QString kBoxId = QStringLiteral("box_main");
client::Box mainBox(BoxState state)
{
    return makeBox(QStringLiteral("main"), state);
}
} // namespace

class TestBoxModel : public QObject {
    Q_OBJECT
private slots:
    void whatCanBeDoneFollowsTheState_data()
    {
        QTest::addColumn<BoxState>("state");
        QTest::addColumn<bool>("canWake");
        QTest::addColumn<bool>("canSleep");
        QTest::addColumn<bool>("isBusy");
        QTest::newRow("starting") << BoxState::Starting << false << false << true;
        QTest::newRow("running") << BoxState::Running << false << true << false;
        QTest::newRow("hibernating") << BoxState::Hibernating << false << false << true;
        QTest::newRow("hibernated") << BoxState::Hibernated << true << false << false;
        QTest::newRow("failed") << BoxState::Failed << true << false << false;
        QTest::newRow("deleting") << BoxState::Deleting << false << false << true;
    }
    void whatCanBeDoneFollowsTheState()
    {
        QFETCH(BoxState, state);
        QFETCH(bool, canWake);
        QFETCH(bool, canSleep);
        QFETCH(bool, isBusy);
        FakeApiLink api;
        const BoxModel model(api, mainBox(state), {});
        QCOMPARE(model.canWake(), canWake);
        QCOMPARE(model.canSleep(), canSleep);
        QCOMPARE(model.isBusy(), isBusy);
        QVERIFY(!model.stateText().isEmpty());
    }

    void wakeAndSleepAskTheApi()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Hibernated), {});
        model.sleep();
        model.wake();
        QTRY_COMPARE(api.ensured, QStringList{QStringLiteral("main")});
        QVERIFY(api.hibernated.isEmpty());

        model.setBox(mainBox(BoxState::Running));
        model.sleep();
        QTRY_COMPARE(api.hibernated, QStringList{kBoxId});
    }

    void deletingAsksTheApiOnceAndHandsTheScreenBack()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        FakeBoxLink* link = api.links.value(kBoxId);
        link->holding = true;
        emit link->batonChanged();
        QVERIFY(model.canDelete());

        model.remove();

        QTRY_COMPARE(api.deleted, QStringList{kBoxId});
        QVERIFY(!link->holding);
        model.setBox(mainBox(BoxState::Deleting));
        QVERIFY(!model.canDelete());
        model.remove();
        QCOMPARE(api.deleted.size(), 1);
    }

    void aBoxThatCannotBeDeletedSaysWhyAndStays()
    {
        FakeApiLink api;
        api.nextError = Error{ErrorCode::Unavailable, QStringLiteral("podman does not answer."), {}, {}, {}};
        BoxModel model(api, mainBox(BoxState::Failed), {});
        model.remove();
        QTRY_COMPARE(model.failure(), QStringLiteral("podman does not answer."));
        QVERIFY(model.canDelete());
    }

    void theLossNamesTheAgents()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        const QString without = model.lossText();
        api.links.value(kBoxId)->sayAgents({makeAgent(QStringLiteral("b"), {}, AgentState::Idle, 2),
                                            makeAgent(QStringLiteral("a"), {}, AgentState::Idle, 1)});
        QVERIFY(without.contains(QStringLiteral("/workspace")));
        QVERIFY(model.lossText().contains(QStringLiteral("2 agents")));
    }

    void theAgentsClickSaysWhereThePointerIs()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        FakeBoxLink* link = api.links.value(kBoxId);
        link->say(SessionState::Connected);
        link->sayAgents({makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Working, 1)});
        QCOMPARE(model.screen()->control(), ScreenModel::Control::Agent);
        client::Entry call =
            makeToolCall(QStringLiteral("a"), 1, QStringLiteral("computer"), {}, client::ToolState::Running, {});
        call.toolCall.argumentsJson = QStringLiteral(R"({"action":"click","x":40,"y":30})");
        link->sayEntry(call);
        QCOMPARE(model.screen()->pointer(), QPoint(40, 30));
        call.seq = 2;
        call.toolCall.argumentsJson = QStringLiteral(R"({"action":"type","text":"x"})");
        link->sayEntry(call);
        call.seq = 3;
        call.toolCall.argumentsJson = QStringLiteral("nonsense");
        link->sayEntry(call);
        QCOMPARE(model.screen()->pointer(), QPoint(40, 30));
    }

    void aRefusalIsSaidUntilTheStateChanges()
    {
        FakeApiLink api;
        api.nextError = Error{ErrorCode::ResourceExhausted, QStringLiteral("The host has no memory left."), {}, {}, {}};
        BoxModel model(api, mainBox(BoxState::Hibernated), {});
        model.wake();
        QTRY_COMPARE(model.failure(), QStringLiteral("The host has no memory left."));
        QVERIFY(model.canWake());

        model.setBox(mainBox(BoxState::Starting));
        QVERIFY(model.failure().isEmpty());
    }

    void operationIsFollowedAndItsSentenceShown()
    {
        FakeApiLink api;
        client::Box box = mainBox(BoxState::Starting);
        box.operationId = QStringLiteral("op_1");
        BoxModel model(api, box, {});
        QTRY_VERIFY(api.followers.contains(QStringLiteral("op_1")));

        api.followers[QStringLiteral("op_1")](
            {QStringLiteral("op_1"), client::Phase::Waking, QStringLiteral("Starting the desktop"), {}, 0});
        QCOMPARE(model.detail(), QStringLiteral("Starting the desktop"));

        box.operationId = QStringLiteral("op_2");
        model.setBox(box);
        QTRY_VERIFY(api.followers.contains(QStringLiteral("op_2")));
        api.followers[QStringLiteral("op_1")](
            {QStringLiteral("op_1"), client::Phase::Done, QStringLiteral("late"), {}, 0});
        QVERIFY(model.detail() != QStringLiteral("late"));
    }

    void openingConnectsAndChoosesTheNewestAgent()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        FakeBoxLink* link = api.links.value(kBoxId);
        QVERIFY(link && link->started);
        QVERIFY(!model.conversation()->canSend());

        link->say(SessionState::Connected);
        link->sayAgents({makeAgent(QStringLiteral("b"), QStringLiteral("B"), AgentState::Idle, 2),
                         makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Idle, 1)});

        QCOMPARE(model.agents()->rowCount(), 2);
        QCOMPARE(model.conversation()->agentId(), QStringLiteral("b"));
        QVERIFY(model.conversation()->canSend());

        model.newAgent();
        link->sayAgents({makeAgent(QStringLiteral("c"), QStringLiteral("C"), AgentState::Idle, 3)});
        QVERIFY2(model.conversation()->agentId().isEmpty(), "a list that comes again must not take the user away");
    }

    void aBoxThatShouldAnswerAndDoesNotIsSaid()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        api.links.value(kBoxId)->say(SessionState::Connecting, QStringLiteral("No answer."));
        QVERIFY(model.linkMessage().isEmpty());
        QTRY_COMPARE(model.linkMessage(), QStringLiteral("No answer."));

        model.setBox(mainBox(BoxState::Hibernated));
        QVERIFY2(model.linkMessage().isEmpty(), "its state says it already");
    }

    void closingForgetsAgentsConversationAndPicture()
    {
        FakeApiLink api;
        BoxModel model(api, mainBox(BoxState::Running), {});
        model.open();
        api.links.value(kBoxId)->say(SessionState::Connected);
        api.links.value(kBoxId)->sayAgents({makeAgent(QStringLiteral("a"), {}, AgentState::Idle, 1)});

        model.close();

        QVERIFY(api.links.isEmpty());
        QCOMPARE(model.agents()->rowCount(), 0);
        QVERIFY(model.conversation()->agentId().isEmpty());
        QVERIFY(!model.conversation()->canSend());
    }

    void whyNothingCanBeSaidIsASentence_data()
    {
        QTest::addColumn<BoxState>("state");
        QTest::newRow("starting") << BoxState::Starting;
        QTest::newRow("hibernating") << BoxState::Hibernating;
        QTest::newRow("hibernated") << BoxState::Hibernated;
        QTest::newRow("failed") << BoxState::Failed;
        QTest::newRow("deleting") << BoxState::Deleting;
        QTest::newRow("running but not reached yet") << BoxState::Running;
    }
    void whyNothingCanBeSaidIsASentence()
    {
        QFETCH(BoxState, state);
        FakeApiLink api;
        BoxModel model(api, mainBox(state), {});
        QVERIFY(!model.conversation()->blockedReason().isEmpty());
    }

    void listKeepsTheModelOfABoxThatStays()
    {
        FakeApiLink api;
        BoxListModel list;
        const QAbstractItemModelTester tester(&list);
        list.setBoxes(
            api, {makeBox(QStringLiteral("a"), BoxState::Running), makeBox(QStringLiteral("c"), BoxState::Running)},
            {});
        const BoxModel* c = list.at(1);
        QSignalSpy removed(&list, &BoxListModel::aboutToRemove);

        list.setBoxes(
            api, {makeBox(QStringLiteral("b"), BoxState::Starting), makeBox(QStringLiteral("c"), BoxState::Hibernated)},
            {});

        QCOMPARE(list.rowCount(), 2);
        QCOMPARE(list.at(0)->name(), QStringLiteral("b"));
        QCOMPARE(list.at(1), c);
        QCOMPARE(list.at(1)->state(), BoxModel::State::Hibernated);
        QCOMPARE(removed.size(), 1);
        list.clear();
        QCOMPARE(list.rowCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestBoxModel)
#include "tst_box_model.moc"
