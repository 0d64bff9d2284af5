// SPDX-License-Identifier: AGPL-3.0-only
// The whole life of a box: every state with every event.
#include "api/boxes/box_state.h"

#include <array>
#include <QTest>

using namespace cocoonbox::api::boxes;

namespace {

constexpr std::array kStates = {BoxState::Starting, BoxState::Running,  BoxState::Hibernating, BoxState::Hibernated,
                                BoxState::Failed,   BoxState::Deleting, BoxState::Gone};

struct Row {
    Event event;
    const char* name;
    // By state, in the order of kStates: "state action"; "-" is: nothing changes, nothing is done.
    std::array<const char*, 7> next;
};

// clang-format off
constexpr auto kTable = std::to_array<Row>({
    // event                                        starting           running           hibernating        hibernated        failed            deleting        gone
    {Event::EnsureAsked, "EnsureAsked",           {"-",               "-",              "hibernating !",   "starting start", "starting start", "deleting !",   "-"}},
    {Event::HibernateAsked, "HibernateAsked",     {"hibernating stop", "hibernating stop", "-",            "-",              "hibernating stop", "deleting !", "-"}},
    {Event::DeleteAsked, "DeleteAsked",           {"deleting remove", "deleting remove", "deleting remove", "deleting remove", "deleting remove", "-",         "-"}},
    {Event::Started, "Started",                   {"running conclude", "-",             "-",               "-",              "-",              "-",            "-"}},
    {Event::StartFailed, "StartFailed",           {"failed conclude", "-",              "-",               "-",              "-",              "-",            "-"}},
    {Event::Stopped, "Stopped",                   {"-",               "-",              "hibernated conclude", "-",          "-",              "-",            "-"}},
    {Event::StopFailed, "StopFailed",             {"-",               "-",              "failed conclude", "-",              "-",              "-",            "-"}},
    {Event::Removed, "Removed",                   {"-",               "-",              "-",               "-",              "-",              "gone conclude", "-"}},
    {Event::RemoveFailed, "RemoveFailed",         {"-",               "-",              "-",               "-",              "-",              "failed conclude", "-"}},
    {Event::MachineDied, "MachineDied",           {"-",               "starting restart", "-",             "-",              "-",              "-",            "-"}},
    {Event::MachineDiedAgain, "MachineDiedAgain", {"-",               "failed",         "-",               "-",              "-",              "-",            "-"}},
    {Event::MachineVanished, "MachineVanished",   {"-",               "failed",         "-",               "failed",         "-",              "-",            "-"}},
    {Event::FoundRunning, "FoundRunning",         {"starting start",  "starting adopt", "hibernating stop", "hibernating stop", "-",            "deleting remove", "-"}},
    {Event::FoundStopped, "FoundStopped",         {"starting start",  "hibernated",     "hibernated conclude", "-",          "-",              "deleting remove", "-"}},
    {Event::FoundDied, "FoundDied",               {"starting start",  "failed",         "hibernated conclude", "-",          "-",              "deleting remove", "-"}},
    {Event::FoundNothing, "FoundNothing",         {"starting start",  "failed",         "failed conclude", "failed",         "-",              "deleting remove", "-"}},
});
// clang-format on

QString actionName(Action action)
{
    switch (action) {
    case Action::None: return {};
    case Action::Refuse: return QStringLiteral(" !");
    case Action::Start: return QStringLiteral(" start");
    case Action::Restart: return QStringLiteral(" restart");
    case Action::Adopt: return QStringLiteral(" adopt");
    case Action::Stop: return QStringLiteral(" stop");
    case Action::Remove: return QStringLiteral(" remove");
    case Action::Conclude: return QStringLiteral(" conclude");
    }
    Q_UNREACHABLE_RETURN({});
}

} // namespace

class TestBoxState : public QObject {
    Q_OBJECT
private slots:
    void everyPairLeadsWhereItShould_data()
    {
        QTest::addColumn<BoxState>("state");
        QTest::addColumn<Event>("event");
        QTest::addColumn<QString>("expected");
        for (const Row& row : kTable)
            for (size_t i = 0; i < kStates.size(); ++i) {
                const QString same = boxStateName(kStates[i]);
                const QString cell = QString::fromLatin1(row.next[i]);
                QTest::addRow("%s, %s", qPrintable(same), row.name)
                    << kStates[i] << row.event << (cell == u"-" ? same : cell);
            }
    }
    void everyPairLeadsWhereItShould()
    {
        QFETCH(BoxState, state);
        QFETCH(Event, event);
        QFETCH(QString, expected);
        const Transition next = transition(state, event);
        QCOMPARE(boxStateName(next.state) + actionName(next.action), expected);
    }

    void theTableIsWhole()
    {
        QCOMPARE(kTable.size(), static_cast<size_t>(Event::FoundNothing) + 1);
        for (size_t i = 0; i < kTable.size(); ++i)
            QCOMPARE(static_cast<size_t>(kTable[i].event), i);
        QCOMPARE(kStates.size(), static_cast<size_t>(BoxState::Gone) + 1);
    }

    // What a crash of the api leaves open is taken up again, whatever the backend holds.
    void noStateOfWorkSurvivesARestartUnattended()
    {
        for (const BoxState state : {BoxState::Starting, BoxState::Hibernating, BoxState::Deleting})
            for (const Event event : {Event::FoundRunning, Event::FoundStopped, Event::FoundDied, Event::FoundNothing})
                QVERIFY(transition(state, event).action != Action::None);
    }

    void namesReadBackTheSame()
    {
        for (const BoxState state : kStates)
            QCOMPARE(boxStateOf(boxStateName(state)), state);
        for (int phase = 0; phase <= static_cast<int>(Phase::Failed); ++phase)
            QCOMPARE(phaseOf(phaseName(static_cast<Phase>(phase))), static_cast<Phase>(phase));
    }
};

QTEST_GUILESS_MAIN(TestBoxState)
#include "tst_box_state.moc"
