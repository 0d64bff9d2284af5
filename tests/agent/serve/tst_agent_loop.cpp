// SPDX-License-Identifier: AGPL-3.0-only
// The loop against a model's server that speaks the chat wire and a toolhost that speaks the port.
#include "tests/agent/serve/box_fixture.h"

#include "common/base/ids.h"

using namespace cocoonbox;
using namespace cocoonbox::test;
using namespace std::chrono_literals;
using namespace cocoonbox::agent::serve::transcript;

namespace {

QString told(const QList<Entry>& entries)
{
    QStringList parts;
    for (const Entry& entry : entries) {
        static const QStringList kinds{"", "PROMPT", "REPLY", "TOOL", "NOTICE", "ERROR", "HANDBACK"};
        static const QStringList states{"", "RUNNING", "WAITING", "DONE", "FAILED", "CANCELLED"};
        QString part = kinds[static_cast<int>(entry.kind)];
        if (entry.toolCall) part += ':' + entry.toolCall->tool + ':' + states[static_cast<int>(entry.toolCall->state)];
        parts.append(part);
    }
    return parts.join(' ');
}

} // namespace

class TestLoop : public QObject {
    Q_OBJECT
private slots:
    void init() { m_box = std::make_unique<BoxFixture>(); }
    void cleanup() { m_box.reset(); }

    void aTurnRunsToolsAndAnswers()
    {
        BoxFixture& box = *m_box;
        box.toolhost.onCall = [&](const auto& call) { box.toolhost.answer(call.id, "hello\n[exit code 0]"); };
        box.model.turns = {calls({{"shell", R"({"command":"echo hello"})"}}, "Let me see."),
                           says({"It says ", "hello."})};
        const QString id = box.newAgent();
        box.send(id, "Run it");
        QVERIFY(box.waitIdle(id));
        const QList<Entry> entries = box.entries(id);
        QCOMPARE(told(entries), QString("PROMPT REPLY TOOL:shell:DONE REPLY"));
        QCOMPARE(entries[2].toolCall->summary, QString("echo hello"));
        QCOMPARE(entries[2].toolCall->output, QString("hello\n[exit code 0]"));
        QVERIFY(entries[2].toolCall->endedAtMs >= entries[2].toolCall->startedAtMs);
        QCOMPARE(entries[3].text, QString("It says hello."));
        QCOMPARE(box.toolhost.calls.first().tool, QString("shell"));
        QCOMPARE(box.toolhost.calls.first().scope, id);
        // The second request tells the whole story.
        const QJsonArray messages = box.lastMessages();
        QCOMPARE(messages.size(), 3);
        QCOMPARE(messages[1].toObject()["content"].toString(), QString("Let me see."));
        const QString callId = messages[1].toObject()["tool_calls"].toArray()[0].toObject()["id"].toString();
        QCOMPARE(messages[2].toObject()["tool_call_id"].toString(), callId);
        QCOMPARE(box.model.requests[0]["model"].toString(), QString("default"));
        QCOMPARE(box.model.requests[0]["tools"].toArray().size(), 7);
        QVERIFY(box.model.requests[0]["stream_options"].toObject()["include_usage"].toBool());
        QVERIFY(box.model.requests[0]["messages"].toArray()[0].toObject()["content"].toString().size() > 500);
    }

    void theNextTurnKnowsTheLast()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {says({"one"}), says({"two"})};
        const QString id = box.newAgent();
        box.send(id, "first");
        QVERIFY(box.waitIdle(id));
        box.send(id, "second");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(box.lastMessages().size(), 3);
        QCOMPARE(box.lastMessages()[1].toObject()["content"].toString(), QString("one"));
    }

    void callsRunInOrderAndBadOnesAreAnsweredNotRun()
    {
        BoxFixture& box = *m_box;
        box.toolhost.onCall = [&](const auto& call) {
            box.toolhost.answer(call.id, "no such file", call.tool == "read");
        };
        box.model.turns = {calls({{"read", R"({"path":"/x"})"}, {"ls", "{\"path\":"}, {"fly", "{}"}, {"ls", ""}}),
                           says({"ok"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)),
                 QString("PROMPT TOOL:read:FAILED TOOL:ls:FAILED TOOL:fly:FAILED TOOL:ls:DONE REPLY"));
        QCOMPARE(box.toolhost.calls.size(), 2);
        QCOMPARE(box.toolhost.calls[1].arguments, QByteArray("{}"));
        QCOMPARE(box.lastMessages().size(), 6); // the prompt, one reply with four calls, four results
        QVERIFY(box.lastMessages()[3].toObject()["content"].toString().contains("no valid JSON"));
        QVERIFY(box.lastMessages()[4].toObject()["content"].toString().contains("no tool named \"fly\""));
    }

    void nothingOfACutOffReplyIsExecuted()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {calls({{"write", R"({"path":"/x","content":"half"})"}}, {}, "length"),
                           says({"smaller then"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:write:FAILED REPLY"));
        QVERIFY(box.toolhost.calls.isEmpty());
    }

    void aCutOffAnswerSaysSo()
    {
        BoxFixture& box = *m_box;
        ModelTurn turn;
        turn.pieces = {deltaFrame({{"content", "half an"}}), deltaFrame({}, "length")};
        box.model.turns = {turn};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT REPLY NOTICE"));
    }

    void failuresBeforeAnythingRanAreRetried_data()
    {
        QTest::addColumn<int>("which");
        QTest::newRow("429") << 0;
        QTest::newRow("503 with a page") << 1;
        QTest::newRow("cut in the middle") << 2;
        QTest::newRow("error frame") << 3;
        QTest::newRow("empty answer") << 4;
        QTest::newRow("200 with an error body") << 5;
    }
    void failuresBeforeAnythingRanAreRetried()
    {
        QFETCH(int, which);
        BoxFixture& box = *m_box;
        ModelTurn cut{.pieces = {deltaFrame({{"content", "wro"}})}, .cuts = true};
        ModelTurn error{
            .pieces = {deltaFrame({{"content", "wro"}}), frame({{"error", QJsonObject{{"message", "overloaded"}}}})}};
        const QList<ModelTurn> failures{refuses(429, R"({"error":{"message":"slow down"}})"),
                                        refuses(503, "<html>", {{"Content-Type", "text/html"}}),
                                        cut,
                                        error,
                                        says({}),
                                        refuses(200, R"({"error":{"message":"busy"}})")};
        box.model.turns = {failures[which], says({"right"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT REPLY"));
        QCOMPARE(box.entries(id)[1].text, QString("right"));
        QCOMPARE(box.model.requests.size(), 2);
    }

    void retriesAreBounded()
    {
        BoxFixture& box = *m_box;
        for (int i = 0; i < 10; ++i)
            box.model.turns.push_back(refuses(500, R"({"error":{"message":"broken"}})"));
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT ERROR"));
        QVERIFY(box.entries(id)[1].text.contains("broken"));
        QCOMPARE(box.model.requests.size(), 4);
    }

    void whatCannotHelpIsNotRetried_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("401") << 401 << QByteArray(R"({"error":{"message":"no"}})");
        QTest::newRow("403 of the door") << 403 << QByteArray(R"({"error":{"message":"not allowed"}})");
        QTest::newRow("used-up budget") << 429
                                        << QByteArray(R"({"error":{"message":"pay","code":"insufficient_quota"}})");
    }
    void whatCannotHelpIsNotRetried()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        BoxFixture& box = *m_box;
        box.model.turns = {refuses(status, body), says({"never"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT ERROR"));
        QCOMPARE(box.model.requests.size(), 1);
    }

    void retryAfterIsObeyed()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {refuses(429, "{}", {{"Content-Type", "application/json"}, {"Retry-After", "0.3"}}),
                           says({"right"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QVERIFY(box.model.requestTimesMs[1] - box.model.requestTimesMs[0] >= 300);
    }

    void aRetryAfterBeyondTheLimitFailsAtOnceWithTheTime()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {refuses(429, "{}", {{"Content-Type", "application/json"}, {"Retry-After", "3600"}})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QVERIFY(box.entries(id)[1].text.contains("3600 s"));
    }

    void aServerThatRefusesStreamOptionsIsAskedWithout()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {refuses(400, R"({"error":{"message":"unknown field stream_options"}})"), says({"right"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT REPLY"));
        QVERIFY(!box.model.requests[1].contains("stream_options"));
    }

    void anUnreachableModelEndsTheTurnWithAReason()
    {
        BoxFixture& box = *m_box;
        box.wire.reset();
        agent::serve::wires::chat::ChatWireOptions options;
        options.url = QUrl("http://models.cocoonbox.internal/v1/chat/completions");
        options.proxyAddress = "127.0.0.1";
        options.proxyPort = 1;
        box.wire = std::make_unique<agent::serve::wires::chat::ChatWire>(options);
        box.turns = std::make_unique<BoxFixture::Turns>(agent::serve::loop::LoopParts{*box.transcript, box.drafts,
                                                                                      *box.baton, *box.tools, *box.wire,
                                                                                      box.clock, box.handBacks},
                                                        box.options);
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT ERROR"));
        QVERIFY(box.entries(id)[1].text.contains("cannot be reached"));
    }

    void aSilentModelIsGivenUp()
    {
        BoxFixture& box = *m_box;
        agent::serve::wires::chat::ChatWireOptions options;
        options.url = QUrl("http://models.cocoonbox.internal/v1/chat/completions");
        options.proxyAddress = "127.0.0.1";
        options.proxyPort = box.model.port();
        options.idleTimeout = 50ms;
        agent::serve::wires::chat::ChatWire wire(options);
        box.model.turns = {{.pieces = {deltaFrame({{"content", "a"}})}, .hangs = true}};
        const auto reply = QCoro::waitFor(
            wire.attempt({.model = "m", .system = "s", .messages = {{.text = "u"}}}, [](QString) {}, {}));
        QVERIFY(!reply);
        QCOMPARE(reply.error().error.reason, QString("MODEL_SILENT"));
        QVERIFY(reply.error().mayRetry);
    }

    void tooManyRoundsEndTheTurn()
    {
        BoxFixture& box = *m_box;
        box.turns->abandonAll(1s);
        box.options.roundsMax = 3;
        box.close();
        box.open();
        box.toolhost.onCall = [&](const auto& call) { box.toolhost.answer(call.id, "ok"); };
        for (int i = 0; i < 5; ++i)
            box.model.turns.push_back(calls({{"ls", "{}"}}));
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:ls:DONE TOOL:ls:DONE TOOL:ls:DONE ERROR"));
        QVERIFY(box.entries(id).last().text.contains("3 replies"));
    }

    void cancelEndsATurnWithinASecond_data()
    {
        QTest::addColumn<bool>("inTool");
        QTest::newRow("while the model writes") << false;
        QTest::newRow("while a tool runs") << true;
    }
    void cancelEndsATurnWithinASecond()
    {
        QFETCH(bool, inTool);
        BoxFixture& box = *m_box;
        if (inTool)
            box.model.turns = {calls({{"shell", R"({"command":"sleep 100"})"}, {"ls", "{}"}})};
        else
            box.model.turns = {{.pieces = {deltaFrame({{"content", "half a"}})}, .hangs = true}};
        box.toolhost.onCall = [&](const auto& call) {
            box.toolhost.say(agent::toolhost::port::CallOutput{call.id, "so far"});
        };
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(waitUntil([&] { return inTool ? !box.toolhost.calls.isEmpty() : !box.drafts.text(id).isEmpty(); }));
        QElapsedTimer timer;
        timer.start();
        take(box.turns->cancel(id));
        QVERIFY(timer.elapsed() < 1000);
        QVERIFY(box.isIdle(id));
        QCOMPARE(told(box.entries(id)),
                 inTool ? QString("PROMPT TOOL:shell:CANCELLED NOTICE") : QString("PROMPT REPLY NOTICE"));
        if (inTool) {
            QVERIFY(box.entries(id)[1].toolCall->output.contains("so far"));
            QCOMPARE(box.toolhost.cancelled.size(), 1);
        } else {
            QCOMPARE(box.entries(id)[1].text, QString("half a"));
            QVERIFY(waitUntil([&] { return box.model.clientsGone == 1; })); // the server was told
        }
        take(box.turns->cancel(id)); // nothing runs: nothing happens
        // And the agent takes the next prompt.
        box.model.turns = {says({"fine"})};
        box.send(id, "again");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(box.entries(id).last().text, QString("fine"));
    }

    void screenActionsWaitWhileAPersonHoldsTheScreen()
    {
        BoxFixture& box = *m_box;
        box.toolhost.onCall = [&](const auto& call) { box.toolhost.answer(call.id, "done"); };
        box.model.turns = {calls({{"ls", "{}"}, {"computer", R"({"action":"type","text":"x"})"}}), says({"typed"})};
        const auto hold = box.baton->take("Ann", false);
        const QString id = box.newAgent();
        box.send(id, "type x");
        QVERIFY(waitUntil([&] { return box.entries(id).size() == 4; }));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:ls:DONE TOOL:computer:WAITING NOTICE"));
        QVERIFY(box.entries(id)[3].text.contains("Ann"));
        QCOMPARE(take(box.transcript->agent(id)).state, AgentState::WaitingForScreen);
        QCOMPARE(box.toolhost.calls.size(), 1); // other tools do not wait
        box.baton->release(hold->id);
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:ls:DONE TOOL:computer:DONE NOTICE REPLY"));
        QCOMPARE(box.toolhost.calls.size(), 2);
    }

    void aTakeOverEndsARunningActionAndIsToldWhenItHasEnded()
    {
        BoxFixture& box = *m_box;
        quint64 running = 0;
        box.toolhost.onCall = [&](const auto& call) { running = call.id; };
        box.model.turns = {calls({{"computer", R"({"action":"type","text":"x"})"}}), says({"I see"})};
        const QString id = box.newAgent();
        box.send(id, "type x");
        QVERIFY(waitUntil([&] { return running > 0; }));
        const auto hold = box.baton->take("Ann", false);
        QVERIFY(waitUntil([&] { return box.toolhost.cancelled.contains(running); }));
        QCOMPARE(reasonOf(box.baton->untilQuiet(10ms)), QString("ACTION_STUCK")); // toolhost has not ended it yet
        box.toolhost.answer(running, "It was cancelled.", true);
        QVERIFY(QCoro::waitFor(box.baton->untilQuiet(400ms)));
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:computer:FAILED REPLY"));
        QVERIFY(box.entries(id)[1].toolCall->output.contains("Ann took over"));
        QVERIFY(hold.has_value());
    }

    // The write of the call's entry takes time, and a person may take over in it.
    void aTakeOverWhileTheActionIsWrittenComesBeforeIt()
    {
        BoxFixture& box = *m_box;
        box.toolhost.onCall = [&](const auto& call) { box.toolhost.answer(call.id, "done"); };
        box.model.turns = {calls({{"computer", R"({"action":"type","text":"x"})"}}), says({"typed"})};
        std::optional<agent::serve::session::Baton::Hold> hold;
        QObject::connect(box.transcript.get(), &agent::serve::transcript::Transcript::advanced, box.transcript.get(),
                         [&] {
                             const bool isWritten = box.model.requests.size() == 1 && !hold;
                             if (isWritten) hold = *box.baton->take("Ann", false);
                         });
        const QString id = box.newAgent();
        box.send(id, "type x");
        QVERIFY(waitUntil([&] { return box.entries(id).size() == 3; }));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:computer:WAITING NOTICE"));
        QVERIFY(box.toolhost.calls.isEmpty());
        box.baton->release(hold->id);
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:computer:DONE NOTICE REPLY"));
    }

    void theModelIsToldWhatAPersonChanged()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {says({"one"}), says({"two"}), says({"three"})};
        const QString id = box.newAgent();
        box.send(id, "first");
        QVERIFY(box.waitIdle(id));
        box.handBacks.beginLook();
        QTimer::singleShot(50, [&] { box.handBacks.endLook("Ann opened a window", box.clock.nowMs()); });
        box.send(id, "second");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT REPLY PROMPT HANDBACK REPLY"));
        const QString said = box.lastMessages().last().toObject()["content"].toString();
        QVERIFY2(said.contains("second") && said.contains("Ann opened a window"), qPrintable(said));
        box.send(id, "third");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(box.entries(id).size(), 7); // it is told once
    }

    void aScreenHeldForTooLongFailsTheActionAndThoseAfterIt()
    {
        BoxFixture& box = *m_box;
        box.options.screenWaitMax = 30ms;
        box.close();
        box.open();
        box.model.turns = {
            calls({{"computer", R"({"action":"key","key":"a"})"}, {"computer", R"({"action":"key","key":"b"})"}}),
            says({"later"})};
        const auto hold = box.baton->take("Ann", false);
        const QString id = box.newAgent();
        box.send(id, "press a");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:computer:FAILED NOTICE TOOL:computer:FAILED REPLY"));
        QVERIFY(box.toolhost.calls.isEmpty());
        QVERIFY(box.entries(id)[1].toolCall->output.contains("held the screen"));
        QVERIFY(hold.has_value());
    }

    void cancelWhileWaitingForTheScreen()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {calls({{"computer", R"({"action":"key","key":"a"})"}})};
        const auto hold = box.baton->take("Ann", false);
        const QString id = box.newAgent();
        box.send(id, "press a");
        QVERIFY(waitUntil([&] { return box.entries(id).size() == 3; }));
        take(box.turns->cancel(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:computer:CANCELLED NOTICE NOTICE"));
        QVERIFY(hold.has_value());
    }

    void aToolhostThatDiesFailsTheCallAndComesBack()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {calls({{"shell", R"({"command":"x"})"}}), calls({{"shell", R"({"command":"y"})"}}),
                           says({"ok"})};
        box.toolhost.onCall = [&](const auto& call) {
            if (box.toolhost.calls.size() == 2) return box.toolhost.answer(call.id, "fine");
            QTimer::singleShot(0, [&] {
                box.toolhost.stop();
                QTimer::singleShot(100, [&] { box.toolhost.listen(); });
            });
        };
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:shell:FAILED TOOL:shell:DONE REPLY"));
        QVERIFY(box.entries(id)[1].toolCall->output.contains("lost"));
    }

    void withoutAToolhostTheModelIsTold()
    {
        BoxFixture& box = *m_box;
        box.toolhost.stop();
        QVERIFY(waitUntil([&] { return !box.tools->isReady(); }));
        box.model.turns = {calls({{"ls", "{}"}}), says({"cannot"})};
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:ls:FAILED REPLY"));
        QVERIFY(box.lastMessages()[2].toObject()["content"].toString().contains("not running"));
    }

    void whatARunningToolSaysIsShown()
    {
        BoxFixture& box = *m_box;
        box.options.liveOutputEvery = 10ms;
        box.close();
        box.open();
        box.model.turns = {calls({{"shell", R"({"command":"make"})"}}), says({"built"})};
        box.toolhost.onCall = [&](const auto& call) {
            box.toolhost.say(agent::toolhost::port::CallOutput{call.id, "compiling"});
        };
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(waitUntil(
            [&] { return box.entries(id).size() == 2 && box.entries(id)[1].toolCall->output == "compiling"; }));
        QCOMPARE(box.entries(id)[1].toolCall->state, ToolState::Running);
        box.toolhost.answer(box.toolhost.calls.first().id, "compiling\ndone");
        QVERIFY(box.waitIdle(id));
        QCOMPARE(box.entries(id)[1].toolCall->output, QString("compiling\ndone"));
    }

    // The process ends in the middle of a turn: the next one says so and can go on.
    void aRestartInTheMiddleLeavesAUsableHistory()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {calls({{"ls", "{}"}, {"shell", R"({"command":"sleep 9"})"}, {"ls", "{}"}})};
        box.toolhost.onCall = [&](const auto& call) {
            if (call.tool == "ls") box.toolhost.answer(call.id, "files");
        };
        const QString id = box.newAgent();
        box.send(id, "go");
        QVERIFY(waitUntil([&] { return box.toolhost.calls.size() == 2; }));
        box.close();
        box.open();
        QCOMPARE(told(box.entries(id)), QString("PROMPT TOOL:ls:DONE TOOL:shell:CANCELLED ERROR"));
        QVERIFY(box.isIdle(id));
        box.model.turns = {says({"as I was saying"})};
        box.send(id, "go on");
        QVERIFY(box.waitIdle(id));
        const QJsonArray messages = box.lastMessages();
        QCOMPARE(messages.size(), 5); // prompt, reply with two calls, two results, the new prompt with the note
        QCOMPARE(messages[1].toObject()["tool_calls"].toArray().size(), 2);
        QVERIFY(messages[4].toObject()["content"].toString().endsWith("go on"));
        QCOMPARE(told(box.entries(id)).section(' ', -1), QString("REPLY"));
    }

    void twoAgentsWorkAtOnce()
    {
        BoxFixture& box = *m_box;
        box.model.turns = {{.pieces = {deltaFrame({{"content", "slow"}})}, .hangs = true}, says({"quick"})};
        const QString slow = box.newAgent();
        const QString quick = box.newAgent();
        box.send(slow, "a");
        QVERIFY(waitUntil([&] { return !box.drafts.text(slow).isEmpty(); }));
        box.send(quick, "b");
        QVERIFY(box.waitIdle(quick));
        QVERIFY(!box.isIdle(slow));
        take(box.turns->cancel(slow));
    }

private:
    std::unique_ptr<BoxFixture> m_box;
};

QTEST_GUILESS_MAIN(TestLoop)
#include "tst_agent_loop.moc"
