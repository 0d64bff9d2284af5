// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/wires/wire.h"

#include "common/async/wait.h"

#include <QJsonDocument>
#include <QLoggingCategory>
#include <QRandomGenerator>
#include <QSet>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::wires {

namespace {

Q_LOGGING_CATEGORY(wireLog, "cocoonbox.agent.wire", QtInfoMsg)

using std::chrono::milliseconds;

milliseconds delayBefore(int retry, const WireFailure& failure, const RetryPolicy& policy)
{
    const milliseconds full = std::min(policy.firstDelay * (1 << (retry - 1)), policy.delayMax);
    const milliseconds jittered = full / 2 + full * QRandomGenerator::global()->bounded(1000) / 2000;
    // A little over what the server asked for: timers may fire a twentieth early.
    const milliseconds asked = failure.retryAfter.value_or(milliseconds{0});
    return std::max(jittered, asked + asked / 16);
}

Error tooLongAWait(const WireFailure& failure)
{
    Error error = failure.error;
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*failure.retryAfter).count();
    error.message += u" It asks to be left alone for %1 s; try again then."_s.arg(seconds);
    return error;
}

std::unexpected<Error> broken(const QString& what)
{
    return fail(ErrorCode::InvalidArgument, u"The conversation cannot be sent to the model: %1."_s.arg(what),
                u"HISTORY_BROKEN"_s);
}

WireFailure emptyReply()
{
    return {.error = {ErrorCode::Unavailable,
                      u"The model answered without a word."_s,
                      u"MODEL_REPLY_EMPTY"_s,
                      {},
                      std::source_location::current()},
            .mayRetry = true,
            .retryAfter = {}};
}

bool isEmpty(const ModelReply& reply)
{
    return reply.text.trimmed().isEmpty() && reply.calls.isEmpty() && reply.stop == StopReason::End;
}

} // namespace

Task<ModelReply> completeWithRetries(ModelWire& wire, ModelRequest request, ReplySink sink, RetryPolicy policy,
                                     std::stop_token stop)
{
    CO_TRY_VOID(checkHistory(request.messages));
    int empties = 0;
    for (int retry = 0;;) {
        sink.onBegin();
        std::expected<ModelReply, WireFailure> reply = co_await wire.attempt(request, sink.onText, stop);
        if (reply && isEmpty(*reply)) reply = std::unexpected(emptyReply());
        if (reply) co_return *std::move(reply);
        const WireFailure failure = std::move(reply).error();
        if (stop.stop_requested()) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        if (failure.error.reason == u"MODEL_REPLY_EMPTY" && ++empties > 1) co_return std::unexpected(failure.error);
        if (!failure.mayRetry || ++retry > policy.retriesMax) co_return std::unexpected(failure.error);
        if (failure.retryAfter && *failure.retryAfter > policy.delayMax)
            co_return std::unexpected(tooLongAWait(failure));
        const milliseconds delay = delayBefore(retry, failure, policy);
        qCInfo(wireLog).noquote() << "the model call is tried again in" << delay.count()
                                  << "ms:" << failure.error.reason;
        CO_TRY_VOID(co_await sleepFor(delay, stop));
    }
}

Result<void> checkHistory(const QList<Message>& messages)
{
    QSet<QString> everCalled;
    QSet<QString> unanswered;
    for (const Message& message : messages) {
        if (message.role == Message::Role::ToolResult) {
            if (!unanswered.remove(message.callId)) return broken(u"a tool result has no call, or two results"_s);
            continue;
        }
        if (!unanswered.isEmpty()) return broken(u"a tool call has no result"_s);
        if (message.text.isEmpty() && message.calls.isEmpty()) return broken(u"a message is empty"_s);
        if (message.role == Message::Role::User && !message.calls.isEmpty()) return broken(u"a user calls a tool"_s);
        for (const RequestedCall& call : message.calls) {
            if (call.callId.isEmpty() || everCalled.contains(call.callId)) return broken(u"a call id is used twice"_s);
            if (!QJsonDocument::fromJson(call.argumentsJson).isObject())
                return broken(u"arguments are no JSON object"_s);
            everCalled.insert(call.callId);
            unanswered.insert(call.callId);
        }
    }
    if (!unanswered.isEmpty()) return broken(u"a tool call has no result"_s);
    if (messages.isEmpty() || messages.last().role == Message::Role::Assistant)
        return broken(u"there is nothing to answer"_s);
    return {};
}

} // namespace cocoonbox::agent::serve::wires
