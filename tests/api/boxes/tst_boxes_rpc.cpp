// SPDX-License-Identifier: AGPL-3.0-only
// The service as a client sees it: over a real channel on loopback.
#include "api/boxes/boxes_rpc.h"
#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"
#include "common/rpc/server.h"
#include "tests/api/boxes/box_rig.h"

#include <QTest>

namespace pb = cocoonbox::control::v1;
using namespace cocoonbox;
using namespace cocoonbox::testing;

namespace {

// The token is the user's id.
class OpenTokens final : public users::TokenCheck {
public:
    std::optional<users::Actor> check(QByteArrayView token) const override
    {
        if (!token.startsWith("usr_")) return std::nullopt;
        return users::Actor{QString::fromLatin1(token), QStringLiteral("name"), 1};
    }
};

rpc::CallOptions as(const QByteArray& user)
{
    rpc::CallOptions options;
    options.metadata = {{"authorization", "Bearer " + user}};
    return options;
}

QCoro::Task<QList<pb::OperationEvent>> readEvents(rpc::ClientReader<pb::OperationEvent>* reader, int limit)
{
    QList<pb::OperationEvent> events;
    while (events.size() < limit) {
        const std::optional<pb::OperationEvent> event = co_await reader->read();
        if (!event) break;
        events.append(*event);
    }
    co_return events;
}

} // namespace

class TestBoxesRpc : public QObject {
    Q_OBJECT
    using Async = class pb::Boxes::Stub::async;

private slots:
    void init()
    {
        m = std::make_unique<BoxRig>();
        m_service = boxes::makeBoxesRpc(m_tokens, *m->service);
        rpc::ServerOptions options;
        options.address = QStringLiteral("127.0.0.1:0");
        options.services = {m_service.get()};
        m_server = rpc::Server::start(options).value();
        m_stub = pb::Boxes::NewStub(
            rpc::makeChannel(QUrl(QStringLiteral("http://127.0.0.1:%1").arg(m_server->port()))).value());
    }
    void cleanup()
    {
        QCoro::waitFor(m_server->stop(std::chrono::seconds(0)));
        m_server.reset();
        m.reset();
    }

    void aBoxIsMadeSeenAndDeleted()
    {
        const auto box = ensure("usr_1");
        QVERIFY(box);
        QCOMPARE(box->state(), pb::STATE_STARTING);
        QCOMPARE(box->cpus(), 2);
        QCOMPARE(box->memory_bytes(), 1 << 30);
        QVERIFY(m->waitFor(QString::fromStdString(box->box_id()), BoxState::Running));

        pb::GetRequest get;
        get.set_box_id(box->box_id());
        const auto seen = QCoro::waitFor(rpc::call(m_stub->async(), &Async::Get, get, as("usr_1")));
        QCOMPARE(seen->state(), pb::STATE_RUNNING);
        QVERIFY(!seen->wake_id().empty());
        QCOMPARE(seen->image(), std::string("image:1"));
        QCOMPARE(QCoro::waitFor(rpc::call(m_stub->async(), &Async::List, pb::ListRequest(), as("usr_1")))->boxes_size(),
                 1);

        pb::DeleteRequest remove;
        remove.set_box_id(box->box_id());
        const auto operation = QCoro::waitFor(rpc::call(m_stub->async(), &Async::Delete, remove, as("usr_1")));
        QVERIFY(operation);
        const auto events = watchOperation(operation->operation_id(), {}, 100);
        QCOMPARE(events.last().phase(), pb::PHASE_DONE);
        QCOMPARE(QCoro::waitFor(rpc::call(m_stub->async(), &Async::Get, get, as("usr_1"))).error().reason,
                 QStringLiteral("BOX_UNKNOWN"));
    }

    void everyCallNeedsAKnownToken()
    {
        QCOMPARE(ensure("nobody").error().reason, QStringLiteral("TOKEN_UNKNOWN"));
        rpc::CallOptions bare;
        QCOMPARE(QCoro::waitFor(rpc::call(m_stub->async(), &Async::List, pb::ListRequest(), bare)).error().reason,
                 QStringLiteral("TOKEN_MISSING"));
        QCOMPARE(QCoro::waitFor(rpc::call(m_stub->async(), &Async::Get, pb::GetRequest(), bare)).error().reason,
                 QStringLiteral("TOKEN_MISSING"));
        QCOMPARE(
            QCoro::waitFor(rpc::call(m_stub->async(), &Async::Hibernate, pb::HibernateRequest(), bare)).error().reason,
            QStringLiteral("TOKEN_MISSING"));
        QCOMPARE(QCoro::waitFor(rpc::call(m_stub->async(), &Async::Delete, pb::DeleteRequest(), bare)).error().reason,
                 QStringLiteral("TOKEN_MISSING"));
        rpc::ClientReader<pb::BoxList> watch(m_stub->async(), &Async::Watch, pb::WatchRequest(), bare);
        QVERIFY(!QCoro::waitFor(watch.read()));
        QCOMPARE(QCoro::waitFor(watch.finish()).error().reason, QStringLiteral("TOKEN_MISSING"));
        rpc::ClientReader<pb::OperationEvent> operation(m_stub->async(), &Async::WatchOperation,
                                                        pb::WatchOperationRequest(), bare);
        QVERIFY(!QCoro::waitFor(operation.read()));
        QCOMPARE(QCoro::waitFor(operation.finish()).error().reason, QStringLiteral("TOKEN_MISSING"));
    }

    void watchSendsTheListAndThenEachChange()
    {
        rpc::CallOptions options = as("usr_1");
        options.timeout = std::chrono::seconds(20);
        rpc::ClientReader<pb::BoxList> watch(m_stub->async(), &Async::Watch, pb::WatchRequest(), options);
        QCOMPARE(QCoro::waitFor(watch.read())->boxes_size(), 0);
        QVERIFY(ensure("usr_2")); // another's box is no change
        QVERIFY(ensure("usr_1"));
        QList<pb::State> states;
        while (states.isEmpty() || states.last() != pb::STATE_RUNNING) {
            const auto list = QCoro::waitFor(watch.read());
            QVERIFY(list);
            QCOMPARE(list->boxes_size(), 1);
            states.append(list->boxes(0).state());
        }
        QCOMPARE(states.first(), pb::STATE_STARTING);
    }

    void aWatcherThatComesBackMissesNothingAndSeesNothingTwice()
    {
        m->machines->setLatency(std::chrono::milliseconds(20));
        const std::string operation = ensure("usr_1")->operation_id();
        QList<pb::OperationEvent> events;
        std::string after;
        while (events.isEmpty() || (events.last().phase() != pb::PHASE_DONE && events.size() < 50)) {
            const auto piece = watchOperation(operation, after, 1); // one event a call
            QVERIFY(!piece.isEmpty());
            after = piece.last().offset_key();
            events += piece;
        }
        QList<pb::Phase> phases;
        for (const pb::OperationEvent& event : events)
            phases.append(event.phase());
        QCOMPARE(phases,
                 (QList<pb::Phase>{pb::PHASE_CREATING, pb::PHASE_WAKING, pb::PHASE_CONNECTING, pb::PHASE_DONE}));
        QVERIFY(watchOperation(operation, {}, 100).size() == 4);
    }

    void whatIsNoOperationAndNoOffsetIsRefused()
    {
        QCOMPARE(refusal("op_none", {}), QStringLiteral("OPERATION_UNKNOWN"));
        const std::string operation = ensure("usr_1")->operation_id();
        QCOMPARE(refusal(operation, "x"), QStringLiteral("OFFSET_KEY_INVALID"));
        QCOMPARE(refusal(operation, "-1"), QStringLiteral("OFFSET_KEY_INVALID"));
        QCOMPARE(refusal(operation, std::string(100, '1')), QStringLiteral("OFFSET_KEY_INVALID"));
    }

    void aWatcherThatLeavesIsForgotten()
    {
        for (int i = 0; i < 20; ++i) {
            rpc::ClientReader<pb::BoxList> watch(m_stub->async(), &Async::Watch, pb::WatchRequest(), as("usr_1"));
            QVERIFY(QCoro::waitFor(watch.read()));
        }
        QVERIFY(BoxRig::until([this] { return m->service->bell().waiterCount() == 0; }));
    }

private:
    Result<pb::Box> ensure(const QByteArray& user)
    {
        return QCoro::waitFor(rpc::call(m_stub->async(), &Async::Ensure, pb::EnsureRequest(), as(user)));
    }
    QList<pb::OperationEvent> watchOperation(const std::string& operation, const std::string& after, int limit)
    {
        pb::WatchOperationRequest request;
        request.set_operation_id(operation);
        request.set_after_offset_key(after);
        rpc::ClientReader<pb::OperationEvent> reader(m_stub->async(), &Async::WatchOperation, request, as("usr_1"));
        return QCoro::waitFor(readEvents(&reader, limit));
    }
    QString refusal(const std::string& operation, const std::string& after)
    {
        pb::WatchOperationRequest request;
        request.set_operation_id(operation);
        request.set_after_offset_key(after);
        rpc::ClientReader<pb::OperationEvent> reader(m_stub->async(), &Async::WatchOperation, request, as("usr_1"));
        if (QCoro::waitFor(reader.read())) return QStringLiteral("an event");
        return QCoro::waitFor(reader.finish()).error().reason;
    }

    OpenTokens m_tokens;
    std::unique_ptr<BoxRig> m;
    std::shared_ptr<grpc::Service> m_service;
    std::unique_ptr<rpc::Server> m_server;
    std::unique_ptr<pb::Boxes::Stub> m_stub;
};

QTEST_GUILESS_MAIN(TestBoxesRpc)
#include "tst_boxes_rpc.moc"
