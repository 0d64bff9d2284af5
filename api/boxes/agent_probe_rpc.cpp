// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/agent_probe.h"

#include "cocoonbox/agent/v1/session.grpc.pb.h"
#include "common/base/limits.h"
#include "common/crypto/credential.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"

namespace cocoonbox::api::boxes {

namespace {

namespace pb = cocoonbox::agent::v1;

constexpr auto kHelloLimit = std::chrono::seconds(3);

class HelloProbe final : public AgentProbe {
public:
    HelloProbe(crypto::KeyPair key, const Clock& clock) : m_key(std::move(key)), m_clock(clock) {}

    Task<void> hello(machines::Endpoint endpoint, QString boxId, QString wakeId, std::stop_token stop) override
    {
        CO_TRY_ASSIGN(const int fd, endpoint.dial(machines::Channel::Agent));
        const auto channel = rpc::makeChannelFromSocket(fd);
        const auto stub = pb::Session::NewStub(channel);
        pb::HelloRequest request;
        request.set_client_name("cocoonbox-api");
        request.set_client_version(COCOONBOX_VERSION);
        rpc::CallOptions options;
        options.timeout = kHelloLimit;
        options.metadata = {{crypto::kCredentialHeader, crypto::signCredential(credential(boxId, wakeId), m_key)}};
        options.stop = stop;
        CO_TRY_ASSIGN(const pb::HelloResponse answer,
                      co_await rpc::call(stub->async(), &pb::Session::Stub::async::Hello, request, options));
        if (answer.box_id() != boxId.toStdString() || answer.wake_id() != wakeId.toStdString())
            co_return fail(ErrorCode::FailedPrecondition,
                           QStringLiteral("Another box answered than the one that was started."),
                           QStringLiteral("AGENT_MISMATCH"));
        co_return {};
    }

private:
    crypto::Credential credential(const QString& boxId, const QString& wakeId) const
    {
        using std::chrono::seconds;
        const qint64 lifetime = std::chrono::duration_cast<seconds>(limits::kCredentialLifetime).count();
        return {m_key.publicKey().keyId(), boxId, wakeId, m_clock.nowMs() / 1000 + lifetime};
    }

    crypto::KeyPair m_key;
    const Clock& m_clock;
};

} // namespace

std::unique_ptr<AgentProbe> makeAgentProbe(crypto::KeyPair key, const Clock& clock)
{
    return std::make_unique<HelloProbe>(std::move(key), clock);
}

} // namespace cocoonbox::api::boxes
