// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/wires/chat/chat_reply.h"

#include <QJsonArray>
#include <QJsonDocument>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::wires::chat {

namespace {

constexpr qsizetype kSentenceCharsMax = 512;

std::unexpected<WireFailure> failure(const char16_t* reason, const QString& message, bool mayRetry = true)
{
    return std::unexpected(WireFailure{
        .error = {ErrorCode::Unavailable, message, QString::fromUtf16(reason), {}, std::source_location::current()},
        .mayRetry = mayRetry,
        .retryAfter = {}});
}

// An index that is a number, a string of one, or missing.
QString keyOf(const QJsonValue& index)
{
    if (index.isString()) return index.toString();
    return index.isDouble() ? QString::number(index.toInteger(-1)) : QString();
}

ModelCall completed(const QString& name, const QString& argumentText)
{
    ModelCall call{.tool = name, .arguments = argumentText.trimmed().toUtf8(), .problem = {}};
    if (call.arguments.isEmpty()) call.arguments = "{}";
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(call.arguments, &error);
    if (name.isEmpty())
        call.problem = u"The call names no tool."_s;
    else if (call.arguments.size() > ChatReply::kArgumentBytesMax)
        call.problem = u"The arguments are larger than 64 KiB. Do it in several smaller calls."_s;
    else if (error.error != QJsonParseError::NoError)
        call.problem =
            u"The arguments are no valid JSON (%1 at byte %2); they may have been cut off. Send the call again."_s
                .arg(error.errorString())
                .arg(error.offset);
    else if (!document.isObject())
        call.problem = u"The arguments must be a JSON object. Send the call again."_s;
    return call;
}

} // namespace

QString errorSentence(const QJsonObject& json)
{
    const QJsonValue error = json.value("error"_L1);
    QString sentence = error.isObject() ? error.toObject().value("message"_L1).toString() : error.toString();
    if (sentence.isEmpty()) sentence = json.value("message"_L1).toString();
    return sentence.simplified().left(kSentenceCharsMax);
}

std::expected<QString, WireFailure> ChatReply::feed(QByteArrayView bytes)
{
    const Result<QList<net::http::SseEvent>> events = m_sse.feed(bytes);
    if (!events) return failure(u"MODEL_REPLY_TOO_LARGE", events.error().message, false);
    QString text;
    for (const net::http::SseEvent& event : *events)
        if (Step step = onEvent(event, text); !step) return std::unexpected(std::move(step).error());
    return text;
}

ChatReply::Step ChatReply::onEvent(const net::http::SseEvent& event, QString& text)
{
    if (m_done) return {};
    const QByteArray payload = event.data.trimmed();
    if (payload == "[DONE]") {
        m_done = true;
        return {};
    }
    const QJsonDocument document = QJsonDocument::fromJson(payload);
    if (event.event == "error" || document.object().value("error"_L1).isObject() ||
        document.object().value("error"_L1).isString()) {
        const QString sentence = errorSentence(document.object());
        return failure(u"MODEL_STREAM_ERROR", u"The model's server broke off its reply: %1"_s.arg(
                                                  sentence.isEmpty() ? u"it gave no reason."_s : sentence));
    }
    if (!document.isObject())
        return failure(u"MODEL_STREAM_BROKEN", u"The model's server sent a frame that is no JSON object."_s);
    return onFrame(document.object(), text);
}

ChatReply::Step ChatReply::onFrame(const QJsonObject& frame, QString& text)
{
    if (const QJsonObject usage = frame.value("usage"_L1).toObject(); !usage.isEmpty())
        m_usage = Usage{usage.value("prompt_tokens"_L1).toInteger(), usage.value("completion_tokens"_L1).toInteger()};
    const QJsonObject choice = frame.value("choices"_L1).toArray().at(0).toObject();
    if (choice.isEmpty()) return {};
    ++m_progress;
    if (const QString reason = choice.value("finish_reason"_L1).toString(); !reason.isEmpty()) m_finishReason = reason;
    return onDelta(choice.value("delta"_L1).toObject(), text);
}

ChatReply::Step ChatReply::onDelta(const QJsonObject& delta, QString& text)
{
    const QString refusal = delta.value("refusal"_L1).toString();
    m_isRefusal = m_isRefusal || !refusal.isEmpty();
    const QString words = delta.value("content"_L1).toString() + refusal;
    if (m_text.size() + words.size() > kTextBytesMax)
        return failure(u"MODEL_REPLY_TOO_LARGE", u"The model's reply is longer than 1 MiB."_s, false);
    m_text += words;
    text += words;
    for (const QJsonValue& value : delta.value("tool_calls"_L1).toArray()) {
        const QJsonObject json = value.toObject();
        const QJsonObject function = json.value("function"_L1).toObject();
        const QJsonValue arguments = function.value("arguments"_L1);
        // Some servers send the arguments as an object instead of its text.
        const QString argumentText =
            arguments.isObject() ? QString::fromUtf8(QJsonDocument(arguments.toObject()).toJson(QJsonDocument::Compact))
                                 : arguments.toString();
        TRY_VOID(onFragment({keyOf(json.value("index"_L1)), json.value("id"_L1).toString(),
                             function.value("name"_L1).toString(), argumentText}));
    }
    return {};
}

// Which call a fragment belongs to; null: it begins a new one.
ChatReply::Call* ChatReply::callFor(const Fragment& fragment)
{
    const auto backwards = [this](auto matches) -> Call* {
        for (auto call = m_calls.rbegin(); call != m_calls.rend(); ++call)
            if (matches(*call)) return &*call;
        return nullptr;
    };
    if (!fragment.key.isEmpty()) {
        Call* call = backwards([&](const Call& c) { return c.key == fragment.key; });
        // The same index with another id is another call: some servers give every call index 0.
        const bool another = call && !fragment.id.isEmpty() && !call->id.isEmpty() && call->id != fragment.id;
        if (!another) return call;
        return backwards([&](const Call& c) { return c.key == fragment.key && c.id == fragment.id; });
    }
    if (!fragment.id.isEmpty()) return backwards([&](const Call& c) { return c.id == fragment.id; });
    // Neither index nor id: a name begins a call, anything else goes on with the last one.
    return fragment.name.isEmpty() && !m_calls.isEmpty() ? &m_calls.last() : nullptr;
}

ChatReply::Step ChatReply::onFragment(const Fragment& fragment)
{
    Call* call = callFor(fragment);
    if (!call) {
        if (m_calls.size() >= kCallsMax)
            return failure(u"MODEL_REPLY_TOO_LARGE", u"The model asked for more than 64 tool calls at once."_s, false);
        call = &m_calls.emplaceBack(Call{fragment.key, {}, {}, {}});
    }
    if (!fragment.id.isEmpty()) call->id = fragment.id;
    if (call->name.isEmpty()) call->name = fragment.name;
    // Kept a little beyond the limit, so that `completed` sees that it was passed.
    if (call->arguments.size() <= kArgumentBytesMax) call->arguments += fragment.arguments;
    return {};
}

std::expected<ModelReply, WireFailure> ChatReply::finish()
{
    QString text;
    for (const net::http::SseEvent& event : m_sse.finish())
        if (Step step = onEvent(event, text); !step) return std::unexpected(std::move(step).error());
    if (!m_done && m_finishReason.isEmpty())
        return failure(u"MODEL_STREAM_CUT", u"The model's reply broke off before its end."_s);
    ModelReply reply{.text = m_text, .calls = {}, .stop = StopReason::End, .usage = m_usage};
    for (const Call& call : std::as_const(m_calls))
        reply.calls.append(completed(call.name, call.arguments));
    if (m_finishReason == u"length") reply.stop = StopReason::Length;
    if (m_isRefusal || m_finishReason == u"content_filter") reply.stop = StopReason::Refused;
    return reply;
}

} // namespace cocoonbox::agent::serve::wires::chat
