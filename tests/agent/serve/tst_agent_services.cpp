// SPDX-License-Identifier: AGPL-3.0-only
// The box's services over a real server on a unix socket, called as the edge calls them.
#include "agent/serve/desktop/text_channel.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/session/gate.h"
#include "common/rpc/call.h"
#include "common/rpc/server.h"
#include "tests/agent/serve/box_fixture.h"

#include <grpcpp/create_channel.h>
#include <QRandomGenerator>

#include "cocoonbox/agent/v1/agents.grpc.pb.h"
#include "cocoonbox/agent/v1/exec.grpc.pb.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"

using namespace cocoonbox;
using namespace cocoonbox::test;
using namespace std::chrono_literals;
namespace v1 = cocoonbox::agent::v1;
namespace port = cocoonbox::agent::toolhost::port;
using AgentsStub = v1::Agents::Stub;
using SessionStub = v1::Session::Stub;
using ExecStub = v1::Exec::Stub;
using ExecCall = rpc::ClientBidi<v1::ExecInput, v1::ExecOutput>;

class TestServices : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_key = std::make_unique<crypto::KeyPair>(*crypto::KeyPair::generate()); }
    void init()
    {
        m_box = std::make_unique<BoxFixture>();
        QVERIFY(QDir(m_box->folder.path()).mkdir("agent"));
        writeIdentity("wake1");
        start();
    }
    void cleanup()
    {
        stop();
        m_box.reset();
    }

    void aCallWithoutTheEdgesCredentialIsRefusedOnEveryService()
    {
        const auto refused = [](const auto& result) {
            return !result && result.error().code == ErrorCode::Unauthenticated ? result.error().reason : QString("in");
        };
        QCOMPARE(refused(QCoro::waitFor(rpc::call(m_session->async(), &SessionStub::async::Hello, {}))),
                 QString("CREDENTIAL_MISSING"));
        QCOMPARE(refused(QCoro::waitFor(
                     rpc::call(m_agents->async(), &AgentsStub::async::List, {}, options("box_2", "wake1")))),
                 QString("CREDENTIAL_WRONG_BOX"));
        QCOMPARE(refused(QCoro::waitFor(
                     rpc::call(m_agents->async(), &AgentsStub::async::Send, {}, options("box_1", "wake0")))),
                 QString("CREDENTIAL_OLD_WAKE"));
        rpc::ClientReader<v1::Event> events(m_session->async(), &SessionStub::async::Events, {},
                                            options("box_1", "wake1", -1000));
        QVERIFY(!QCoro::waitFor(events.read()));
        QCOMPARE(refused(QCoro::waitFor(events.finish())), QString("CREDENTIAL_EXPIRED"));
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, {.timeout = 0ms});
        QVERIFY(!QCoro::waitFor(exec.read()));
        QCOMPARE(refused(QCoro::waitFor(exec.finish())), QString("CREDENTIAL_MISSING"));
        rpc::ClientReader<v1::Baton> takeOver(m_session->async(), &SessionStub::async::TakeOver, {}, {.timeout = 0ms});
        QVERIFY(!QCoro::waitFor(takeOver.read()));
        QCOMPARE(refused(QCoro::waitFor(takeOver.finish())), QString("CREDENTIAL_MISSING"));
    }

    void aCredentialFromBeforeAWakeIsDead()
    {
        const rpc::CallOptions before = options("box_1", "wake1");
        QCOMPARE(take(rpc::call(m_session->async(), &SessionStub::async::Hello, {}, before)).wake_id(),
                 std::string("wake1"));
        writeIdentity("wake2");
        QCOMPARE(reasonOf(rpc::call(m_session->async(), &SessionStub::async::Hello, {}, before)),
                 QString("CREDENTIAL_OLD_WAKE"));
        QCOMPARE(
            take(rpc::call(m_session->async(), &SessionStub::async::Hello, {}, options("box_1", "wake2"))).wake_id(),
            std::string("wake2"));
    }

    void helloTellsWhatTheBoxCanDo()
    {
        QVERIFY(waitUntil([&] { return m_box->tools->isReady(); }));
        const v1::HelloResponse hello = take(rpc::call(m_session->async(), &SessionStub::async::Hello, {}, options()));
        QCOMPARE(hello.box_id(), std::string("box_1"));
        QVERIFY(hello.toolhost_ready());
        QVERIFY(hello.capabilities_size() >= 4);
    }

    void aConversationThroughTheServices()
    {
        m_box->model.turns = {says({"Hello ", "there."})};
        const std::string id = createAgent();
        v1::SendRequest send;
        send.set_agent_id(id);
        send.set_prompt("Hi");
        send.set_client_nonce("p1");
        const v1::SendAccepted accepted = take(rpc::call(m_agents->async(), &AgentsStub::async::Send, send, options()));
        QCOMPARE(accepted.seq(), 1);
        QCOMPARE(take(rpc::call(m_agents->async(), &AgentsStub::async::Send, send, options())).turn_id(),
                 accepted.turn_id());
        QVERIFY(m_box->waitIdle(QString::fromStdString(id)));
        v1::TranscriptRequest page;
        page.set_agent_id(id);
        const v1::TranscriptPage entries =
            take(rpc::call(m_agents->async(), &AgentsStub::async::Transcript, page, options()));
        QCOMPARE(entries.entries_size(), 2);
        QCOMPARE(entries.entries(1).kind(), v1::ENTRY_KIND_REPLY);
        QCOMPARE(entries.entries(1).text(), std::string("Hello there."));
        const v1::AgentList agents = take(rpc::call(m_agents->async(), &AgentsStub::async::List, {}, options()));
        QCOMPARE(agents.agents(0).title(), std::string("Hi"));
        v1::RespondRequest respond;
        respond.set_agent_id(id);
        respond.set_seq(2);
        QCOMPARE(reasonOf(rpc::call(m_agents->async(), &AgentsStub::async::Respond, respond, options())),
                 QString("NOT_WAITING"));
        respond.set_seq(9);
        QCOMPARE(reasonOf(rpc::call(m_agents->async(), &AgentsStub::async::Respond, respond, options())),
                 QString("ENTRY_UNKNOWN"));
    }

    void theScreenIsTheEdgesToServe()
    {
        rpc::ClientBidi<v1::ScreenClientFrame, v1::ScreenServerFrame> screen(m_session->async(),
                                                                             &SessionStub::async::Screen, options());
        QVERIFY(!QCoro::waitFor(screen.read()));
        const auto result = QCoro::waitFor(screen.finish());
        QCOMPARE(result.error().code, ErrorCode::Unimplemented);
        QCOMPARE(result.error().reason, QString("SCREEN_AT_EDGE"));
    }

    void eventsFollowATurnWithItsDrafts()
    {
        m_box->model.turns = {says({"one ", "two"})};
        const std::string id = createAgent();
        rpc::ClientReader<v1::Event> reader(m_session->async(), &SessionStub::async::Events, {}, options());
        QVERIFY(QCoro::waitFor(reader.read())->has_baton_changed());
        m_box->send(QString::fromStdString(id), "go");
        QString draft;
        QString reply;
        bool idle = false;
        while (!idle) {
            const auto event = QCoro::waitFor(reader.read());
            QVERIFY(event);
            if (event->has_draft()) {
                QVERIFY(reply.isEmpty());
                QCOMPARE(event->draft().position(), draft.size());
                draft += QString::fromStdString(event->draft().text());
            }
            if (event->has_entry_added() && event->entry_added().kind() == v1::ENTRY_KIND_REPLY)
                reply = QString::fromStdString(event->entry_added().text());
            idle = event->has_agent_changed() && event->agent_changed().state() == v1::AGENT_STATE_IDLE &&
                   !reply.isEmpty();
        }
        QCOMPARE(reply, QString("one two"));
        QVERIFY(reply.startsWith(draft));
    }

    void anOffsetFromTheFutureIsRefused()
    {
        v1::EventsRequest request;
        request.set_from_offset(1'000'000);
        rpc::ClientReader<v1::Event> reader(m_session->async(), &SessionStub::async::Events, request, options());
        QVERIFY(!QCoro::waitFor(reader.read()));
        QCOMPARE(reasonOf(reader.finish()), QString("OFFSET_UNKNOWN"));
    }

    // A client that is cut off at random and comes back with its last offset, over restarts of the whole service too.
    void aClientThatReconnectsMissesNothingAndSeesNothingTwice()
    {
        const quint32 seed = QRandomGenerator::global()->generate();
        qInfo("seed %u", seed);
        QRandomGenerator random(seed);
        const QString id = QString::fromStdString(createAgent());
        qint64 last = 0;
        QMap<qint64, std::string> seen;
        const auto follow = [&](int events) {
            v1::EventsRequest request;
            request.set_from_offset(last);
            rpc::ClientReader<v1::Event> reader(m_session->async(), &SessionStub::async::Events, request, options());
            for (int i = 0; i < events && last < m_box->transcript->lastOffset(); ++i) {
                const auto event = QCoro::waitFor(reader.read());
                if (!event) qFatal("the stream ended");
                if (event->offset() == 0) continue;
                if (event->offset() <= last) qFatal("an event came twice");
                last = event->offset();
                if (event->has_entry_added() && seen.contains(event->entry_added().seq()))
                    qFatal("an entry was added twice");
                if (event->has_entry_added()) seen[event->entry_added().seq()] = event->entry_added().text();
                if (event->has_entry_changed()) seen[event->entry_changed().seq()] = event->entry_changed().text();
            }
        };
        for (int step = 0; step < 120; ++step) {
            const auto added = take(m_box->transcript->apply({.added = {{.agentId = id,
                                                                         .turnId = "t",
                                                                         .kind = BoxFixture::EntryKind::Notice,
                                                                         .text = QString::number(step)}}}));
            if (random.bounded(3) == 0) {
                auto changed = added.first();
                changed.text += " changed";
                take(m_box->transcript->apply({.changed = {changed}}));
            }
            if (random.bounded(3) == 0) follow(random.bounded(1, 12));
            if (random.bounded(40) == 0) restart();
        }
        while (last < m_box->transcript->lastOffset())
            follow(1000);
        const auto truth = m_box->entries(id);
        QCOMPARE(seen.size(), truth.size());
        for (const auto& entry : truth)
            QCOMPARE(seen[entry.seq], entry.text.toStdString());
    }

    void aViewerThatDoesNotReadIsSentAway()
    {
        const QString id = QString::fromStdString(createAgent());
        rpc::ClientReader<v1::Event> reader(m_session->async(), &SessionStub::async::Events, {}, options());
        QVERIFY(QCoro::waitFor(reader.read()));
        for (int i = 0; i < 1200; ++i)
            take(m_box->transcript->apply({.added = {{.agentId = id,
                                                      .turnId = "t",
                                                      .kind = BoxFixture::EntryKind::Notice,
                                                      .text = QString(i < 400 ? 60'000 : 10, 'x')}}}));
        QVERIFY(m_box->transcript->lastOffset() > 1024);
        QCoro::waitFor(sleepFor(600ms)); // twice the limit of this test's server
        qint64 last = 0;
        while (const auto event = QCoro::waitFor(reader.read()))
            last = event->offset();
        QCOMPARE(reasonOf(reader.finish()), QString("EVENTS_BEHIND"));
        QVERIFY(last < m_box->transcript->lastOffset());
        v1::EventsRequest resume;
        resume.set_from_offset(last);
        rpc::ClientReader<v1::Event> again(m_session->async(), &SessionStub::async::Events, resume, options());
        QVERIFY(QCoro::waitFor(again.read())->has_baton_changed());
        QCOMPARE(QCoro::waitFor(again.read())->offset(), last + 1);
    }

    void takeOverHoldsUntilTheCallEndsOrIsRobbed()
    {
        v1::TakeOverRequest request;
        request.set_label("Ann");
        auto ann = std::make_unique<rpc::ClientReader<v1::Baton>>(m_session->async(), &SessionStub::async::TakeOver,
                                                                  request, options());
        QCOMPARE(QCoro::waitFor(ann->read())->held_by(), std::string("Ann"));
        QVERIFY(m_box->baton->isHeld());
        request.set_label("Ben");
        rpc::ClientReader<v1::Baton> polite(m_session->async(), &SessionStub::async::TakeOver, request, options());
        QVERIFY(!QCoro::waitFor(polite.read()));
        QCOMPARE(reasonOf(polite.finish()), QString("BATON_HELD"));
        request.set_steal(true);
        auto ben = std::make_unique<rpc::ClientReader<v1::Baton>>(m_session->async(), &SessionStub::async::TakeOver,
                                                                  request, options());
        QCOMPARE(QCoro::waitFor(ben->read())->held_by(), std::string("Ben"));
        QCOMPARE(QCoro::waitFor(ann->read())->held_by(), std::string("Ben"));
        QVERIFY(!QCoro::waitFor(ann->read()));
        QCOMPARE(reasonOf(ann->finish()), QString("BATON_TAKEN"));
        ben.reset(); // the viewer goes away
        QVERIFY(waitUntil([&] { return !m_box->baton->isHeld(); }));
    }

    void aProgramRunsWithItsInputAndOutput()
    {
        QVERIFY(waitUntil([&] { return m_box->tools->isReady(); }));
        QList<port::Message> heard;
        m_box->toolhost.onOther = [&](const port::Message& message) {
            heard.append(message);
            if (const auto* input = std::get_if<port::ExecStdin>(&message); input && !input->bytes.isEmpty()) {
                m_box->toolhost.say(port::ExecOutput{input->id, input->bytes.toUpper(), false});
                m_box->toolhost.say(port::ExecOutput{input->id, "warn", true});
                m_box->toolhost.say(port::ExecExit{input->id, 3, 0, {}});
            }
        };
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, options());
        v1::ExecInput start;
        start.mutable_start()->add_argv("tr");
        (*start.mutable_start()->mutable_env())["A"] = "b";
        QVERIFY(QCoro::waitFor(exec.write(start)));
        v1::ExecInput signal;
        signal.set_signal_number(2);
        QVERIFY(QCoro::waitFor(exec.write(signal)));
        v1::ExecInput input;
        input.set_stdin_data("hello");
        QVERIFY(QCoro::waitFor(exec.write(input)));
        QCOMPARE(QCoro::waitFor(exec.read())->stdout_data(), std::string("HELLO"));
        QCOMPARE(QCoro::waitFor(exec.read())->stderr_data(), std::string("warn"));
        QCOMPARE(QCoro::waitFor(exec.read())->exited().exit_code(), 3);
        QVERIFY(!QCoro::waitFor(exec.read()));
        QVERIFY(QCoro::waitFor(exec.finish()));
        const auto started = std::get<port::ExecStart>(heard.first());
        QCOMPARE(started.argv, QStringList("tr"));
        QCOMPARE(started.env.value("A"), QString("b"));
        QCOMPARE(std::get<port::ExecSignal>(heard[1]).number, 2);
    }

    void aClientThatLeavesEndsItsProgram()
    {
        QVERIFY(waitUntil([&] { return m_box->tools->isReady(); }));
        bool started = false;
        bool hungUp = false;
        m_box->toolhost.onOther = [&](const port::Message& message) {
            started = started || std::holds_alternative<port::ExecStart>(message);
            hungUp = hungUp || std::holds_alternative<port::ExecHangUp>(message);
        };
        auto exec = std::make_unique<ExecCall>(m_exec->async(), &ExecStub::async::Run, options());
        v1::ExecInput start;
        start.mutable_start();
        QVERIFY(QCoro::waitFor(exec->write(start)));
        QVERIFY(waitUntil([&] { return started; }));
        exec.reset();
        QVERIFY(waitUntil([&] { return hungUp; }));
    }

    void aClientThatDoesNotReadStopsItsProgramNotTheBox()
    {
        QVERIFY(waitUntil([&] { return m_box->tools->isReady(); }));
        quint64 id = 0;
        qint64 credit = port::kExecWindowBytes;
        m_box->toolhost.onOther = [&](const port::Message& message) {
            if (const auto* start = std::get_if<port::ExecStart>(&message)) id = start->id;
            if (const auto* more = std::get_if<port::ExecCredit>(&message)) credit += more->bytes;
        };
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, options());
        v1::ExecInput start;
        start.mutable_start()->add_argv("yes");
        QVERIFY(QCoro::waitFor(exec.write(start)));
        QVERIFY(waitUntil([&] { return id != 0; }));
        qint64 sent = 0;
        QElapsedTimer quiet;
        quiet.start();
        while (quiet.elapsed() < 300 && sent < (64 << 20)) {
            if (credit >= 65536) {
                m_box->toolhost.say(port::ExecOutput{id, QByteArray(65536, 'y'), false});
                credit -= 65536;
                sent += 65536;
                quiet.restart();
            }
            QCoro::waitFor(sleepFor(1ms));
        }
        QVERIFY(sent < (16 << 20)); // what HTTP/2 holds, and one window of ours
        m_box->toolhost.onCall = [&](const auto& call) { m_box->toolhost.answer(call.id, "fine"); };
        QCOMPARE(take(m_box->tools->run({.tool = "ls", .argumentsJson = "{}"}, {}, {})).text, QString("fine"));
    }

    void aToolhostThatDiesEndsTheProgramWithAReason()
    {
        QVERIFY(waitUntil([&] { return m_box->tools->isReady(); }));
        m_box->toolhost.onOther = [&](const port::Message&) { QTimer::singleShot(0, [&] { m_box->toolhost.stop(); }); };
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, options());
        v1::ExecInput start;
        start.mutable_start();
        QVERIFY(QCoro::waitFor(exec.write(start)));
        QVERIFY(!QCoro::waitFor(exec.read()));
        QCOMPARE(reasonOf(exec.finish()), QString("TOOLHOST_LOST"));
        ExecCall next(m_exec->async(), &ExecStub::async::Run, options());
        QVERIFY(QCoro::waitFor(next.write(start)));
        QVERIFY(!QCoro::waitFor(next.read()));
        QCOMPARE(reasonOf(next.finish()), QString("TOOLHOST_DOWN"));
    }

    void aProgramWaitsForAToolhostThatIsStarting()
    {
        m_box->toolhost.stop();
        QVERIFY(waitUntil([&] { return !m_box->tools->isReady(); }));
        m_box->toolhost.onOther = [&](const port::Message& message) {
            if (const auto* start = std::get_if<port::ExecStart>(&message))
                m_box->toolhost.say(port::ExecExit{start->id, 7, 0, {}});
        };
        QTimer::singleShot(100, &m_box->toolhost, [&] { m_box->toolhost.listen(); });
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, options());
        v1::ExecInput start;
        start.mutable_start();
        QVERIFY(QCoro::waitFor(exec.write(start)));
        const auto ended = QCoro::waitFor(exec.read());
        QVERIFY(ended);
        QCOMPARE(ended->exited().exit_code(), 7);
    }

    void badStartsAreRefused_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const v1::ExecInput& input, const char* reason) {
            QTest::newRow(name) << QByteArray::fromStdString(input.SerializeAsString()) << QString(reason);
        };
        v1::ExecInput input;
        input.set_stdin_data("x");
        row("no start", input, "EXEC_START_MISSING");
        v1::ExecInput words;
        for (int i = 0; i < 1025; ++i)
            words.mutable_start()->add_argv("x");
        row("too many words", words, "EXEC_ARGV_INVALID");
        v1::ExecInput large;
        large.mutable_start()->add_argv(std::string(128 * 1024 + 1, 'x'));
        row("too many bytes", large, "EXEC_ARGV_INVALID");
        v1::ExecInput nul;
        nul.mutable_start()->add_argv(std::string("a\0b", 3));
        row("zero byte", nul, "EXEC_ARGV_INVALID");
        v1::ExecInput empty;
        empty.mutable_start()->add_argv("");
        row("empty name", empty, "EXEC_ARGV_INVALID");
        v1::ExecInput env;
        for (int i = 0; i < 65; ++i)
            (*env.mutable_start()->mutable_env())[std::to_string(i)] = "x";
        row("too many variables", env, "EXEC_ARGV_INVALID");
        v1::ExecInput window;
        window.mutable_start()->mutable_window()->set_rows(5000);
        row("window", window, "EXEC_ARGV_INVALID");
    }
    void badStartsAreRefused()
    {
        QFETCH(QByteArray, message);
        QFETCH(QString, reason);
        v1::ExecInput input;
        QVERIFY(input.ParseFromString(message.toStdString()));
        ExecCall exec(m_exec->async(), &ExecStub::async::Run, options());
        QCoro::waitFor(exec.write(input));
        QVERIFY(!QCoro::waitFor(exec.read()));
        QCOMPARE(reasonOf(exec.finish()), reason);
    }

private:
    rpc::CallOptions options(const QString& box = "box_1", const QString& wake = "wake1", qint64 lifetime = 60) const
    {
        const qint64 expires = QDateTime::currentSecsSinceEpoch() + lifetime;
        const QByteArray credential = crypto::signCredential({m_key->publicKey().keyId(), box, wake, expires}, *m_key);
        return {.timeout = 20s, .metadata = {{crypto::kCredentialHeader, credential}}, .stop = {}};
    }
    void writeIdentity(const QString& wake)
    {
        QFile file(m_box->folder.filePath("identity"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(crypto::encodeIdentity({"box_1", wake, m_key->publicKey().keyId(), m_key->publicKey()}));
    }
    std::string createAgent()
    {
        v1::CreateRequest request;
        request.set_client_nonce("n1");
        return take(rpc::call(m_agents->async(), &AgentsStub::async::Create, request, options())).agent_id();
    }
    void start()
    {
        m_gate = std::make_unique<agent::serve::session::Gate>(m_box->folder.filePath("identity"), m_box->clock);
        m_text = std::make_unique<agent::serve::desktop::TextChannel>(*m_box->baton, *m_box->tools);
        m_services.push_back(agent::serve::rpc::makeAgentsService(*m_gate, *m_box->transcript, *m_box->turns));
        m_services.push_back(agent::serve::rpc::makeSessionService({.gate = *m_gate,
                                                                    .transcript = *m_box->transcript,
                                                                    .drafts = m_box->drafts,
                                                                    .baton = *m_box->baton,
                                                                    .clipboard = m_box->clipboard,
                                                                    .text = *m_text,
                                                                    .toolhost = *m_box->tools,
                                                                    .startedAtMs = 1,
                                                                    .slowViewerLimit = 300ms}));
        m_services.push_back(agent::serve::rpc::makeExecService(*m_gate, *m_box->tools));
        rpc::ServerOptions server;
        server.address = "unix:" + m_box->folder.path() + "/agent/agent.sock";
        for (const auto& service : m_services)
            server.services.push_back(service.get());
        m_server = *rpc::Server::start(server);
        const auto channel = grpc::CreateChannel(server.address.toStdString(), grpc::InsecureChannelCredentials());
        m_agents = v1::Agents::NewStub(channel);
        m_session = v1::Session::NewStub(channel);
        m_exec = v1::Exec::NewStub(channel);
    }
    void stop()
    {
        QCoro::waitFor(m_server->stop(100ms));
        m_server.reset();
        m_services.clear();
    }
    void restart()
    {
        stop();
        m_box->close();
        m_box->open();
        start();
    }

    std::unique_ptr<crypto::KeyPair> m_key;
    std::unique_ptr<BoxFixture> m_box;
    std::unique_ptr<agent::serve::desktop::TextChannel> m_text;
    std::unique_ptr<agent::serve::session::Gate> m_gate;
    std::vector<std::unique_ptr<grpc::Service>> m_services;
    std::unique_ptr<rpc::Server> m_server;
    std::unique_ptr<AgentsStub> m_agents;
    std::unique_ptr<SessionStub> m_session;
    std::unique_ptr<ExecStub> m_exec;
};

QTEST_GUILESS_MAIN(TestServices)
#include "tst_agent_services.moc"
