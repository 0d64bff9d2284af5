// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/users_rpc.h"
#include "cocoonbox/control/v1/users.grpc.pb.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"
#include "common/rpc/server.h"

#include <QCoroTask>
#include <QTest>

namespace pb = cocoonbox::control::v1;
using namespace cocoonbox;
using namespace cocoonbox::api::users;

namespace {

class OneToken final : public TokenCheck {
public:
    std::optional<Actor> check(QByteArrayView token) const override
    {
        if (token != "cbx_good") return std::nullopt;
        return Actor{QStringLiteral("usr_1"), QStringLiteral("Ada ü"), 1234};
    }
};

} // namespace

class TestUsersRpc : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        m_service = makeUsersRpc(m_tokens);
        rpc::ServerOptions options;
        options.address = QStringLiteral("127.0.0.1:0");
        options.services = {m_service.get()};
        m_server = rpc::Server::start(options).value();
        m_stub = pb::Users::NewStub(
            rpc::makeChannel(QUrl(QStringLiteral("http://127.0.0.1:%1").arg(m_server->port()))).value());
    }
    void cleanupTestCase() { QCoro::waitFor(m_server->stop(std::chrono::seconds(1))); }

    void theTokensUserIsTold()
    {
        const auto user = whoAmI("Bearer cbx_good");
        QVERIFY(user);
        QCOMPARE(user->user_id(), std::string("usr_1"));
        QCOMPARE(user->name(), std::string("Ada ü"));
        QCOMPARE(user->created_at_ms(), 1234);
    }

    void aMissingAndAnUnknownTokenAreToldApart()
    {
        QCOMPARE(whoAmI({}).error().reason, QStringLiteral("TOKEN_MISSING"));
        QCOMPARE(whoAmI("Bearer cbx_bad").error().reason, QStringLiteral("TOKEN_UNKNOWN"));
        QCOMPARE(whoAmI("Bearer cbx_bad").error().code, ErrorCode::Unauthenticated);
    }

private:
    Result<pb::User> whoAmI(const QByteArray& authorization)
    {
        rpc::CallOptions options;
        if (!authorization.isEmpty()) options.metadata = {{"authorization", authorization}};
        return QCoro::waitFor(
            rpc::call(m_stub->async(), &pb::Users::Stub::async::WhoAmI, pb::WhoAmIRequest(), options));
    }

    OneToken m_tokens;
    std::shared_ptr<grpc::Service> m_service;
    std::unique_ptr<rpc::Server> m_server;
    std::unique_ptr<pb::Users::Stub> m_stub;
};

QTEST_GUILESS_MAIN(TestUsersRpc)
#include "tst_users_rpc.moc"
