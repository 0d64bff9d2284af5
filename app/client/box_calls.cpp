// SPDX-License-Identifier: AGPL-3.0-only
// The calls of BoxSession that ask and wait, and holding the screen. What follows events is in box_session.cpp.
#include "app/client/box_session.h"

#include "app/client/api_client.h"
#include "app/client/convert.h"
// After the conversions it uses.
#include "app/client/ask.h"
#include "cocoonbox/agent/v1/agents.grpc.pb.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"
#include "common/base/ids.h"

#include <QPointer>
#include <QTimer>

namespace cocoonbox::app::client {

namespace wire = agent::v1;
using AsyncAgents = class wire::Agents::Stub::async;
using AsyncSession = class wire::Session::Stub::async;
using limits::kUnaryDeadline;

namespace {

constexpr auto kSendPatience = std::chrono::seconds(10);

} // namespace

Task<Hello> BoxSession::sayHello()
{
    wire::HelloRequest request;
    request.set_client_name(m_clientName.toStdString());
    request.set_client_version(m_clientVersion.toStdString());
    const auto reply = co_await ask<wire::Session>(m_connection, &AsyncSession::Hello, request,
                                                   m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<Agent> BoxSession::createAgent(QString title)
{
    wire::CreateRequest request;
    request.set_client_nonce(randomHex128().toStdString());
    request.set_title(title.toStdString());
    const auto reply = co_await ask<wire::Agents>(m_connection, &AsyncAgents::Create, request,
                                                  m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<QList<Agent>> BoxSession::listAgents()
{
    const auto reply = co_await ask<wire::Agents>(m_connection, &AsyncAgents::List, {},
                                                  m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform([](const wire::AgentList& list) {
        QList<Agent> agents;
        for (const auto& agent : list.agents())
            agents.append(fromWire(agent));
        return agents;
    });
}

Task<SendAccepted> BoxSession::send(QString agentId, QString prompt)
{
    const auto connection = m_connection;
    const QString boxId = m_boxId;
    wire::SendRequest request;
    request.set_agent_id(agentId.toStdString());
    request.set_prompt(prompt.toStdString());
    request.set_client_nonce(randomHex128().toStdString());
    RetryPause pause;
    QElapsedTimer elapsed;
    elapsed.start();
    for (;;) {
        const auto reply = co_await ask<wire::Agents>(connection, &AsyncAgents::Send, request,
                                                      connection->options(boxId, kUnaryDeadline));
        const bool again =
            !reply && reply.error().code == ErrorCode::Unavailable && elapsed.durationElapsed() < kSendPatience;
        if (!again) co_return reply.transform(kFromWire);
        CO_TRY_VOID(co_await pause.wait({}));
        CO_TRY_VOID(co_await Connection::reconnect(connection, {}));
    }
}

Task<void> BoxSession::cancel(QString agentId)
{
    wire::CancelRequest request;
    request.set_agent_id(agentId.toStdString());
    const auto reply = co_await ask<wire::Agents>(m_connection, &AsyncAgents::Cancel, request,
                                                  m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform([](const auto&) {});
}

Task<void> BoxSession::respond(QString agentId, qint64 seq, QString answer)
{
    wire::RespondRequest request;
    request.set_agent_id(agentId.toStdString());
    request.set_seq(seq);
    request.set_answer(answer.toStdString());
    const auto reply = co_await ask<wire::Agents>(m_connection, &AsyncAgents::Respond, request,
                                                  m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform([](const auto&) {});
}

Task<BoxSession::Page> BoxSession::readTranscript(QString agentId, qint64 afterSeq, int limit)
{
    wire::TranscriptRequest request;
    request.set_agent_id(agentId.toStdString());
    request.set_after_seq(afterSeq);
    request.set_limit(limit);
    const auto reply = co_await ask<wire::Agents>(m_connection, &AsyncAgents::Transcript, request,
                                                  m_connection->options(m_boxId, kUnaryDeadline));
    co_return reply.transform([](const wire::TranscriptPage& page) {
        Page out{{}, page.has_more()};
        for (const auto& entry : page.entries())
            out.entries.append(fromWire(entry));
        return out;
    });
}

struct BoxSession::Takeover {
    std::stop_source stop;
    Promise<Result<void>> answer; // whether it is held
    bool handedBack = false;
};

Task<void> BoxSession::takeOver(QString label, bool steal)
{
    if (m_takeover) co_return {};
    const auto takeover = std::make_shared<Takeover>();
    m_takeover = takeover;
    m_scope.spawn(hold(takeover, std::move(label), steal), QStringLiteral("holding the screen"));
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.callOnTimeout([takeover] { takeover->stop.request_stop(); });
    deadline.start(kUnaryDeadline);
    Result<void> answer = co_await takeover->answer.get();
    if (!answer && answer.error().code == ErrorCode::Cancelled && !takeover->handedBack)
        co_return fail(ErrorCode::DeadlineExceeded,
                       QStringLiteral("The box did not say in time whether you hold its screen. Try again."),
                       QStringLiteral("TAKEOVER_TIMEOUT"));
    co_return answer;
}

void BoxSession::handBack()
{
    const auto takeover = std::exchange(m_takeover, nullptr);
    if (!takeover) return;
    m_holding = false;
    takeover->handedBack = true;
    takeover->stop.request_stop();
}

Task<void> BoxSession::hold(std::shared_ptr<Takeover> takeover, QString label, bool steal)
{
    const QPointer self{this};
    const auto connection = m_connection;
    const auto stub = wire::Session::NewStub(connection->channel());
    wire::TakeOverRequest request;
    request.set_label(label.toStdString());
    request.set_steal(steal);
    rpc::ClientReader<wire::Baton> reader(stub->async(), &AsyncSession::TakeOver, request,
                                          connection->options(m_boxId, {}, takeover->stop.get_token()));
    QString thief;
    while (const auto baton = co_await reader.read()) {
        if (self && m_takeover == takeover && !takeover->answer.isSet()) {
            m_holding = true;
            m_takeoverId = fromWire(baton->takeover_id());
        } else {
            thief = fromWire(baton->held_by()); // the last word to a holder that was robbed
        }
        takeover->answer.set(Result<void>());
    }
    const Result<void> end = connection->explained(co_await reader.finish());
    takeover->answer.set(end ? cancelled() : Result<void>(std::unexpected(end.error())));
    if (!self || m_takeover != takeover) co_return {};
    m_takeover.reset();
    if (!std::exchange(m_holding, false)) co_return {};
    if (!thief.isEmpty())
        emit screenLost(QStringLiteral("%1 took over the screen.").arg(thief));
    else
        emit screenLost(QStringLiteral("The connection was lost, and the screen with it: %1")
                            .arg(end ? QStringLiteral("the box ended it.") : end.error().message));
    co_return {};
}

} // namespace cocoonbox::app::client
