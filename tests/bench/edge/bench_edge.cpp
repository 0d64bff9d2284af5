// SPDX-License-Identifier: AGPL-3.0-only
// The moving parts of `./bench edge`; tests/bench/edge/run drives them. One program, so that all sides share a build:
//
//   serve SOCKET                    a gRPC server that echoes (…/Echo) or floods (…/Flood)
//   edge SOCKET                     our edge in front of it; prints its port; both end with their stdin
//   pingpong TARGET SECONDS BYTES   one stream, one message at a time; prints p50 and p99 in microseconds
//   down TARGET SECONDS             takes what …/Flood sends; prints MiB/s
//   idle TARGET COUNT               opens streams, prints "ready", closes them when stdin ends
//   stall TARGET                    takes one message of …/Flood and no more, prints "ready", leaves when stdin ends
#include "api/edge/edge.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <QCoreApplication>
#include <QFile>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace cocoonbox;
using Steady = std::chrono::steady_clock;

namespace {

constexpr int kMessageBytesMax = 4 << 20;
constexpr char kService[] = "/cocoonbox.agent.v1.Bench/";

grpc::ByteBuffer bufferOf(size_t size)
{
    const grpc::Slice slice(std::string(size, 'x'));
    return {&slice, 1};
}

void waitForStdinToEnd()
{
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

// One call of the server; it lives until its client has left. All calls share one queue and one thread.
class ServedCall {
public:
    ServedCall(grpc::AsyncGenericService& service, grpc::ServerCompletionQueue& queue)
        : m_service(service), m_queue(queue), m_stream(&m_context)
    {
        m_service.RequestCall(&m_context, &m_stream, &m_queue, &m_queue, this);
    }
    void proceed(bool ok)
    {
        if (!ok && m_step != Step::Ending) return end();
        switch (m_step) {
        case Step::Waiting: return begin();
        case Step::Reading: return write(Step::Writing);
        case Step::Writing: return read();
        case Step::Flooding: return write(Step::Flooding);
        case Step::Ending: delete this;
        }
    }

private:
    enum class Step { Waiting, Reading, Writing, Flooding, Ending };
    void begin()
    {
        new ServedCall(m_service, m_queue);
        if (m_context.method().ends_with("Flood")) {
            m_message = bufferOf(64 << 10);
            return write(Step::Flooding);
        }
        read();
    }
    void read()
    {
        m_step = Step::Reading;
        m_message.Clear();
        m_stream.Read(&m_message, this);
    }
    void write(Step step)
    {
        m_step = step;
        m_stream.Write(m_message, this);
    }
    void end()
    {
        if (m_step == Step::Waiting) {
            delete this;
            return;
        }
        m_step = Step::Ending;
        m_stream.Finish(grpc::Status::OK, this);
    }

    grpc::AsyncGenericService& m_service;
    grpc::ServerCompletionQueue& m_queue;
    grpc::GenericServerContext m_context;
    grpc::GenericServerAsyncReaderWriter m_stream;
    grpc::ByteBuffer m_message;
    Step m_step = Step::Waiting;
};

int serve(const std::string& socket)
{
    grpc::AsyncGenericService service;
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMessageBytesMax);
    builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
    builder.RegisterAsyncGenericService(&service);
    const auto queue = builder.AddCompletionQueue();
    const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
    std::thread worker([&] {
        new ServedCall(service, *queue);
        void* tag = nullptr;
        bool ok = false;
        while (queue->Next(&tag, &ok))
            static_cast<ServedCall*>(tag)->proceed(ok);
    });
    std::puts("ready");
    std::fflush(stdout);
    waitForStdinToEnd();
    std::_Exit(0); // the peers are gone too; nothing is measured any more
}

class OneUser final : public api::users::TokenCheck {
public:
    std::optional<api::users::Actor> check(QByteArrayView) const override
    {
        return api::users::Actor{QStringLiteral("usr_bench"), QStringLiteral("bench")};
    }
};

class OneBox final : public api::boxes::BoxDirectory {
public:
    explicit OneBox(std::string socket) : m_socket(std::move(socket)) {}
    Result<api::boxes::Route> route(QStringView userId, QStringView boxId) const override
    {
        return api::boxes::Route{boxId.toString(),
                                 QStringLiteral("wake"),
                                 userId.toString(),
                                 {QStringLiteral("key"), [this](api::machines::Channel) { return dial(); }}};
    }

private:
    Result<int> dial() const
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        m_socket.copy(address.sun_path, sizeof address.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
        ::close(fd);
        return fail(ErrorCode::Unavailable, QStringLiteral("The bench's server does not listen."));
    }

    std::string m_socket;
};

int runEdge(const std::string& socket)
{
    const OneUser user;
    const OneBox box(socket);
    const SystemClock clock;
    api::edge::EdgeOptions options;
    options.address = QStringLiteral("127.0.0.1:0");
    options.streamsPerUser = 4000;
    const auto edge = api::edge::Edge::start(options, user, box, *crypto::KeyPair::generate(), clock);
    if (!edge) return 1;
    std::printf("%d\n", (*edge)->port());
    std::fflush(stdout);
    waitForStdinToEnd();
    return 0;
}

std::shared_ptr<grpc::Channel> channelTo(const std::string& target)
{
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

// One call, step by step on one thread, which polls the sockets itself.
class Stream {
public:
    Stream(const std::shared_ptr<grpc::Channel>& channel, const std::string& method)
    {
        m_context.AddMetadata("authorization", "Bearer bench");
        m_context.AddMetadata("x-cocoonbox-box", "box_bench");
        m_call = grpc::GenericStub(channel).PrepareCall(&m_context, kService + method, &m_queue);
        m_call->StartCall(this);
        next();
    }
    ~Stream()
    {
        m_context.TryCancel();
        m_queue.Shutdown();
        while (next()) {
        }
    }
    bool write(const grpc::ByteBuffer& message)
    {
        m_call->Write(message, this);
        return next();
    }
    bool read()
    {
        m_message.Clear();
        m_call->Read(&m_message, this);
        return next();
    }
    size_t messageBytes() const { return m_message.Length(); }

private:
    bool next()
    {
        void* tag = nullptr;
        bool ok = false;
        return m_queue.Next(&tag, &ok) && ok;
    }

    grpc::ClientContext m_context;
    grpc::CompletionQueue m_queue;
    std::unique_ptr<grpc::GenericClientAsyncReaderWriter> m_call;
    grpc::ByteBuffer m_message;
};

double percentile(const std::vector<double>& sorted, double part)
{
    return sorted[std::min(sorted.size() - 1, static_cast<size_t>(static_cast<double>(sorted.size()) * part))];
}

int pingPong(const std::string& target, double seconds, size_t bytes)
{
    Stream stream(channelTo(target), "Echo");
    const grpc::ByteBuffer message = bufferOf(bytes);
    std::vector<double> times;
    const auto start = Steady::now();
    const auto warm = start + std::chrono::milliseconds(200);
    const auto end = start + std::chrono::duration<double>(seconds);
    for (auto sent = start; sent < end;) {
        if (!stream.write(message) || !stream.read()) return 1;
        const auto received = Steady::now();
        if (sent > warm) times.push_back(std::chrono::duration<double, std::micro>(received - sent).count());
        sent = received;
    }
    std::ranges::sort(times);
    std::printf("{\"p50\": %.1f, \"p99\": %.1f, \"count\": %zu}\n", percentile(times, 0.5), percentile(times, 0.99),
                times.size());
    return 0;
}

int down(const std::string& target, double seconds)
{
    Stream stream(channelTo(target), "Flood");
    if (!stream.read()) return 1;
    const auto start = Steady::now();
    double bytes = 0;
    double passed = 0;
    while (passed < seconds) {
        if (!stream.read()) return 1;
        bytes += static_cast<double>(stream.messageBytes());
        passed = std::chrono::duration<double>(Steady::now() - start).count();
    }
    std::printf("{\"mib_s\": %.1f}\n", bytes / passed / (1 << 20));
    return 0;
}

int keepOpen(const std::string& target, const std::string& method, int count)
{
    const auto channel = channelTo(target);
    std::vector<std::unique_ptr<Stream>> streams;
    const grpc::ByteBuffer message = bufferOf(16);
    for (int i = 0; i < count; ++i) {
        streams.push_back(std::make_unique<Stream>(channel, method));
        if (method == "Echo" && !streams.back()->write(message)) return 1;
        if (!streams.back()->read()) return 1;
    }
    std::puts("ready");
    std::fflush(stdout);
    waitForStdinToEnd();
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    const std::vector<std::string> words(argv + 1, argv + argc);
    const auto is = [&words](const char* name, size_t count) { return words.size() == count + 1 && words[0] == name; };
    if (is("serve", 1)) return serve(words[1]);
    if (is("edge", 1)) return runEdge(words[1]);
    if (is("pingpong", 3)) return pingPong(words[1], std::stod(words[2]), std::stoul(words[3]));
    if (is("down", 2)) return down(words[1], std::stod(words[2]));
    if (is("idle", 2)) return keepOpen(words[1], "Echo", std::stoi(words[2]));
    if (is("stall", 1)) return keepOpen(words[1], "Flood", 1);
    std::fputs("see the head of bench_edge.cpp\n", stderr);
    return 2;
}
