// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/tools/program.h"
#include "agent/serve/tools/tool_runner.h"
#include "agent/toolhost/port/frame_channel.h"

#include <QHash>
#include <QTimer>

namespace cocoonbox::agent::serve::tools {

struct ToolhostOptions {
    QString socketFolder; // of tools.sock
    uid_t uid = 0;        // toolhost must run as this user
    std::chrono::milliseconds retryMin{200};
    std::chrono::milliseconds retryMax{2000};
    std::chrono::milliseconds patience{5000};      // how long a call or a program waits for a toolhost that is away
    std::chrono::milliseconds cancelGrace{500};    // how long a cancelled call may take to say its result
    std::chrono::milliseconds deadlineSlack{5000}; // beyond a call's own time, which toolhost keeps
};

// Our end of tools.sock. Connects by itself and again after a loss; what was running then fails with a sentence.
// Domain thread only; outlives its calls and programs.
class ToolhostClient final : public QObject, public ToolRunner {
    Q_OBJECT
public:
    explicit ToolhostClient(ToolhostOptions options);
    ~ToolhostClient() override;

    void start();
    bool isReady() const { return m_greeted; }

    Task<ToolResult> run(ToolRequest request, std::function<void(QString)> onOutput, std::stop_token stop) override;
    // Waits its patience for a toolhost that is away, as a box that has just woken has none yet.
    // Unavailable: TOOLHOST_DOWN. ResourceExhausted: EXEC_LIMIT.
    Task<std::shared_ptr<Program>> startProgram(toolhost::port::ExecStart start, std::stop_token stop);

signals:
    void readyChanged(bool ready);

private:
    struct Call {
        std::function<void(QString)> onOutput;
        Promise<Result<toolhost::port::CallResult>> result;
    };

    void connectNow();
    void onMessage(const toolhost::port::Message& message);
    void onClosed(const Error& error);
    void onGreeting(const toolhost::port::Hello& hello);
    void retryLater();
    Task<void> untilReady(std::stop_token stop);
    Task<toolhost::port::CallResult> finished(quint64 id, Call call, std::chrono::milliseconds limit,
                                              std::stop_token stop);
    // Queued words of a program; false when the channel is gone.
    bool say(const toolhost::port::Message& message);

    friend class Program;

    ToolhostOptions m_options;
    std::unique_ptr<toolhost::port::FrameChannel> m_channel;
    bool m_greeted = false;
    bool m_quietly = false; // the present loss was logged
    QTimer m_retry;
    std::chrono::milliseconds m_delay;
    quint64 m_nextId = 1;
    QHash<quint64, Call> m_calls;
    QHash<quint64, std::shared_ptr<Program>> m_programs; // until their exit, though their client may be gone
};

} // namespace cocoonbox::agent::serve::tools
