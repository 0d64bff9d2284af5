// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/edge.h"

#include "api/edge/switchboard.h"
#include "common/async/wait.h"
#include "common/rpc/serve.h"
#include "common/rpc/server.h"

#include <csignal>
#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QTemporaryDir>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace cocoonbox::api::edge {

namespace {

Q_LOGGING_CATEGORY(lcEdge, "cocoonbox.api.edge", QtInfoMsg)

using namespace std::chrono_literals;

constexpr auto kStopCheckEvery = 20ms;
constexpr auto kLastWords = 100ms; // for the sockets to take what was said at the end

// On the edge's thread: OpenSSL writes with write(2), which is to fail for a client that is gone, not to end the
// process.
void blockPipeSignal()
{
    sigset_t blocked;
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
}

Result<int> connectUnix(const QByteArray& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy_n(path.constData(), std::min<size_t>(static_cast<size_t>(path.size()), sizeof address.sun_path - 1),
                address.sun_path);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
    if (fd >= 0) ::close(fd);
    return fail(ErrorCode::Unavailable, QStringLiteral("The api's own services do not answer."),
                QStringLiteral("API_STOPPING"));
}

// Answers the methods that no service of the api has.
class UnknownMethods final : public grpc::CallbackGenericService {
    grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override
    {
        class Refusal final : public grpc::ServerGenericBidiReactor {
            void OnDone() override { delete this; }
        };
        auto* refusal = new Refusal;
        refusal->Finish(rpc::finalStatus(
            *context, fail(ErrorCode::Unimplemented,
                           QStringLiteral("This api has no method %1; client and api may be of different versions.")
                               .arg(QString::fromStdString(context->method())),
                           QStringLiteral("METHOD_UNKNOWN"))));
        return refusal;
    }
};

} // namespace

struct Edge::Parts {
    UnknownMethods unknownMethods;
    QTemporaryDir controlDirectory; // mode 0700, holds the socket of the api's own services
    std::unique_ptr<rpc::Server> control;
    std::unique_ptr<Loop> loop;
    std::unique_ptr<Switchboard> switchboard; // edge thread only
    std::thread thread;
    int port = 0;

    void onEdge(Loop::Work work) { loop->post(std::move(work)); }
    void join();
};

// Ends the loop and destroys, on its thread, what belongs to it.
void Edge::Parts::join()
{
    if (!thread.joinable()) return;
    onEdge([this] { switchboard.reset(); });
    loop->quit();
    thread.join();
}

Edge::Edge(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}

Result<std::unique_ptr<Edge>> Edge::start(EdgeOptions options, const users::TokenCheck& tokens,
                                          const boxes::BoxDirectory& boxes, crypto::KeyPair key, const Clock& clock)
{
    std::optional<TlsContext> tls;
    if (!options.certificatePem.isEmpty()) {
        TRY_ASSIGN(tls, TlsContext::create(options.certificatePem, options.privateKeyPem));
    }
    TRY_ASSIGN(std::unique_ptr<Listener> listener, Listener::open(options.address, std::move(tls)));
    auto parts = std::make_unique<Parts>();
    TRY_ASSIGN(parts->loop, Loop::create());
    if (!parts->controlDirectory.isValid())
        return fail(
            ErrorCode::Internal,
            QStringLiteral("The edge cannot make a directory for its socket; check that TMPDIR can be written."),
            QStringLiteral("TEMPORARY_UNWRITABLE"));
    const QString socketPath = parts->controlDirectory.filePath(QStringLiteral("s"));
    rpc::ServerOptions control;
    control.address = QStringLiteral("unix:") + socketPath;
    control.services = options.services;
    control.fallback = &parts->unknownMethods;
    TRY_ASSIGN(parts->control, rpc::Server::start(control));
    parts->port = listener->port();
    const SwitchboardLimits limits{options.streamsPerUser, static_cast<size_t>(options.connectionsMax),
                                   options.dialLimit, options.boxSilenceMax, options.greetingLimit};
    parts->switchboard = std::make_unique<Switchboard>(
        *parts->loop, limits, Gate(tokens, boxes), CredentialCache(std::move(key), clock), std::move(listener),
        [path = QFile::encodeName(socketPath)] { return connectUnix(path); });
    parts->thread = std::thread([loop = parts->loop.get()] {
        blockPipeSignal();
        loop->run();
    });
    qCInfo(lcEdge) << "listening on port" << parts->port
                   << (options.certificatePem.isEmpty() ? "without TLS" : "with TLS");
    return std::unique_ptr<Edge>(new Edge(std::move(parts)));
}

Edge::~Edge()
{
    m_parts->join();
}

int Edge::port() const
{
    return m_parts->port;
}

QCoro::Task<void> Edge::stop(std::chrono::milliseconds limit)
{
    Parts& parts = *m_parts;
    if (!parts.thread.joinable()) co_return;
    parts.onEdge([&parts] { parts.switchboard->stopTaking(); });
    for (auto waited = 0ms; waited < limit; waited += kStopCheckEvery) {
        const Promise<bool> answer;
        parts.onEdge(
            [&parts, answer] { postToDomain([answer, isIdle = parts.switchboard->isIdle()] { answer.set(isIdle); }); });
        if (co_await answer.get()) break;
        co_await sleepFor(kStopCheckEvery);
    }
    parts.onEdge([&parts] { parts.switchboard->endCalls(); });
    co_await sleepFor(kLastWords);
    parts.join();
    co_await parts.control->stop(0ms);
}

} // namespace cocoonbox::api::edge
