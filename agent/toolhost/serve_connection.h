// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/exec/program.h"
#include "agent/toolhost/port/frame_channel.h"
#include "agent/toolhost/tool.h"

#include <memory>
#include <QHash>
#include <stop_token>

namespace cocoonbox::agent::toolhost {

// The tools of one toolhost by name.
using ToolSet = QHash<QString, std::shared_ptr<Tool>>;

// One connection of serve: its calls and its programs, all of which end with it. A word out of place ends it.
class ServeConnection final : public QObject {
    Q_OBJECT
public:
    ServeConnection(int fd, const ToolSet& tools, QString workspace, QObject* parent);
    ~ServeConnection() override;

signals:
    void closed();

private:
    struct RunningCall {
        std::stop_source stop;
        qsizetype outputBytes = 0;
    };

    void onMessage(const port::Message& message);
    void onWord(const port::Hello& hello);
    void onWord(const port::CallStart& start);
    void onWord(const port::CallCancel& cancel);
    void onWord(const port::ExecStart& start);
    void onWord(const port::ExecStdin& input);
    void onWord(const port::ExecResize& resize);
    void onWord(const port::ExecSignal& signal);
    void onWord(const port::ExecHangUp& hangUp);
    void onWord(const port::ExecCredit& credit);
    void onWord(const port::CallOutput&) { misbehaved(); }
    void onWord(const port::CallResult&) { misbehaved(); }
    void onWord(const port::ExecOutput&) { misbehaved(); }
    void onWord(const port::ExecExit&) { misbehaved(); }

    QCoro::Task<void> runCall(port::CallStart start, std::shared_ptr<RunningCall> running);
    void sendOutput(quint64 id, RunningCall& running, const QString& text);
    bool takeId(quint64 id);
    exec::Program* program(quint64 id) const { return m_programs.value(id); }
    void send(const port::Message& message);
    void checkBacklog();
    void misbehaved();
    void onClosed();

    port::FrameChannel m_channel;
    const ToolSet& m_tools;
    QString m_workspace;
    QHash<quint64, std::shared_ptr<RunningCall>> m_calls;
    QHash<quint64, exec::Program*> m_programs;
    QTimer m_backlog;
    bool m_isGreeted = false;
    bool m_isClosed = false;
};

} // namespace cocoonbox::agent::toolhost
