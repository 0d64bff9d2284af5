// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/message.h"
#include "common/async/event_queue.h"

#include <memory>
#include <variant>

namespace cocoonbox::agent::serve::tools {

class ToolhostClient;

// One program that toolhost runs for a client of Exec. Bytes flow by credit either way, so a client that does not read
// stops the program and not the tools socket.
class Program final {
public:
    using Output = std::variant<toolhost::port::ExecOutput, toolhost::port::ExecExit>;

    Program(ToolhostClient& toolhost, quint64 id);

    // The next output, taken from the program's credit; the exit comes last. Unavailable: TOOLHOST_LOST.
    Task<Output> next();
    // Waits for credit; false when the program has ended.
    QCoro::Task<bool> writeStdin(QByteArray bytes);
    void closeStdin();
    void resize(int rows, int columns);
    void signal(int number);
    // The client is gone: the program ends, its output is dropped, waiting callers resume.
    void hangUp();

private:
    friend class ToolhostClient;
    void onOutput(const toolhost::port::ExecOutput& output);
    void onExit(const toolhost::port::ExecExit& exit);
    void onCredit(qint64 bytes);
    void onLost();
    void wakeWriter();

    ToolhostClient& m_toolhost;
    const quint64 m_id;
    EventQueue<Output> m_outputs{toolhost::port::kExecWindowBytes + 1}; // all credit in single bytes, and the exit
    qint64 m_mayReceive = toolhost::port::kExecWindowBytes;
    qint64 m_maySend = toolhost::port::kExecWindowBytes;
    std::optional<Promise<bool>> m_writer;
    bool m_ended = false;
    bool m_hungUp = false;
};

} // namespace cocoonbox::agent::serve::tools
