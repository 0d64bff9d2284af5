// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/tools/toolhost_client.h"
#include "common/async/task.h"

#include <memory>
#include <optional>
#include <QTimer>

namespace cocoonbox::agent::serve::tools {

// One of toolhost's own programs (agent/toolhost/port/own_program.h), run as `user`. It ends when this goes. What it
// says is hostile: the user of the box may have replaced what it sees, not what we make of it. Domain thread.
class OwnProgram final {
public:
    // Errors of ToolhostClient::startProgram.
    static Task<std::unique_ptr<OwnProgram>> start(ToolhostClient& toolhost, QStringList words, std::stop_token stop);
    ~OwnProgram();
    OwnProgram(const OwnProgram&) = delete;

    // One frame at most port::kInputFrameBytesMax, not empty; waits for credit. False when the program has ended:
    // `read` says why.
    QCoro::Task<bool> send(QByteArray bytes);
    QCoro::Task<bool> complete(); // the content is whole
    // The next of its output; nothing when it has ended well. The program's own Error, or Unavailable: TOOLHOST_LOST;
    // DeadlineExceeded: `reason` of the limit.
    Task<std::optional<QByteArray>> read();
    // Hangs it up after this time; `read` then says so.
    void limit(std::chrono::milliseconds time, QString reason);

private:
    explicit OwnProgram(std::shared_ptr<Program> program);

    std::shared_ptr<Program> m_program;
    QByteArray m_errors; // what it said on stderr
    QTimer m_timer;
    QString m_limitReason;
    bool m_isLate = false;
};

// Runs one to its end: `content` goes in when there is any, the output comes back.
// ResourceExhausted: OUTPUT_TOO_LARGE beyond `bytesMax`.
struct OwnRequest {
    QStringList words;
    std::optional<QByteArray> content;
    qsizetype bytesMax = 64 * 1024;
    std::chrono::milliseconds limit = std::chrono::seconds(10);
    QString limitReason = QStringLiteral("PROGRAM_TIMEOUT");
};
Task<QByteArray> runOwn(ToolhostClient& toolhost, OwnRequest request, std::stop_token stop);

// Cuts the first line off a stream of output; nothing while it is not whole. InvalidArgument: OUTPUT_BROKEN above
// 64 KiB.
Result<std::optional<QByteArray>> takeLine(QByteArray& bytes);

} // namespace cocoonbox::agent::serve::tools
