// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/api/edge/fake_agent.h"

#include <algorithm>
#include <cctype>
#include <grpcpp/support/byte_buffer.h>

namespace cocoonbox::testing {

namespace {

std::string textOf(const grpc::ByteBuffer& buffer)
{
    grpc::Slice slice;
    if (!buffer.DumpToSingleSlice(&slice).ok()) return {};
    return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

grpc::ByteBuffer bufferOf(const std::string& text)
{
    const grpc::Slice slice(text);
    return {&slice, 1};
}

} // namespace

class FakeCall final : public grpc::ServerGenericBidiReactor {
public:
    FakeCall(FakeAgent& agent, grpc::GenericCallbackServerContext* context)
        : m_agent(agent), m_context(context), m_method(context->method().substr(context->method().rfind('/') + 1))
    {
        ++m_agent.m_open;
        context->AddInitialMetadata("x-initial", "here");
        context->AddInitialMetadata("x-initial-bin", std::string("\0\xff", 2));
        if (m_method == "Echo" || m_method == "Upper") StartRead(&m_request);
        if (m_method == "Fail") fail();
        if (m_method == "Hold") StartSendInitialMetadata();
        if (m_method == "Flood" || m_method == "Big") write(std::string(m_method == "Big" ? 5 << 20 : 64 << 10, 'x'));
    }

private:
    void write(const std::string& text)
    {
        m_answer = bufferOf(text);
        StartWrite(&m_answer);
    }
    void fail()
    {
        m_context->AddTrailingMetadata("x-cocoonbox-reason", "TEST_FAILED");
        Finish({grpc::StatusCode::ALREADY_EXISTS, "schon da: grün, 100 %"});
    }
    void OnReadDone(bool ok) override
    {
        if (!ok) {
            m_context->AddTrailingMetadata("x-test", "trailer");
            m_context->AddTrailingMetadata("x-test-bin", std::string("\x01\0\xfe", 3));
            Finish(grpc::Status::OK);
            return;
        }
        std::string text = textOf(m_request);
        if (m_method == "Upper")
            std::ranges::transform(text, text.begin(),
                                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        write(text);
    }
    void OnWriteDone(bool ok) override
    {
        if (m_method == "Flood" && ok) {
            m_agent.m_flooded += static_cast<qint64>(m_answer.Length());
            StartWrite(&m_answer);
        } else if (m_method == "Echo" && ok) {
            StartRead(&m_request);
        } else {
            Finish(grpc::Status::OK);
        }
    }
    void OnCancel() override
    {
        ++m_agent.m_cancelled;
        if (m_method == "Hold") Finish(grpc::Status::CANCELLED);
    }
    void OnDone() override
    {
        --m_agent.m_open;
        delete this;
    }

    FakeAgent& m_agent;
    grpc::GenericCallbackServerContext* m_context;
    std::string m_method;
    grpc::ByteBuffer m_request;
    grpc::ByteBuffer m_answer;
};

FakeAgent::FakeAgent(QString socketPath) : m_socketPath(std::move(socketPath)) {}

FakeAgent::~FakeAgent()
{
    stop();
}

void FakeAgent::start()
{
    rpc::ServerOptions options;
    options.address = QStringLiteral("unix:") + m_socketPath;
    m_service = std::make_unique<Service>(*this);
    options.fallback = m_service.get();
    m_server = std::move(rpc::Server::start(options)).value();
}

void FakeAgent::stop()
{
    m_server.reset();
}

FakeAgent::Seen FakeAgent::lastCall() const
{
    const std::lock_guard lock(m_mutex);
    return m_seen;
}

grpc::ServerGenericBidiReactor* FakeAgent::Service::CreateReactor(grpc::GenericCallbackServerContext* context)
{
    {
        const std::lock_guard lock(m_agent.m_mutex);
        m_agent.m_seen = {};
        m_agent.m_seen.deadline = context->deadline();
        for (const auto& [key, value] : context->client_metadata())
            m_agent.m_seen.metadata.insert(QByteArray(key.data(), static_cast<qsizetype>(key.size())),
                                           QByteArray(value.data(), static_cast<qsizetype>(value.size())));
    }
    return new FakeCall(m_agent, context);
}

} // namespace cocoonbox::testing
