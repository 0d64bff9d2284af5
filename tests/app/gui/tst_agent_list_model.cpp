// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/agent_list_model.h"
#include "tests/app/gui/fake_links.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::AgentState;

class TestAgentListModel : public QObject {
    Q_OBJECT

    static QStringList ids(const AgentListModel& model)
    {
        QStringList ids;
        for (int row = 0; row < model.rowCount(); ++row)
            ids.append(model.index(row).data(AgentListModel::AgentIdRole).toString());
        return ids;
    }

private slots:
    void newestChangeComesFirst()
    {
        AgentListModel model;
        const QAbstractItemModelTester tester(&model);
        model.setAgents({makeAgent(QStringLiteral("b"), QStringLiteral("B"), AgentState::Idle, 20),
                         makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Idle, 10)});

        model.putAgent(makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Working, 30));
        QCOMPARE(ids(model), (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
        QCOMPARE(model.index(0).data(AgentListModel::StateRole).value<AgentListModel::State>(),
                 AgentListModel::State::Working);

        model.putAgent(makeAgent(QStringLiteral("c"), {}, AgentState::Idle, 25));
        QCOMPARE(ids(model), (QStringList{QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("b")}));
        QCOMPARE(model.index(1).data(AgentListModel::TitleRole).toString(), QStringLiteral("New agent"));

        model.putAgent(makeAgent(QStringLiteral("a"), QStringLiteral("A"), AgentState::Idle, 5));
        QCOMPARE(ids(model), (QStringList{QStringLiteral("c"), QStringLiteral("b"), QStringLiteral("a")}));
    }

    void saysWhetherAnAgentWaitsForTheScreen()
    {
        AgentListModel model;
        QSignalSpy changed(&model, &AgentListModel::screenAwaitedChanged);
        model.putAgent(makeAgent(QStringLiteral("a"), {}, AgentState::WaitingForScreen, 1));
        QVERIFY(model.screenAwaited());
        model.putAgent(makeAgent(QStringLiteral("a"), {}, AgentState::Working, 2));
        QVERIFY(!model.screenAwaited());
        QCOMPARE(changed.size(), 2);
    }

    void theSameListAgainIsNoChange()
    {
        AgentListModel model;
        const QList<client::Agent> agents{makeAgent(QStringLiteral("a"), {}, AgentState::Idle, 1)};
        model.setAgents(agents);
        QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
        model.setAgents(agents);
        QCOMPARE(reset.size(), 0);
    }
};

QTEST_GUILESS_MAIN(TestAgentListModel)
#include "tst_agent_list_model.moc"
