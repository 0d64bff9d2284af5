// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/wires/chat/chat_request.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::wires::chat {

namespace {

QJsonObject assistantMessage(const Message& message)
{
    QJsonObject json{{u"role"_s, u"assistant"_s}, {u"content"_s, message.text}};
    QJsonArray calls;
    for (const RequestedCall& call : message.calls)
        calls.append(
            QJsonObject{{u"id"_s, call.callId},
                        {u"type"_s, u"function"_s},
                        {u"function"_s, QJsonObject{{u"name"_s, call.tool},
                                                    {u"arguments"_s, QString::fromUtf8(call.argumentsJson)}}}});
    if (!calls.isEmpty()) json.insert(u"tool_calls"_s, calls);
    return json;
}

QJsonObject encode(const Message& message)
{
    switch (message.role) {
    case Message::Role::User: return {{u"role"_s, u"user"_s}, {u"content"_s, message.text}};
    case Message::Role::Assistant: return assistantMessage(message);
    case Message::Role::ToolResult: break;
    }
    return {{u"role"_s, u"tool"_s}, {u"tool_call_id"_s, message.callId}, {u"content"_s, message.text}};
}

QJsonObject encode(const ToolDefinition& tool)
{
    return {{u"type"_s, u"function"_s},
            {u"function"_s, QJsonObject{{u"name"_s, tool.name},
                                        {u"description"_s, tool.description},
                                        {u"parameters"_s, QJsonDocument::fromJson(tool.parametersJson).object()}}}};
}

} // namespace

QByteArray encodeRequest(const ModelRequest& request, AskUsage askUsage)
{
    QJsonArray messages{QJsonObject{{u"role"_s, u"system"_s}, {u"content"_s, request.system}}};
    for (const Message& message : request.messages)
        messages.append(encode(message));
    QJsonArray tools;
    for (const ToolDefinition& tool : request.tools)
        tools.append(encode(tool));
    QJsonObject body{{u"model"_s, request.model}, {u"messages"_s, messages}, {u"stream"_s, true}};
    if (!tools.isEmpty()) body.insert(u"tools"_s, tools);
    if (askUsage == AskUsage::Yes) body.insert(u"stream_options"_s, QJsonObject{{u"include_usage"_s, true}});
    return QJsonDocument(body).toJson(QJsonDocument::Compact);
}

} // namespace cocoonbox::agent::serve::wires::chat
