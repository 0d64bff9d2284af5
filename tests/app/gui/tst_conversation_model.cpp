// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/conversation_model.h"
#include "tests/app/gui/fake_links.h"

#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::AgentState;
using client::EntryKind;

class TestConversationModel : public QObject {
    Q_OBJECT
private slots:
    void firstPromptMakesAnAgentNamedAfterIt()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        QSignalSpy sent(&model, &ConversationModel::sent);

        model.send(QStringLiteral("  Write hello\ninto a file  "));

        QTRY_COMPARE(sent.size(), 1);
        QCOMPARE(link.createdTitles, QStringList{QStringLiteral("Write hello")});
        QCOMPARE(link.sentPrompts,
                 (QList<FakeBoxLink::Sent>{{QStringLiteral("agt_new1"), QStringLiteral("Write hello\ninto a file")}}));
        QCOMPARE(model.agentId(), QStringLiteral("agt_new1"));
        QCOMPARE(model.title(), QStringLiteral("Write hello"));
        QVERIFY(link.transcript(QStringLiteral("agt_new1")));
    }

    void aFailureIsSaidAndThePromptIsKept()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        model.open(QStringLiteral("a"));
        link.nextError = Error{ErrorCode::Unavailable, QStringLiteral("The box does not answer."), {}, {}, {}};
        QSignalSpy sent(&model, &ConversationModel::sent);

        model.send(QStringLiteral("hi"));

        QTRY_COMPARE(model.errorMessage(), QStringLiteral("The box does not answer."));
        QCOMPARE(sent.size(), 0);
        QVERIFY(model.canSend());
        model.dismissError();
        QVERIFY(model.errorMessage().isEmpty());
    }

    void nothingIsSentWhileBlockedOrEmpty()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, QStringLiteral("The box is asleep."));
        model.send(QStringLiteral("hi"));
        QCOMPARE(model.blockedReason(), QStringLiteral("The box is asleep."));

        model.setWhyNot({});
        model.send(QStringLiteral("   \n"));

        QVERIFY(link.sentPrompts.isEmpty());
        QVERIFY(link.createdTitles.isEmpty());
    }

    void aRunningTurnBlocksAndCanBeStopped()
    {
        AgentListModel agents;
        agents.putAgent(makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Working, 1));
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        model.open(QStringLiteral("a"));

        QVERIFY(model.isWorking());
        QVERIFY(!model.canSend());
        model.stop();

        QTRY_COMPARE(link.cancelled, QStringList{QStringLiteral("a")});
    }

    void aPromptThatIsTooLongIsRefusedHere()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        model.send(QString(300 * 1024, u'x'));
        QVERIFY(!model.errorMessage().isEmpty());
        QVERIFY(link.createdTitles.isEmpty());
    }

    void onlyTheOpenAgentIsShown()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        model.open(QStringLiteral("a"));
        QVERIFY(model.isLoading());
        link.sayTranscript(QStringLiteral("a"),
                           {makeEntry(QStringLiteral("a"), 1, EntryKind::Prompt, QStringLiteral("hi"))});
        QVERIFY(!model.isLoading());

        link.sayEntry(makeEntry(QStringLiteral("b"), 1, EntryKind::Prompt, QStringLiteral("other")));
        link.sayDraft(QStringLiteral("a"), QStringLiteral("t"), QStringLiteral("Hel"));
        QCOMPARE(model.transcript()->rowCount(), 2);
        link.sayEntry(makeEntry(QStringLiteral("a"), 2, EntryKind::Reply, QStringLiteral("Hello")));
        QCOMPARE(model.transcript()->rowCount(), 2);

        model.open(QStringLiteral("b"));
        QVERIFY(!link.transcript(QStringLiteral("a")));
    }

    void aTranscriptThatCannotBeReadIsAnError()
    {
        AgentListModel agents;
        FakeBoxLink link;
        ConversationModel model(agents);
        model.setLink(&link, {});
        model.open(QStringLiteral("a"));
        emit link.transcriptFailed(QStringLiteral("a"),
                                   Error{ErrorCode::NotFound, QStringLiteral("No such agent."), {}, {}, {}});
        QVERIFY(!model.isLoading());
        QCOMPARE(model.errorMessage(), QStringLiteral("No such agent."));
    }
};

QTEST_GUILESS_MAIN(TestConversationModel)
#include "tst_conversation_model.moc"
