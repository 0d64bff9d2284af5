// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <functional>
#include <QCoroTask>
#include <QJsonObject>
#include <QString>
#include <stop_token>

namespace cocoonbox::agent::toolhost {

// One call of a tool, as the tool sees it.
struct ToolCall {
    QJsonObject arguments;
    QString scope;                              // the agent that calls
    std::chrono::milliseconds timeout{0};       // the tool ends by then and says so
    std::stop_token stop;                       // the caller no longer wants it: end soon
    std::function<void(const QString&)> output; // text as it comes; may be called any number of times
};

// What the model reads. An error says what happened and what to do.
struct ToolResult {
    QString text;
    bool isError = false;

    static ToolResult failure(QString text) { return {std::move(text), true}; }
};

// A tool runs as `user`, on the domain thread, any number of calls at once. It outlives its calls.
class Tool {
public:
    Tool() = default;
    Tool(const Tool&) = delete;
    Tool& operator=(const Tool&) = delete;
    virtual ~Tool() = default;
    virtual QCoro::Task<ToolResult> run(ToolCall call) = 0;
};

} // namespace cocoonbox::agent::toolhost
