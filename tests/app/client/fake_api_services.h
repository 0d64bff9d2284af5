// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The gRPC services of FakeApi. Included by fake_api.cpp only: it is slow to compile.
#include "fake_api.h"

#include "cocoonbox/agent/v1/agents.grpc.pb.h"
#include "cocoonbox/agent/v1/exec.grpc.pb.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"
#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "cocoonbox/control/v1/users.grpc.pb.h"
#include "common/rpc/serve.h"
#include "common/rpc/server.h"
#include "fake_api_content.h"
#include "fake_api_wire.h"

#include <QCoroTask>
#include <QRandomGenerator>

namespace cocoonbox::tests {

namespace control = cocoonbox::control::v1;
namespace agent = cocoonbox::agent::v1;
using namespace Qt::StringLiterals;
using rpc::RequestContext;

inline constexpr qint64 kNow = 1'700'000'000'000;

inline QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

// Many coroutines wait for the next change; a change wakes them all.
class Changes {
public:
    Promise<bool> next()
    {
        m_waiting.append(Promise<bool>());
        return m_waiting.last();
    }
    void tell()
    {
        for (const auto& promise : std::exchange(m_waiting, {}))
            promise.set(true);
    }

private:
    QList<Promise<bool>> m_waiting;
};

struct LoggedEvent {
    agent::Event event;
    bool durable;
};

#define SERVE_UNARY(Method, Request, Reply, handler)                                                                   \
    grpc::ServerUnaryReactor* Method(grpc::CallbackServerContext* c, const Request* q, Reply* r) override              \
    {                                                                                                                  \
        return rpc::serveUnary(c, q, r,                                                                                \
                               [this](RequestContext call, Request request) { return handler(call, request); });       \
    }

struct FakeApi::Services {
    explicit Services(FakeApi& fake)
        : api(fake), users(*this), boxes(*this), session(*this), agents(*this), exec(*this),
          files(fake, [this](const RequestContext& call) { return admitToBox(call); })
    {
    }

    Result<void> admit(const RequestContext& call) const
    {
        if (call.metadata.value("authorization") == "Bearer " + api.token) return {};
        return fail(ErrorCode::Unauthenticated, u"The token is not known."_s, u"TOKEN_UNKNOWN"_s);
    }
    Result<void> admitToBox(const RequestContext& call) const
    {
        TRY_VOID(admit(call));
        if (api.boxFailure) return std::unexpected(*api.boxFailure);
        for (const client::Box& box : api.boxes)
            if (box.boxId.toUtf8() == call.metadata.value("x-cocoonbox-box")) return {};
        return fail(ErrorCode::NotFound, u"There is no such box."_s, u"BOX_UNKNOWN"_s);
    }
    Result<client::Box*> find(const std::string& boxId)
    {
        for (client::Box& box : api.boxes)
            if (box.boxId == text(boxId)) return &box;
        return fail(ErrorCode::NotFound, u"There is no such box."_s, u"BOX_UNKNOWN"_s);
    }
    void log(agent::Event event, bool durable)
    {
        if (durable) event.set_offset(++lastOffset);
        event.set_at_ms(kNow);
        events.push_back({std::move(event), durable});
        eventChanges.tell();
    }
    client::Agent* findAgent(const QString& agentId)
    {
        for (client::Agent& a : agentList)
            if (a.agentId == agentId) return &a;
        return nullptr;
    }

    struct Users final : control::Users::CallbackService {
        explicit Users(Services& s) : self(s) {}
        Task<control::User> whoAmI(RequestContext call, control::WhoAmIRequest)
        {
            CO_TRY_VOID(self.admit(call));
            control::User user;
            user.set_user_id("usr_1");
            user.set_name("Ada");
            co_return user;
        }
        SERVE_UNARY(WhoAmI, control::WhoAmIRequest, control::User, whoAmI)
        Services& self;
    };

    struct Boxes final : control::Boxes::CallbackService {
        explicit Boxes(Services& s) : self(s) {}
        control::BoxList all() const
        {
            control::BoxList list;
            for (const client::Box& box : self.api.boxes)
                *list.add_boxes() = wireBox(box);
            return list;
        }
        Task<control::Box> ensure(RequestContext call, control::EnsureRequest request)
        {
            CO_TRY_VOID(self.admit(call));
            const QString name = request.name().empty() ? u"main"_s : text(request.name());
            if (name.contains(u' '))
                co_return fail(ErrorCode::InvalidArgument, u"That is no name."_s, u"BOX_NAME_INVALID"_s);
            client::Box* box = nullptr;
            for (client::Box& b : self.api.boxes)
                if (b.name == name) box = &b;
            if (!box) box = &self.api.addBox(name, client::BoxState::Hibernated);
            if (box->state != client::BoxState::Running) {
                box->state = client::BoxState::Starting;
                box->operationId = u"op_"_s + box->boxId;
            }
            co_return wireBox(*box);
        }
        Task<control::Box> get(RequestContext call, control::GetRequest request)
        {
            CO_TRY_VOID(self.admit(call));
            CO_TRY_ASSIGN(client::Box * box, self.find(request.box_id()));
            co_return wireBox(*box);
        }
        Task<control::BoxList> list(RequestContext call, control::ListRequest)
        {
            CO_TRY_VOID(self.admit(call));
            co_return all();
        }
        Task<control::Operation> hibernate(RequestContext call, control::HibernateRequest request)
        {
            CO_TRY_VOID(self.admit(call));
            CO_TRY_ASSIGN(client::Box * box, self.find(request.box_id()));
            box->state = client::BoxState::Hibernating;
            box->operationId = u"op_"_s + box->boxId;
            control::Operation operation;
            operation.set_operation_id(box->operationId.toStdString());
            operation.set_box_id(request.box_id());
            co_return operation;
        }
        Task<control::Operation> remove(RequestContext call, control::DeleteRequest request)
        {
            CO_TRY_VOID(self.admit(call));
            CO_TRY_ASSIGN(client::Box * box, self.find(request.box_id()));
            box->state = client::BoxState::Deleting;
            control::Operation operation;
            operation.set_operation_id("op_" + request.box_id());
            co_return operation;
        }
        Task<void> watch(RequestContext call, rpc::StreamWriter<control::BoxList>& out)
        {
            CO_TRY_VOID(self.admit(call));
            ++self.watcherCount;
            while (!call.stop.stop_requested() && !self.stopping) {
                const auto changed = self.boxChanges.next();
                if (!co_await out.write(all())) break;
                const std::stop_callback wake(call.stop, [changed] { postToDomain([changed] { changed.set(true); }); });
                co_await changed.get();
            }
            --self.watcherCount;
            co_return fail(ErrorCode::Unavailable, u"The api stops."_s);
        }
        // Five events; the key is the number of the last one.
        Task<void> operation(RequestContext call, control::WatchOperationRequest request,
                             rpc::StreamWriter<control::OperationEvent>& out)
        {
            CO_TRY_VOID(self.admit(call));
            const QString boxId = text(request.operation_id()).mid(3);
            int budget = self.api.cutOperationsAfter;
            for (int i = QByteArray::fromStdString(request.after_offset_key()).toInt() + 1; i <= 5; ++i) {
                control::OperationEvent event;
                event.set_operation_id(request.operation_id());
                event.set_offset_key(std::to_string(i));
                event.set_detail("step " + std::to_string(i));
                event.set_phase(i < 5 ? control::PHASE_WAKING : control::PHASE_DONE);
                if (i == 5 && self.api.operationsHang) co_await sleepFor(std::chrono::minutes(1), call.stop);
                if (i == 5) end(boxId, event);
                if (!co_await out.write(event)) co_return {};
                if (--budget == 0) co_return fail(ErrorCode::Unavailable, u"cut"_s);
            }
            co_return {};
        }
        void end(const QString& boxId, control::OperationEvent& event)
        {
            client::Box* box = self.find(boxId.toStdString()).value_or(nullptr);
            if (self.api.operationFailure) {
                event.set_phase(control::PHASE_FAILED);
                event.set_detail(self.api.operationFailure->message.toStdString());
            } else if (box && box->state == client::BoxState::Starting) {
                box->state = client::BoxState::Running;
            } else if (box && box->state == client::BoxState::Hibernating) {
                box->state = client::BoxState::Hibernated;
            } else if (box && box->state == client::BoxState::Deleting) {
                self.api.boxes.removeIf([&](const client::Box& b) { return b.boxId == boxId; });
            }
        }
        SERVE_UNARY(Ensure, control::EnsureRequest, control::Box, ensure)
        SERVE_UNARY(Get, control::GetRequest, control::Box, get)
        SERVE_UNARY(List, control::ListRequest, control::BoxList, list)
        SERVE_UNARY(Hibernate, control::HibernateRequest, control::Operation, hibernate)
        SERVE_UNARY(Delete, control::DeleteRequest, control::Operation, remove)
        grpc::ServerWriteReactor<control::BoxList>* Watch(grpc::CallbackServerContext* c,
                                                          const control::WatchRequest* q) override
        {
            return rpc::serveStream<control::BoxList>(
                c, q, [this](RequestContext call, control::WatchRequest, rpc::StreamWriter<control::BoxList>& out) {
                    return watch(call, out);
                });
        }
        grpc::ServerWriteReactor<control::OperationEvent>*
        WatchOperation(grpc::CallbackServerContext* c, const control::WatchOperationRequest* q) override
        {
            return rpc::serveStream<control::OperationEvent>(
                c, q,
                [this](RequestContext call, control::WatchOperationRequest request,
                       rpc::StreamWriter<control::OperationEvent>& out) { return operation(call, request, out); });
        }
        Services& self;
    };

    struct Session final : agent::Session::CallbackService {
        explicit Session(Services& s) : self(s) {}
        Task<agent::HelloResponse> hello(RequestContext call, agent::HelloRequest)
        {
            CO_TRY_VOID(self.admitToBox(call));
            agent::HelloResponse reply;
            reply.set_box_id(call.metadata.value("x-cocoonbox-box").toStdString());
            reply.set_last_offset(self.lastOffset);
            reply.set_toolhost_ready(true);
            co_return reply;
        }
        Task<void> events(RequestContext call, agent::EventsRequest request, rpc::StreamWriter<agent::Event>& out)
        {
            CO_TRY_VOID(self.admitToBox(call));
            ++self.eventCallCount;
            int budget = self.api.cutEventsAfterAtMost > 0
                             ? QRandomGenerator::global()->bounded(1, self.api.cutEventsAfterAtMost + 1)
                             : -1;
            const int generation = self.eventGeneration;
            const size_t live = self.events.size();
            agent::Event first;
            first.mutable_baton_changed()->set_held_by(self.api.heldBy.toStdString());
            if (!co_await out.write(first)) co_return {};
            bool draftsSent = false;
            for (size_t at = 0; !call.stop.stop_requested() && !self.stopping && generation == self.eventGeneration;) {
                if (at >= live && !draftsSent) {
                    draftsSent = true;
                    for (auto it = self.drafts.cbegin(); it != self.drafts.cend(); ++it)
                        if (!co_await out.write(draftEvent(it.key(), it->turnId, 0, it->text))) co_return {};
                    continue;
                }
                if (at >= self.events.size()) {
                    const auto changed = self.eventChanges.next();
                    const std::stop_callback wake(call.stop,
                                                  [changed] { postToDomain([changed] { changed.set(true); }); });
                    co_await changed.get();
                    continue;
                }
                const LoggedEvent next = self.events[at++];
                const bool wanted = next.durable ? next.event.offset() > request.from_offset() : at > live;
                if (!wanted) continue;
                if (!co_await out.write(next.event)) co_return {};
                if (--budget == 0) break;
            }
            co_return fail(ErrorCode::Unavailable, u"cut"_s);
        }
        static agent::Event draftEvent(const QString& agentId, const QString& turnId, qsizetype position,
                                       const QString& more)
        {
            agent::Event event;
            auto* draft = event.mutable_draft();
            draft->set_agent_id(agentId.toStdString());
            draft->set_turn_id(turnId.toStdString());
            draft->set_position(position);
            draft->set_text(more.toStdString());
            return event;
        }
        Task<void> takeOver(RequestContext call, agent::TakeOverRequest request, rpc::StreamWriter<agent::Baton>& out)
        {
            CO_TRY_VOID(self.admitToBox(call));
            if (!self.api.heldBy.isEmpty() && !request.steal())
                co_return fail(ErrorCode::FailedPrecondition, u"%1 holds the screen."_s.arg(self.api.heldBy),
                               u"BATON_HELD"_s);
            self.api.heldBy = text(request.label());
            self.batonChanges.tell();
            agent::Baton baton;
            baton.set_held_by(request.label());
            baton.set_takeover_id("takeover_1");
            if (!co_await out.write(baton)) co_return {};
            baton.clear_takeover_id();
            const auto changed = self.batonChanges.next();
            const std::stop_callback wake(call.stop, [changed] { postToDomain([changed] { changed.set(true); }); });
            co_await changed.get();
            if (call.stop.stop_requested()) {
                self.api.heldBy.clear();
                co_return {};
            }
            baton.set_held_by(self.api.heldBy.toStdString());
            co_await out.write(baton);
            co_return fail(ErrorCode::Aborted, u"Somebody took the screen."_s, u"BATON_TAKEN"_s);
        }
        // A server of RFB that shows one picture of many colours.
        Task<void> screen(RequestContext call,
                          rpc::BidiStream<agent::ScreenClientFrame, agent::ScreenServerFrame>& stream)
        {
            CO_TRY_VOID(self.admitToBox(call));
            ++self.api.screensOpened;
            const auto frame = [](const QByteArray& bytes) {
                agent::ScreenServerFrame out;
                out.set_data(bytes.toStdString());
                return out;
            };
            while (self.api.screenFloods) {
                if (!co_await stream.write(frame(QByteArray(64 * 1024, 'x')))) co_return {};
                self.api.screenBytesSent += 64 * 1024;
            }
            constexpr int kWidth = 160, kHeight = 100;
            QByteArray picture("\0\0\0\1\0\0\0\0\0\xa0\0\x64\0\0\0\0", 16);
            for (int i = 0; i < kWidth * kHeight; ++i)
                picture.append(static_cast<char>(i % 251))
                    .append(static_cast<char>(i / 97))
                    .append('\x40')
                    .append('\0');
            const QList<std::pair<QByteArray, qsizetype>> talk{
                {"RFB 003.008\n", 12},
                {QByteArray("\1\1", 2), 1},
                {QByteArray(4, '\0'), 1},
                {QByteArray("\0\xa0\0\x64", 4) + QByteArray(20, '\0'), 20 + 4},
                {picture, 1 << 30}};
            qsizetype received = 0;
            for (const auto& [say, expect] : talk) {
                for (qsizetype at = 0; at < say.size(); at += 64 * 1024)
                    if (!co_await stream.write(frame(say.mid(at, 64 * 1024)))) co_return {};
                while (received < expect) {
                    const auto in = co_await stream.read();
                    if (!in) co_return {};
                    received += static_cast<qsizetype>(in->data().size());
                }
                received -= expect;
            }
            co_return {};
        }
        Task<agent::InputTextResponse> inputText(RequestContext call, agent::InputTextRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            co_return co_await takeText(self.api, request);
        }
        SERVE_UNARY(Hello, agent::HelloRequest, agent::HelloResponse, hello)
        SERVE_UNARY(InputText, agent::InputTextRequest, agent::InputTextResponse, inputText)
        grpc::ServerWriteReactor<agent::ClipboardChunk>* ReadClipboard(grpc::CallbackServerContext* c,
                                                                       const agent::ReadClipboardRequest* q) override
        {
            return rpc::serveStream<agent::ClipboardChunk>(
                c, q,
                [this](RequestContext, agent::ReadClipboardRequest, rpc::StreamWriter<agent::ClipboardChunk>& out) {
                    return giveClipboard(self.api, out);
                });
        }
        grpc::ServerBidiReactor<agent::ClipboardChunk, agent::ClipboardWritten>*
        WriteClipboard(grpc::CallbackServerContext* c) override
        {
            return rpc::serveBidi<agent::ClipboardChunk, agent::ClipboardWritten>(
                c, [this](RequestContext, rpc::BidiStream<agent::ClipboardChunk, agent::ClipboardWritten>& stream) {
                    return takeClipboard(self.api, stream);
                });
        }
        grpc::ServerWriteReactor<agent::Event>* Events(grpc::CallbackServerContext* c,
                                                       const agent::EventsRequest* q) override
        {
            return rpc::serveStream<agent::Event>(
                c, q, [this](RequestContext call, agent::EventsRequest request, rpc::StreamWriter<agent::Event>& out) {
                    return events(call, request, out);
                });
        }
        grpc::ServerWriteReactor<agent::Baton>* TakeOver(grpc::CallbackServerContext* c,
                                                         const agent::TakeOverRequest* q) override
        {
            return rpc::serveStream<agent::Baton>(
                c, q,
                [this](RequestContext call, agent::TakeOverRequest request, rpc::StreamWriter<agent::Baton>& out) {
                    return takeOver(call, request, out);
                });
        }
        grpc::ServerBidiReactor<agent::ScreenClientFrame, agent::ScreenServerFrame>*
        Screen(grpc::CallbackServerContext* c) override
        {
            return rpc::serveBidi<agent::ScreenClientFrame, agent::ScreenServerFrame>(
                c, [this](RequestContext call,
                          rpc::BidiStream<agent::ScreenClientFrame, agent::ScreenServerFrame>& stream) {
                    return screen(call, stream);
                });
        }
        Services& self;
    };

    struct Agents final : agent::Agents::CallbackService {
        explicit Agents(Services& s) : self(s) {}
        Task<agent::Agent> create(RequestContext call, agent::CreateRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            const QString agentId = u"agt_%1"_s.arg(self.agentList.size() + 1);
            self.api.addAgent(agentId, text(request.title()));
            co_return wireAgent(*self.findAgent(agentId));
        }
        Task<agent::AgentList> list(RequestContext call, agent::ListRequest)
        {
            CO_TRY_VOID(self.admitToBox(call));
            agent::AgentList list;
            for (auto it = self.agentList.crbegin(); it != self.agentList.crend(); ++it)
                *list.add_agents() = wireAgent(*it);
            co_return list;
        }
        Task<agent::SendAccepted> send(RequestContext call, agent::SendRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            const QString nonce = text(request.client_nonce());
            const QString agentId = text(request.agent_id());
            if (!self.findAgent(agentId)) co_return fail(ErrorCode::NotFound, u"No such agent."_s, u"AGENT_UNKNOWN"_s);
            if (!self.accepted.contains(nonce)) {
                const FakeApi::Sent sent{agentId, text(request.prompt()), nonce,
                                         u"turn_%1"_s.arg(self.accepted.size() + 1)};
                self.api.sent.append(sent);
                const client::Entry entry =
                    self.api.addEntry(agentId, client::EntryKind::Prompt, sent.prompt, sent.turnId);
                self.api.setAgent(agentId, client::AgentState::Working, sent.turnId);
                agent::SendAccepted reply;
                reply.set_turn_id(sent.turnId.toStdString());
                reply.set_seq(entry.seq);
                self.accepted.insert(nonce, reply);
                if (self.api.onSend) postToDomain([this, sent] { self.api.onSend(sent); });
            }
            if (self.api.refuseSends > 0) {
                --self.api.refuseSends;
                co_return fail(ErrorCode::Unavailable, u"The answer is lost."_s);
            }
            co_return self.accepted.value(nonce);
        }
        Task<agent::TranscriptPage> transcript(RequestContext call, agent::TranscriptRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            agent::TranscriptPage page;
            const int limit = request.limit() > 0 ? request.limit() : 200;
            for (const client::Entry& entry : self.entries.value(text(request.agent_id()))) {
                if (entry.seq <= request.after_seq()) continue;
                if (page.entries_size() == limit) {
                    page.set_has_more(true);
                    break;
                }
                *page.add_entries() = wireEntry(entry);
            }
            co_return page;
        }
        Task<agent::RespondResponse> respond(RequestContext call, agent::RespondRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            self.api.answered.append(text(request.answer()));
            co_return agent::RespondResponse();
        }
        Task<agent::CancelResponse> cancel(RequestContext call, agent::CancelRequest request)
        {
            CO_TRY_VOID(self.admitToBox(call));
            self.api.cancelled.append(text(request.agent_id()));
            co_return agent::CancelResponse();
        }
        SERVE_UNARY(Create, agent::CreateRequest, agent::Agent, create)
        SERVE_UNARY(List, agent::ListRequest, agent::AgentList, list)
        SERVE_UNARY(Send, agent::SendRequest, agent::SendAccepted, send)
        SERVE_UNARY(Transcript, agent::TranscriptRequest, agent::TranscriptPage, transcript)
        SERVE_UNARY(Respond, agent::RespondRequest, agent::RespondResponse, respond)
        SERVE_UNARY(Cancel, agent::CancelRequest, agent::CancelResponse, cancel)
        Services& self;
    };

    // Programs: cat; exit N; both (one line on each stream); env NAME; wait (for a signal); vanish (the call breaks).
    struct Exec final : agent::Exec::CallbackService {
        using Stream = rpc::BidiStream<agent::ExecInput, agent::ExecOutput>;
        explicit Exec(Services& s) : self(s) {}
        static agent::ExecOutput out(const std::string& bytes, bool error = false)
        {
            agent::ExecOutput output;
            (error ? output.mutable_stderr_data() : output.mutable_stdout_data())->assign(bytes);
            return output;
        }
        Task<void> run(RequestContext call, Stream& stream)
        {
            CO_TRY_VOID(self.admitToBox(call));
            const auto first = co_await stream.read();
            if (!first || !first->has_start())
                co_return fail(ErrorCode::InvalidArgument, u"No start."_s, u"EXEC_START_MISSING"_s);
            const agent::ExecStart& start = first->start();
            const std::string program = start.argv_size() ? start.argv(0) : "shell";
            int code = 0;
            if (program == "exit") code = std::stoi(start.argv(1));
            if (program == "vanish")
                co_return fail(ErrorCode::Unavailable, u"The tool host is gone."_s, u"TOOLHOST_DOWN"_s);
            if (program == "env") co_await stream.write(out(start.env().at(start.argv(1)) + "\n"));
            if (program == "both") {
                co_await stream.write(out("to stdout\n"));
                co_await stream.write(out("to stderr\n", true));
            }
            while (program == "cat" || program == "wait") {
                const auto input = co_await stream.read();
                if (!input) co_return {};
                if (input->has_stdin_closed() && program == "cat") break;
                if (input->has_signal_number()) {
                    code = 128 + input->signal_number();
                    break;
                }
                if (input->has_stdin_data() && program == "cat") co_await stream.write(out(input->stdin_data()));
                if (program == "wait" && !input->has_signal_number() && !self.said) {
                    self.said = true;
                    co_await stream.write(out("ready\n"));
                }
            }
            agent::ExecOutput end;
            end.mutable_exited()->set_exit_code(code);
            co_await stream.write(end);
            co_return {};
        }
        grpc::ServerBidiReactor<agent::ExecInput, agent::ExecOutput>* Run(grpc::CallbackServerContext* c) override
        {
            return rpc::serveBidi<agent::ExecInput, agent::ExecOutput>(
                c, [this](RequestContext call, Stream& stream) { return run(call, stream); });
        }
        Services& self;
    };

    FakeApi& api;
    Users users;
    Boxes boxes;
    Session session;
    Agents agents;
    Exec exec;
    FakeFiles files;
    std::unique_ptr<rpc::Server> server;

    Changes boxChanges, eventChanges, batonChanges;
    bool stopping = false;
    int watcherCount = 0;
    int eventCallCount = 0;
    int eventGeneration = 0;
    qint64 lastOffset = 0;
    std::vector<LoggedEvent> events;
    QHash<QString, client::Draft> drafts;
    QList<client::Agent> agentList;
    QHash<QString, QList<client::Entry>> entries;
    QHash<QString, agent::SendAccepted> accepted;
    qint64 clock = kNow;
    bool said = false;
};

} // namespace cocoonbox::tests
