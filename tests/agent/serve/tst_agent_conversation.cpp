// SPDX-License-Identifier: AGPL-3.0-only
// What the model is told, made from any transcript: it must satisfy every wire.
#include "agent/serve/loop/call_text.h"
#include "agent/serve/loop/conversation.h"

#include <QRandomGenerator>
#include <QTest>

using namespace cocoonbox::agent::serve;
using namespace cocoonbox::agent::serve::transcript;
using loop::Conversation;
using wires::Message;

namespace {

Entry text(EntryKind kind, const QString& words, const QString& turn, int round = 0)
{
    return {.agentId = "a", .turnId = turn, .kind = kind, .round = round, .text = words};
}
Entry call(const QString& id, ToolState state, const QString& output, const QString& turn, int round)
{
    Entry entry = text(EntryKind::ToolCall, {}, turn, round);
    entry.toolCall = ToolCall{.callId = id, .tool = "shell", .argumentsJson = "{}", .state = state, .output = output};
    return entry;
}

QString told(const QList<Message>& messages)
{
    QStringList parts;
    for (const Message& message : messages) {
        QString part = message.role == Message::Role::User        ? "U:"
                       : message.role == Message::Role::Assistant ? "A:"
                                                                  : "T:";
        part += message.role == Message::Role::ToolResult ? message.callId + '=' + message.text : message.text;
        for (const auto& requested : message.calls)
            part += " >" + requested.callId;
        parts.append(part);
    }
    return parts.join(" / ");
}

} // namespace

class TestConversation : public QObject {
    Q_OBJECT
private slots:
    void aTurnIsToldAsItHappened()
    {
        Conversation conversation(100'000);
        for (const Entry& entry :
             {text(EntryKind::Prompt, "do", "t1"), text(EntryKind::Reply, "ok", "t1", 1),
              call("c1", ToolState::Done, "out", "t1", 1), call("c2", ToolState::Failed, "no", "t1", 1),
              call("c3", ToolState::Done, "", "t1", 2), text(EntryKind::Notice, "for people", "t1", 2),
              text(EntryKind::Reply, "done", "t1", 3), text(EntryKind::Prompt, "more", "t2")})
            conversation.add(entry);
        QCOMPARE(
            told(conversation.messages()),
            QString("U:do / A:ok >c1 >c2 / T:c1=out / T:c2=[failed] no / A: >c3 / T:c3=(no output) / A:done / U:more"));
        QVERIFY(wires::checkHistory(conversation.messages()));
    }

    void anEndedTurnLeavesAUsableHistory()
    {
        Conversation conversation(100'000);
        for (const Entry& entry :
             {text(EntryKind::Prompt, "do", "t1"), call("c1", ToolState::Cancelled, "half", "t1", 1),
              text(EntryKind::Error, "restarted", "t1"), text(EntryKind::Prompt, "again", "t2")})
            conversation.add(entry);
        const QList<Message> messages = conversation.messages();
        QVERIFY(wires::checkHistory(messages));
        QCOMPARE(messages.size(), 4);
        QVERIFY(messages[2].text.contains("cancelled"));
        QVERIFY(messages[3].text.contains("restarted") && messages[3].text.endsWith("again"));
    }

    // Any transcript that the loop can leave, cut at any budget.
    void everyHistoryMayBeSent()
    {
        const quint32 seed = QRandomGenerator::global()->generate();
        QRandomGenerator random(seed);
        for (int run = 0; run < 500; ++run) {
            Conversation conversation(random.bounded(20, 3000));
            int ids = 0;
            QString lastPrompt;
            for (int turn = random.bounded(1, 6); turn > 0; --turn) {
                const QString id = QString::number(turn);
                lastPrompt = "prompt " + id;
                conversation.add(text(EntryKind::Prompt, lastPrompt, id));
                for (int round = 1; round <= random.bounded(0, 6); ++round) {
                    if (random.bounded(2))
                        conversation.add(text(EntryKind::Reply, QString(random.bounded(1, 300), 'r'), id, round));
                    for (int calls = random.bounded(0, 4); calls > 0; --calls)
                        conversation.add(call(QString::number(++ids), static_cast<ToolState>(random.bounded(1, 6)),
                                              QString(random.bounded(0, 300), 'o'), id, round));
                    if (random.bounded(4) == 0) conversation.add(text(EntryKind::Notice, "n", id, round));
                }
                if (random.bounded(3) == 0) conversation.add(text(EntryKind::Error, "e", id));
            }
            conversation.add(text(EntryKind::Prompt, "last", "z"));
            const auto checked = wires::checkHistory(conversation.messages());
            QVERIFY2(checked, qPrintable(QString("seed %1: %2").arg(seed).arg(told(conversation.messages()))));
            QVERIFY(conversation.messages().last().text.endsWith("last"));
            QCOMPARE(conversation.messages().first().role, Message::Role::User);
        }
    }

    void theNewestPromptStaysWhenItsStepsOutgrowTheBudget()
    {
        Conversation conversation(2000);
        conversation.add(text(EntryKind::Prompt, "old", "t0"));
        conversation.add(text(EntryKind::Reply, "old answer", "t0", 1));
        conversation.add(text(EntryKind::Prompt, "the task", "t1"));
        for (int round = 1; round <= 20; ++round)
            conversation.add(call(QString::number(round), ToolState::Done, QString(500, 'o'), "t1", round));
        const QList<Message> messages = conversation.messages();
        QVERIFY(messages.first().text.contains("the task"));
        QVERIFY(messages.first().text.contains("left out"));
        QCOMPARE(messages.last().callId, QString("20"));
        QVERIFY(messages.size() < 12);
        QVERIFY(wires::checkHistory(messages));
    }

    void brokenHistoriesAreNotSent_data()
    {
        QTest::addColumn<QList<Message>>("messages");
        const Message user{.role = Message::Role::User, .text = "u"};
        const Message asks{.role = Message::Role::Assistant, .text = "", .calls = {{"1", "ls", "{}"}}};
        const Message answer{.role = Message::Role::ToolResult, .text = "", .callId = "1"};
        QTest::newRow("empty") << QList<Message>{};
        QTest::newRow("ends with the model") << QList<Message>{user, {.role = Message::Role::Assistant, .text = "a"}};
        QTest::newRow("call without result") << QList<Message>{user, asks};
        QTest::newRow("user between") << QList<Message>{user, asks, user, answer};
        QTest::newRow("two results") << QList<Message>{user, asks, answer, answer};
        QTest::newRow("result without call") << QList<Message>{user, answer};
        QTest::newRow("id used twice") << QList<Message>{user, asks, answer, asks, answer};
        QTest::newRow("empty message") << QList<Message>{{.role = Message::Role::User}};
        QTest::newRow("broken arguments")
            << QList<Message>{user, {.role = Message::Role::Assistant, .calls = {{"1", "ls", "{"}}}, answer};
    }
    void brokenHistoriesAreNotSent()
    {
        QFETCH(QList<Message>, messages);
        QVERIFY(!wires::checkHistory(messages));
    }

    void summariesAreOneBoundedLine()
    {
        QCOMPARE(loop::summaryOf("shell", R"({"command":"ls -l\n  /tmp"})"), QString("ls -l /tmp"));
        QCOMPARE(loop::summaryOf("read", R"({"path":"/etc/hosts"})"), QString("/etc/hosts"));
        QCOMPARE(loop::summaryOf("grep", R"({"pattern":"a b","path":"/x"})"), QString("a b /x"));
        QCOMPARE(loop::summaryOf("computer", R"({"action":"click","x":3,"y":4})"), QString("click at 3, 4"));
        const QByteArray longOne = "{\"command\":\"" + QString(1000, u'ä').toUtf8() + "\"}";
        QVERIFY(loop::summaryOf("shell", longOne).toUtf8().size() <= 512);
    }

    void onlyTheShellSetsItsOwnTime()
    {
        using namespace std::chrono_literals;
        QCOMPARE(loop::limitOf("shell", R"({"timeout_seconds":10})"), 15s);
        QCOMPARE(loop::limitOf("shell", R"({"timeout_seconds":100000})"), 605s);
        QCOMPARE(loop::limitOf("ls", R"({"timeout_seconds":10})"), 125s);
    }
};

QTEST_GUILESS_MAIN(TestConversation)
#include "tst_agent_conversation.moc"
