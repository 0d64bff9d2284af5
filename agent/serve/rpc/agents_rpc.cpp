// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/loop/turns.h"
#include "agent/serve/rpc/proto_map.h"
#include "agent/serve/rpc/services.h"
#include "common/rpc/serve.h"

#include "cocoonbox/agent/v1/agents.grpc.pb.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::rpc {

namespace {

using cocoonbox::rpc::RequestContext;
using cocoonbox::rpc::serveUnary;
using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

QString text(const std::string& bytes)
{
    return QString::fromStdString(bytes);
}

class AgentsService final : public v1::Agents::CallbackService {
public:
    AgentsService(session::Gate& gate, transcript::Transcript& transcript, loop::Turns& turns)
        : m_gate(gate), m_transcript(transcript), m_turns(turns)
    {
    }

    ServerUnaryReactor* Create(CallbackServerContext* context, const v1::CreateRequest* request,
                               v1::Agent* reply) override
    {
        return serveUnary(context, request, reply,
                          [this](RequestContext c, v1::CreateRequest r) { return create(c, r); });
    }
    ServerUnaryReactor* List(CallbackServerContext* context, const v1::ListRequest* request,
                             v1::AgentList* reply) override
    {
        return serveUnary(context, request, reply, [this](RequestContext c, v1::ListRequest) { return list(c); });
    }
    ServerUnaryReactor* Send(CallbackServerContext* context, const v1::SendRequest* request,
                             v1::SendAccepted* reply) override
    {
        return serveUnary(context, request, reply, [this](RequestContext c, v1::SendRequest r) { return send(c, r); });
    }
    ServerUnaryReactor* Transcript(CallbackServerContext* context, const v1::TranscriptRequest* request,
                                   v1::TranscriptPage* reply) override
    {
        return serveUnary(context, request, reply,
                          [this](RequestContext c, v1::TranscriptRequest r) { return page(c, r); });
    }
    ServerUnaryReactor* Respond(CallbackServerContext* context, const v1::RespondRequest* request,
                                v1::RespondResponse* reply) override
    {
        return serveUnary(context, request, reply,
                          [this](RequestContext c, v1::RespondRequest r) { return respond(c, r); });
    }
    ServerUnaryReactor* Cancel(CallbackServerContext* context, const v1::CancelRequest* request,
                               v1::CancelResponse* reply) override
    {
        return serveUnary(context, request, reply,
                          [this](RequestContext c, v1::CancelRequest r) { return cancel(c, r); });
    }

private:
    Task<v1::Agent> create(RequestContext context, v1::CreateRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_ASSIGN(const transcript::Agent agent,
                      co_await m_transcript.createAgent(text(request.client_nonce()), text(request.title())));
        co_return toProto(agent);
    }
    Task<v1::AgentList> list(RequestContext context)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_ASSIGN(const QList<transcript::Agent> agents, co_await m_transcript.agents());
        v1::AgentList reply;
        for (const transcript::Agent& agent : agents)
            *reply.add_agents() = toProto(agent);
        co_return reply;
    }
    Task<v1::SendAccepted> send(RequestContext context, v1::SendRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_ASSIGN(
            const transcript::SentPrompt sent,
            co_await m_turns.send(text(request.agent_id()), text(request.prompt()), text(request.client_nonce())));
        v1::SendAccepted reply;
        reply.set_turn_id(sent.prompt.turnId.toStdString());
        reply.set_seq(sent.prompt.seq);
        co_return reply;
    }
    Task<v1::TranscriptPage> page(RequestContext context, v1::TranscriptRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_ASSIGN(const transcript::Page page,
                      co_await m_transcript.page(text(request.agent_id()), request.after_seq(), request.limit()));
        v1::TranscriptPage reply;
        for (const transcript::Entry& entry : page.entries)
            *reply.add_entries() = toProto(entry);
        reply.set_has_more(page.hasMore);
        co_return reply;
    }
    // No tool of this release asks the user anything, so no entry waits for an answer.
    Task<v1::RespondResponse> respond(RequestContext context, v1::RespondRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_ASSIGN(const auto entry, co_await m_transcript.entry(text(request.agent_id()), request.seq()));
        if (!entry) co_return fail(ErrorCode::NotFound, u"The transcript has no such entry."_s, u"ENTRY_UNKNOWN"_s);
        co_return fail(ErrorCode::FailedPrecondition, u"That entry does not wait for an answer."_s, u"NOT_WAITING"_s);
    }
    Task<v1::CancelResponse> cancel(RequestContext context, v1::CancelRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_VOID(co_await m_turns.cancel(text(request.agent_id())));
        co_return v1::CancelResponse();
    }

    session::Gate& m_gate;
    transcript::Transcript& m_transcript;
    loop::Turns& m_turns;
};

} // namespace

std::unique_ptr<grpc::Service> makeAgentsService(session::Gate& gate, transcript::Transcript& transcript,
                                                 loop::Turns& turns)
{
    return std::make_unique<AgentsService>(gate, transcript, turns);
}

} // namespace cocoonbox::agent::serve::rpc
