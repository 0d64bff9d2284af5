// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/desktop/text_channel.h"
#include "agent/serve/rpc/clipboard_calls.h"
#include "agent/serve/rpc/proto_map.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/tools/toolhost_client.h"
#include "common/rpc/serve.h"

#include <QElapsedTimer>
#include <QTimer>

#include "cocoonbox/agent/v1/session.grpc.pb.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::rpc {

namespace {

using cocoonbox::rpc::BidiStream;
using cocoonbox::rpc::RequestContext;
using cocoonbox::rpc::StreamWriter;
using grpc::CallbackServerContext;

constexpr auto kQuietPatience = 3s; // an agent's action is stopped, and its program killed, within this

enum class Written { Yes, Gone, Behind };

// Outlives its caller when the viewer is given up; gRPC ends the write before it lets go of the writer.
QCoro::Task<void> writeTo(StreamWriter<v1::Event>& writer, v1::Event event, Promise<Written> written)
{
    const bool ok = co_await writer.write(std::move(event));
    written.set(ok ? Written::Yes : Written::Gone);
}

class SessionService final : public v1::Session::CallbackService {
public:
    explicit SessionService(SessionParts parts) : m_parts(parts) {}

    grpc::ServerUnaryReactor* Hello(CallbackServerContext* context, const v1::HelloRequest* request,
                                    v1::HelloResponse* reply) override
    {
        return cocoonbox::rpc::serveUnary(context, request, reply,
                                          [this](RequestContext c, v1::HelloRequest) { return hello(c); });
    }
    grpc::ServerWriteReactor<v1::Event>* Events(CallbackServerContext* context,
                                                const v1::EventsRequest* request) override
    {
        return cocoonbox::rpc::serveStream<v1::Event>(
            context, request,
            [this](RequestContext c, v1::EventsRequest r, StreamWriter<v1::Event>& w) { return events(c, r, w); });
    }
    grpc::ServerBidiReactor<v1::ScreenClientFrame, v1::ScreenServerFrame>*
    Screen(CallbackServerContext* context) override
    {
        return cocoonbox::rpc::serveBidi<v1::ScreenClientFrame, v1::ScreenServerFrame>(
            context,
            [this](RequestContext c, BidiStream<v1::ScreenClientFrame, v1::ScreenServerFrame>&) { return screen(c); });
    }
    grpc::ServerWriteReactor<v1::Baton>* TakeOver(CallbackServerContext* context,
                                                  const v1::TakeOverRequest* request) override
    {
        return cocoonbox::rpc::serveStream<v1::Baton>(
            context, request,
            [this](RequestContext c, v1::TakeOverRequest r, StreamWriter<v1::Baton>& w) { return takeOver(c, r, w); });
    }
    grpc::ServerUnaryReactor* InputText(CallbackServerContext* context, const v1::InputTextRequest* request,
                                        v1::InputTextResponse* reply) override
    {
        return cocoonbox::rpc::serveUnary(context, request, reply,
                                          [this](RequestContext c, v1::InputTextRequest r) { return inputText(c, r); });
    }
    grpc::ServerWriteReactor<v1::ClipboardChunk>* ReadClipboard(CallbackServerContext* context,
                                                                const v1::ReadClipboardRequest* request) override
    {
        return cocoonbox::rpc::serveStream<v1::ClipboardChunk>(
            context, request,
            [this](RequestContext c, v1::ReadClipboardRequest r, ClipboardWriter& w) { return readFor(c, r, w); });
    }
    grpc::ServerBidiReactor<v1::ClipboardChunk, v1::ClipboardWritten>*
    WriteClipboard(CallbackServerContext* context) override
    {
        return cocoonbox::rpc::serveBidi<v1::ClipboardChunk, v1::ClipboardWritten>(
            context, [this](RequestContext c, ClipboardStream& stream) { return writeFor(c, stream); });
    }

private:
    Task<v1::HelloResponse> hello(RequestContext context)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        CO_TRY_ASSIGN(const crypto::Identity identity, m_parts.gate.identity());
        v1::HelloResponse reply;
        reply.set_box_id(identity.boxId.toStdString());
        reply.set_wake_id(identity.wakeId.toStdString());
        reply.set_agent_version(COCOONBOX_VERSION);
        for (const char* capability :
             {"agents", "events", "exec", "screen", "takeover", "input-text", "clipboard", "files"})
            reply.add_capabilities(capability);
        reply.set_toolhost_ready(m_parts.toolhost.isReady());
        reply.set_started_at_ms(m_parts.startedAtMs);
        reply.set_last_offset(m_parts.transcript.lastOffset());
        co_return reply;
    }

    Task<void> events(RequestContext context, v1::EventsRequest request, StreamWriter<v1::Event>& writer)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        if (request.from_offset() < 0 || request.from_offset() > m_parts.transcript.lastOffset())
            co_return fail(
                ErrorCode::FailedPrecondition,
                u"This box has not come as far as the event %1; it was restored from an earlier state. Read the "
                "transcripts again and follow from offset 0."_s.arg(request.from_offset()),
                u"OFFSET_UNKNOWN"_s);
        session::EventFeed feed(m_parts.transcript, m_parts.drafts, m_parts.baton, m_parts.clipboard,
                                request.from_offset());
        while (true) {
            CO_TRY_ASSIGN(const session::FeedItem item, co_await feed.next(context.stop));
            switch (co_await writeInTime(writer, toProto(item, QDateTime::currentMSecsSinceEpoch()), feed)) {
            case Written::Yes: break;
            case Written::Gone: co_return fail(ErrorCode::Cancelled, u"The viewer is gone."_s);
            case Written::Behind:
                co_return fail(ErrorCode::ResourceExhausted,
                               u"The viewer has taken no event for too long. Follow again from the last offset seen."_s,
                               u"EVENTS_BEHIND"_s);
            }
        }
    }

    QCoro::Task<Written> writeInTime(StreamWriter<v1::Event>& writer, v1::Event event, const session::EventFeed& feed)
    {
        const Promise<Written> written;
        QElapsedTimer waiting;
        waiting.start();
        QTimer watch;
        watch.callOnTimeout([&] {
            if (waiting.durationElapsed() >= m_parts.slowViewerLimit && feed.backlog() >= kEventsBehind)
                written.set(Written::Behind);
        });
        watch.start(std::min<std::chrono::milliseconds>(1s, m_parts.slowViewerLimit));
        writeTo(writer, std::move(event), written);
        co_return co_await written.get();
    }

    Task<void> screen(RequestContext context)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        co_return fail(
            ErrorCode::Unimplemented,
            u"The screen is served by the edge, from the box's own screen channel. Call it through the edge."_s,
            u"SCREEN_AT_EDGE"_s);
    }

    Task<void> takeOver(RequestContext context, v1::TakeOverRequest request, StreamWriter<v1::Baton>& writer)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        session::Baton& baton = m_parts.baton;
        CO_TRY_ASSIGN(const session::Baton::Hold hold,
                      baton.take(QString::fromStdString(request.label()), request.steal()));
        const std::stop_callback onStop(context.stop,
                                        [&baton, id = hold.id] { postToDomain([&baton, id] { baton.release(id); }); });
        const Result<void> quiet = co_await baton.untilQuiet(kQuietPatience);
        if (!quiet) baton.release(hold.id);
        CO_TRY_VOID(quiet);
        v1::Baton held = toProto(baton.state());
        held.set_takeover_id(hold.takeoverId.toStdString());
        // Robbed before it was told: the thief is told, as the last word.
        if (baton.isHolder(hold.takeoverId) && !co_await writer.write(held)) baton.release(hold.id);
        const session::BatonState thief = co_await hold.ended.get();
        if (thief.heldBy.isEmpty()) co_return {};
        co_await writer.write(toProto(thief));
        co_return fail(ErrorCode::Aborted, u"%1 took over the screen."_s.arg(thief.heldBy), u"BATON_TAKEN"_s);
    }

    Task<v1::InputTextResponse> inputText(RequestContext context, v1::InputTextRequest request)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        CO_TRY_VOID(co_await m_parts.text.insert(QString::fromStdString(request.takeover_id()),
                                                 QString::fromStdString(request.text()), context.stop));
        co_return v1::InputTextResponse();
    }

    Task<void> readFor(RequestContext context, v1::ReadClipboardRequest request, ClipboardWriter& writer)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        co_return co_await readClipboard(m_parts.toolhost, QString::fromStdString(request.type()), writer,
                                         context.stop);
    }

    Task<void> writeFor(RequestContext context, ClipboardStream& stream)
    {
        CO_TRY_VOID(admit(m_parts.gate, context));
        co_return co_await writeClipboard(m_parts.toolhost, stream, context.stop);
    }

    SessionParts m_parts;
};

} // namespace

std::unique_ptr<grpc::Service> makeSessionService(SessionParts parts)
{
    return std::make_unique<SessionService>(parts);
}

} // namespace cocoonbox::agent::serve::rpc
