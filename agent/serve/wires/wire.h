// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <chrono>
#include <functional>
#include <optional>
#include <QByteArray>
#include <QList>
#include <QString>
#include <stop_token>

// The port between the loop and the models: one request, one streamed reply. A wire speaks one vendor's protocol as it
// is; nothing translates between them.
namespace cocoonbox::agent::serve::wires {

struct ToolDefinition {
    QString name;
    QString description;
    QByteArray parametersJson; // JSON Schema
};

struct RequestedCall {
    QString callId;
    QString tool;
    QByteArray argumentsJson; // a valid JSON object
};

struct Message {
    enum class Role { User, Assistant, ToolResult };
    Role role = Role::User;
    QString text;
    QList<RequestedCall> calls; // Assistant
    QString callId;             // ToolResult
};

struct ModelRequest {
    QString model;
    QString system;
    QList<Message> messages;
    QList<ToolDefinition> tools;
};

// A call as the model asked for it. Nothing is promised of `arguments` unless `problem` is empty: then they are a JSON
// object. A call with a problem must be answered, never executed.
struct ModelCall {
    QString tool;
    QByteArray arguments;
    QString problem;
};

enum class StopReason { End, Length, Refused };

struct Usage {
    qint64 inputTokens = 0;
    qint64 outputTokens = 0;
};

struct ModelReply {
    QString text;
    QList<ModelCall> calls; // with StopReason::Length none of them may be executed
    StopReason stop = StopReason::End;
    std::optional<Usage> usage;
};

// Why an attempt gave no whole reply.
struct WireFailure {
    Error error;
    bool mayRetry = false;                               // the same request may succeed
    std::optional<std::chrono::milliseconds> retryAfter; // the server's word
};

class ModelWire {
public:
    virtual ~ModelWire() = default;
    // One attempt. `onText` gets the words as they come, whole characters only; after a failure they are void.
    // Cancelled by the token within the time that closing a socket takes.
    virtual QCoro::Task<std::expected<ModelReply, WireFailure>>
    attempt(ModelRequest request, std::function<void(QString)> onText, std::stop_token stop) = 0;
};

struct RetryPolicy {
    int retriesMax = 3;
    std::chrono::milliseconds firstDelay{1000}; // doubles; jittered down to its half
    std::chrono::milliseconds delayMax{60'000}; // a server that asks for more is not waited for
};

struct ReplySink {
    std::function<void()> onBegin; // an attempt begins; text so far is void
    std::function<void(QString)> onText;
};

// The one retry layer. Safe because nothing of a reply is executed before the whole reply is here. A reply without
// words and calls is taken for a failure of the server and asked for once more.
Task<ModelReply> completeWithRetries(ModelWire& wire, ModelRequest request, ReplySink sink, RetryPolicy policy,
                                     std::stop_token stop);

// The first break of what every wire demands of a history; nothing when it may be sent. InvalidArgument:
// HISTORY_BROKEN.
Result<void> checkHistory(const QList<Message>& messages);

} // namespace cocoonbox::agent::serve::wires
