// SPDX-License-Identifier: AGPL-3.0-only
// The bridge of common/rpc between a real server and a real channel on loopback: values, errors with their reason,
// cancellation both ways, deadlines, order, and an orderly stop.
#include "cocoonbox/agent/v1/exec.grpc.pb.h"
#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"
#include "common/rpc/serve.h"
#include "common/rpc/server.h"

#include <grpc/support/log.h>
#include <QCoroTask>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>
#include <QTimer>

namespace controlv1 = cocoonbox::control::v1;
namespace agentv1 = cocoonbox::agent::v1;
using namespace cocoonbox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

class FakeBoxes final : public controlv1::Boxes::CallbackService {
public:
    bool watchEnded = false;
    bool getCancelled = false;

    grpc::ServerUnaryReactor* Get(grpc::CallbackServerContext* context, const controlv1::GetRequest* request,
                                  controlv1::Box* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](rpc::RequestContext call, controlv1::GetRequest get) {
            return answer(call, get);
        });
    }
    grpc::ServerWriteReactor<controlv1::BoxList>* Watch(grpc::CallbackServerContext* context,
                                                        const controlv1::WatchRequest* request) override
    {
        return rpc::serveStream<controlv1::BoxList>(
            context, request,
            [this](rpc::RequestContext call, controlv1::WatchRequest, rpc::StreamWriter<controlv1::BoxList>& out) {
                return count(call, out);
            });
    }

private:
    Task<controlv1::Box> answer(rpc::RequestContext call, controlv1::GetRequest get)
    {
        if (get.box_id() == "slow") {
            const Result<void> slept = co_await sleepFor(5s, call.stop);
            getCancelled = !slept;
            CO_TRY_VOID(std::move(slept));
        }
        if (get.box_id() != "box_1") co_return fail(ErrorCode::NotFound, u"Keine Büchse."_s, u"BOX_UNKNOWN"_s);
        controlv1::Box box;
        box.set_box_id(get.box_id());
        box.set_name(call.metadata.value("x-name").toStdString());
        co_return box;
    }
    Task<void> count(rpc::RequestContext call, rpc::StreamWriter<controlv1::BoxList>& out)
    {
        for (int i = 1;; ++i) {
            controlv1::BoxList list;
            list.add_boxes()->set_cpus(i);
            if (!co_await out.write(std::move(list))) break;
        }
        watchEnded = call.stop.stop_requested();
        co_return {};
    }
};

class Echo final : public agentv1::Exec::CallbackService {
    grpc::ServerBidiReactor<agentv1::ExecInput, agentv1::ExecOutput>* Run(grpc::CallbackServerContext* context) override
    {
        return rpc::serveBidi<agentv1::ExecInput, agentv1::ExecOutput>(
            context, [](rpc::RequestContext, rpc::BidiStream<agentv1::ExecInput, agentv1::ExecOutput>& stream) {
                return echo(stream);
            });
    }
    static Task<void> echo(rpc::BidiStream<agentv1::ExecInput, agentv1::ExecOutput>& stream)
    {
        while (auto input = co_await stream.read()) {
            agentv1::ExecOutput output;
            output.set_stdout_data(input->stdin_data());
            if (!co_await stream.write(std::move(output))) break;
        }
        co_return fail(ErrorCode::Aborted, u"The input ended."_s, u"ECHO_DONE"_s);
    }
};

// A network that brings a server's first words late.
class SlowNetwork : public QTcpServer {
public:
    SlowNetwork(quint16 port, std::chrono::milliseconds delay)
    {
        listen(QHostAddress::LocalHost);
        connect(this, &QTcpServer::newConnection, this, [this, port, delay] {
            auto* const client = nextPendingConnection();
            auto* const server = new QTcpSocket(client);
            server->connectToHost(QHostAddress::LocalHost, port);
            connect(client, &QTcpSocket::readyRead, server, [=] { server->write(client->readAll()); });
            QTimer::singleShot(delay, server, [=] {
                const auto pass = [=] { client->write(server->readAll()); };
                connect(server, &QTcpSocket::readyRead, client, pass);
                pass();
            });
        });
    }
};

} // namespace

class TestBridge : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_boxes = std::make_unique<FakeBoxes>();
        m_echo = std::make_unique<Echo>();
        auto server = rpc::Server::start({.address = u"127.0.0.1:0"_s, .services = {m_boxes.get(), m_echo.get()}});
        QVERIFY(server);
        m_server = std::move(*server);
        auto channel = rpc::makeChannel(QUrl(u"http://127.0.0.1:%1"_s.arg(m_server->port())));
        QVERIFY(channel);
        m_boxesStub = controlv1::Boxes::NewStub(*channel);
        m_execStub = agentv1::Exec::NewStub(*channel);
    }
    void cleanup() { QCoro::waitFor(m_server->stop(1s)); }

    void unaryCarriesValueAndMetadata()
    {
        const auto box = get("box_1", {.metadata = {{"x-name", "main"}}});
        QVERIFY(box);
        QCOMPARE(box->name(), "main");
    }
    void errorKeepsCodeMessageAndReason()
    {
        const auto box = get("box_2", {});
        QVERIFY(!box);
        QCOMPARE(box.error().code, ErrorCode::NotFound);
        QCOMPARE(box.error().message, u"Keine Büchse."_s);
        QCOMPARE(box.error().reason, u"BOX_UNKNOWN"_s);
    }
    void deadlineEndsTheCallAndTellsTheHandler()
    {
        const auto box = get("slow", {.timeout = 100ms});
        QVERIFY(!box);
        QCOMPARE(box.error().code, ErrorCode::DeadlineExceeded);
        QTRY_VERIFY(m_boxes->getCancelled);
    }
    void stopTokenCancelsTheCall()
    {
        std::stop_source stop;
        QTimer::singleShot(50ms, this, [&stop] { stop.request_stop(); });
        const auto box = get("slow", {.stop = stop.get_token()});
        QVERIFY(!box);
        QCOMPARE(box.error().code, ErrorCode::Cancelled);
        QTRY_VERIFY(m_boxes->getCancelled);
    }
    void streamKeepsOrderAndEndsWhenTheReaderLeaves()
    {
        const int received = QCoro::waitFor(readTen());
        QCOMPARE(received, 10);
        QTRY_VERIFY(m_boxes->watchEnded);
    }
    void bidiEchoesInOrderAndEndsWithTheHandlersError()
    {
        const Result<int> echoed = QCoro::waitFor(echoThousand());
        QVERIFY(!echoed);
        QCOMPARE(echoed.error().reason, u"ECHO_DONE"_s);
        QCOMPARE(m_echoed, 1000);
    }
    void stopCancelsLiveCallsAtTheLimit()
    {
        Promise<Result<controlv1::Box>> ended;
        waitForSlow(ended);
        QTest::qWait(50);
        QCoro::waitFor(m_server->stop(100ms));
        QTRY_VERIFY(ended.isSet());
        QVERIFY(m_boxes->getCancelled);
    }
    void plaintextIsRefusedBeyondLoopback()
    {
        const auto server = rpc::Server::start({.address = u"0.0.0.0:0"_s});
        QVERIFY(!server);
        QCOMPARE(server.error().reason, u"PLAINTEXT_REFUSED"_s);
        const auto channel = rpc::makeChannel(QUrl(u"http://box.example:7400"_s));
        QVERIFY(!channel);
        QCOMPARE(channel.error().reason, u"PLAINTEXT_REFUSED"_s);
    }

    void slowNetworkConnectsAtTheFirstAttempt()
    {
        const SlowNetwork network(static_cast<quint16>(m_server->port()), 700ms);
        const auto channel = rpc::makeChannel(QUrl(u"http://127.0.0.1:%1"_s.arg(network.serverPort())));
        QVERIFY(channel);
        m_boxesStub = controlv1::Boxes::NewStub(*channel);
        const auto box = get("box_1", {});
        QVERIFY2(box, box ? "" : qPrintable(box.error().message));
    }
    void grpcSpeaksThroughTheLogOfTheProcess()
    {
        QTest::ignoreMessage(QtWarningMsg, "a word of gRPC");
        gpr_log(GPR_ERROR, "a word of gRPC");
    }

private:
    Result<controlv1::Box> get(const std::string& id, rpc::CallOptions options)
    {
        return QCoro::waitFor(getTask(id, std::move(options)));
    }
    Task<controlv1::Box> getTask(std::string id, rpc::CallOptions options)
    {
        controlv1::GetRequest request;
        request.set_box_id(id);
        return rpc::call(m_boxesStub->async(), &controlv1::Boxes::Stub::async::Get, request, std::move(options));
    }
    QCoro::Task<void> waitForSlow(Promise<Result<controlv1::Box>> ended) { ended.set(co_await getTask("slow", {})); }
    QCoro::Task<int> readTen()
    {
        rpc::ClientReader<controlv1::BoxList> reader(m_boxesStub->async(), &controlv1::Boxes::Stub::async::Watch,
                                                     controlv1::WatchRequest{}, {.timeout = 5s});
        int count = 0;
        while (count < 10) {
            const auto list = co_await reader.read();
            if (!list || list->boxes(0).cpus() != count + 1) break;
            ++count;
        }
        co_return count;
    }
    Task<int> echoThousand()
    {
        rpc::ClientBidi<agentv1::ExecInput, agentv1::ExecOutput> exec(
            m_execStub->async(), &agentv1::Exec::Stub::async::Run, {.timeout = 20s});
        for (m_echoed = 0; m_echoed < 1000; ++m_echoed) {
            agentv1::ExecInput input;
            input.set_stdin_data(std::to_string(m_echoed));
            if (!co_await exec.write(std::move(input))) break;
            const auto output = co_await exec.read();
            if (!output || output->stdout_data() != std::to_string(m_echoed)) break;
        }
        exec.writesDone();
        CO_TRY_VOID(co_await exec.finish());
        co_return m_echoed;
    }

    std::unique_ptr<FakeBoxes> m_boxes;
    std::unique_ptr<Echo> m_echo;
    std::unique_ptr<rpc::Server> m_server;
    std::unique_ptr<controlv1::Boxes::Stub> m_boxesStub;
    std::unique_ptr<agentv1::Exec::Stub> m_execStub;
    int m_echoed = 0;
};

QTEST_GUILESS_MAIN(TestBridge)
#include "tst_bridge.moc"
