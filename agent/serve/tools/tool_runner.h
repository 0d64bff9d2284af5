// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"

#include <chrono>
#include <functional>
#include <QByteArray>
#include <QString>
#include <stop_token>

namespace cocoonbox::agent::serve::tools {

struct ToolRequest {
    QString agentId; // each agent has its own shells
    QString tool;
    QByteArray argumentsJson;
    std::chrono::milliseconds limit{120'000};
};

struct ToolResult {
    QString text; // at most 64 KiB
    bool isError = false;
};

// Runs one tool call for the loop.
class ToolRunner {
public:
    virtual ~ToolRunner() = default;
    // `onOutput` gets text while the tool runs. An Error means that the tool gave no answer of its own: Cancelled by
    // the token (within a second), Unavailable TOOLHOST_DOWN or TOOLHOST_LOST, DeadlineExceeded TOOL_TIMEOUT.
    virtual Task<ToolResult> run(ToolRequest request, std::function<void(QString)> onOutput, std::stop_token stop) = 0;
};

} // namespace cocoonbox::agent::serve::tools
