// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/serve.h"

#include "agent/serve/desktop/clipboard_watch.h"
#include "agent/serve/desktop/hand_back_recorder.h"
#include "agent/serve/desktop/text_channel.h"
#include "agent/serve/loop/turns.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/session/gate.h"
#include "agent/serve/tools/toolhost_client.h"
#include "agent/serve/wires/chat/chat_wire.h"
#include "common/memory/memory.h"
#include "common/rpc/server.h"
#include "common/sql/database.h"

#include <csignal>
#include <pwd.h>
#include <QCoreApplication>
#include <QCoroTask>
#include <QElapsedTimer>
#include <QHostAddress>
#include <QLoggingCategory>
#include <QSocketNotifier>
#include <QTimer>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve {

namespace {

Q_LOGGING_CATEGORY(serveLog, "cocoonbox.agent.serve", QtInfoMsg)

Result<uid_t> uidOf(const QString& user)
{
    const passwd* entry = ::getpwnam(user.toLocal8Bit().constData());
    if (!entry)
        return fail(ErrorCode::FailedPrecondition,
                    u"The user \"%1\", as which tools run, does not exist. Name another in tools-user."_s.arg(user),
                    u"TOOLS_USER_UNKNOWN"_s);
    return entry->pw_uid;
}

Result<wires::chat::ChatWireOptions> wireOptions(const ServeOptions& options)
{
    wires::chat::ChatWireOptions wire;
    wire.url = QUrl(options.modelUrl, QUrl::StrictMode);
    const qsizetype colon = options.modelProxy.lastIndexOf(u':');
    wire.proxyAddress = options.modelProxy.left(colon).remove(u'[').remove(u']');
    bool isPort = false;
    wire.proxyPort = options.modelProxy.mid(colon + 1).toUShort(&isPort);
    if (!wire.url.isValid() || wire.url.scheme() != u"http" || wire.url.host().isEmpty())
        return fail(ErrorCode::InvalidArgument,
                    u"model.url must be http://HOST/PATH, not \"%1\"."_s.arg(options.modelUrl), u"CONFIG_INVALID"_s);
    if (!isPort || QHostAddress(wire.proxyAddress).isNull())
        return fail(ErrorCode::InvalidArgument,
                    u"model.proxy must be a numeric address and a port, such as 127.0.0.1:3128, not \"%1\"."_s.arg(
                        options.modelProxy),
                    u"CONFIG_INVALID"_s);
    return wire;
}

// The socket is for us and for the host: mode 0660, in a folder whose group the host set (group 0 in the box, which in
// a rootless container is the host user's own).
constexpr mode_t kSocketUmask = 0117;

// Everything that lives as long as the process, in the order in which it is made.
class System final {
public:
    static QCoro::Task<Result<std::unique_ptr<System>>> create(ServeOptions options)
    {
        std::unique_ptr<System> system(new System);
        CO_TRY_VOID(co_await system->open(std::move(options)));
        co_return system;
    }

    // The loop lets go of its turns, then the calls end, then the transcript closes.
    void close()
    {
        m_turns->abandonAll(2s);
        QCoro::waitFor(m_server->stop(1s));
    }

private:
    System() = default;

    Task<void> open(ServeOptions options)
    {
        CO_TRY_ASSIGN(const uid_t toolsUid, uidOf(options.toolsUser));
        CO_TRY_ASSIGN(const wires::chat::ChatWireOptions wire, wireOptions(options));
        CO_TRY_ASSIGN(m_database, co_await sql::Database::open({.url = u"sqlite:"_s + options.stateDir + u"/agent.db"_s,
                                                                .syncEveryCommit = false}));
        m_transcript = std::make_unique<transcript::Transcript>(*m_database, m_clock);
        CO_TRY_VOID(co_await m_transcript->open());
        m_gate = std::make_unique<session::Gate>(options.identityFile, m_clock);
        m_wire = std::make_unique<wires::chat::ChatWire>(wire);
        tools::ToolhostOptions toolhost;
        toolhost.socketFolder = options.runDir + u"/tools"_s;
        toolhost.uid = toolsUid;
        m_toolhost = std::make_unique<tools::ToolhostClient>(toolhost);
        m_toolhost->start();
        restWhenQuiet();
        loop::LoopOptions loop;
        loop.model = [this, own = options.model] { return modelName(own); };
        m_turns = std::make_unique<loop::Turns>(
            loop::LoopParts{*m_transcript, m_drafts, m_baton, *m_toolhost, *m_wire, m_clock, m_handBacks}, loop);
        m_clipboardWatch = std::make_unique<desktop::ClipboardWatch>(m_clipboard, *m_toolhost);
        m_recorder = std::make_unique<desktop::HandBackRecorder>(m_baton, m_handBacks, *m_toolhost, m_clock);
        m_text = std::make_unique<desktop::TextChannel>(m_baton, *m_toolhost);
        co_return listen(options.runDir + u"/agent"_s);
    }

    // Most boxes rest most of the time, and many share a machine.
    void restWhenQuiet()
    {
        m_quiet.setSingleShot(true);
        m_quiet.callOnTimeout(memory::giveBack);
        QObject::connect(m_transcript.get(), &transcript::Transcript::advanced, &m_quiet,
                         [this] { m_quiet.start(30s); });
        m_quiet.start(5s);
    }

    QString modelName(const QString& own) const
    {
        if (!own.isEmpty()) return own;
        const auto identity = m_gate->identity();
        return identity && !identity->model.isEmpty() ? identity->model : u"default"_s;
    }

    Result<void> listen(const QString& folder)
    {
        m_services.push_back(rpc::makeAgentsService(*m_gate, *m_transcript, *m_turns));
        m_services.push_back(rpc::makeSessionService({.gate = *m_gate,
                                                      .transcript = *m_transcript,
                                                      .drafts = m_drafts,
                                                      .baton = m_baton,
                                                      .clipboard = m_clipboard,
                                                      .text = *m_text,
                                                      .toolhost = *m_toolhost,
                                                      .startedAtMs = m_clock.nowMs()}));
        m_services.push_back(rpc::makeExecService(*m_gate, *m_toolhost));
        m_services.push_back(rpc::makeFilesService(*m_gate, *m_toolhost));
        cocoonbox::rpc::ServerOptions server;
        server.address = u"unix:"_s + folder + u"/agent.sock"_s;
        for (const auto& service : m_services)
            server.services.push_back(service.get());
        const mode_t before = ::umask(kSocketUmask);
        auto started = cocoonbox::rpc::Server::start(server);
        ::umask(before);
        TRY_ASSIGN(m_server, std::move(started));
        return {};
    }

    SystemClock m_clock;
    std::unique_ptr<sql::Database> m_database;
    std::unique_ptr<transcript::Transcript> m_transcript;
    session::DraftBoard m_drafts;
    session::Baton m_baton{m_clock};
    session::HandBacks m_handBacks;
    session::ClipboardBoard m_clipboard;
    std::unique_ptr<session::Gate> m_gate;
    std::unique_ptr<wires::chat::ChatWire> m_wire;
    std::unique_ptr<tools::ToolhostClient> m_toolhost;
    std::unique_ptr<loop::Turns> m_turns;
    std::unique_ptr<desktop::ClipboardWatch> m_clipboardWatch;
    std::unique_ptr<desktop::HandBackRecorder> m_recorder;
    std::unique_ptr<desktop::TextChannel> m_text;
    std::vector<std::unique_ptr<grpc::Service>> m_services;
    std::unique_ptr<cocoonbox::rpc::Server> m_server;
    QTimer m_quiet;
};

// SIGTERM and SIGINT as an event of the main loop. Blocked before any thread is made, so that all threads inherit it.
int openSignals()
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return ::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

} // namespace

int runServe(const ServeOptions& options)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    const int signalsFd = openSignals();
    QSocketNotifier onSignal(signalsFd, QSocketNotifier::Read);
    QObject::connect(&onSignal, &QSocketNotifier::activated, qApp, &QCoreApplication::quit);
    Result<std::unique_ptr<System>> system = QCoro::waitFor(System::create(options));
    if (!system) {
        qCCritical(serveLog).noquote() << "cannot start:" << system.error().message << system.error().detail;
        ::close(signalsFd);
        return 1;
    }
    qCInfo(serveLog).noquote() << "listening after" << sinceStart.elapsed() << "ms";
    QCoreApplication::exec();
    onSignal.setEnabled(false);
    (*system)->close();
    ::close(signalsFd);
    return 0;
}

} // namespace cocoonbox::agent::serve
