// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

// What a box says about its agents, as plain values. Field meanings: proto/cocoonbox/agent/v1.
namespace cocoonbox::app::client {

enum class AgentState { Unknown, Idle, Working, WaitingForUser, WaitingForScreen };
QString agentStateName(AgentState state); // "idle", "waiting-for-user", …

struct Agent {
    QString agentId;
    QString title;
    AgentState state = AgentState::Unknown;
    QString turnId;
    qint64 createdAtMs = 0;
    qint64 changedAtMs = 0;
    bool operator==(const Agent&) const = default;
};

enum class EntryKind { Unknown, Prompt, Reply, ToolCall, Notice, Error, HandBack };
QString entryKindName(EntryKind kind); // "prompt", "tool-call", …
enum class ToolState { Unknown, Running, Waiting, Done, Failed, Cancelled };
QString toolStateName(ToolState state);

struct ToolCall {
    QString callId;
    QString tool;
    QString summary;
    QString argumentsJson;
    ToolState state = ToolState::Unknown;
    QString output;
    qint64 startedAtMs = 0;
    qint64 endedAtMs = 0;
    bool operator==(const ToolCall&) const = default;
};

struct Entry {
    qint64 seq = 0;
    QString agentId;
    QString turnId;
    EntryKind kind = EntryKind::Unknown;
    QString text;
    ToolCall toolCall; // kind ToolCall only
    qint64 atMs = 0;
    bool operator==(const Entry&) const = default;
};

// What the model is writing now.
struct Draft {
    QString turnId;
    QString text;
    bool isEmpty() const { return text.isEmpty(); }
};

struct Baton {
    QString heldBy; // empty: the agents may act
    qint64 sinceMs = 0;
    bool operator==(const Baton&) const = default;
};

struct Hello {
    QString boxId;
    QString wakeId;
    QString agentVersion;
    QStringList capabilities;
    bool toolhostReady = false;
    qint64 startedAtMs = 0;
    qint64 lastOffset = 0;
};

struct SendAccepted {
    QString turnId;
    qint64 seq = 0;
};

struct ExecStart {
    QStringList argv; // empty: a login shell
    QString cwd;
    QMap<QString, QString> environment;
    bool tty = false;
    int rows = 24;
    int columns = 80;
    bool loginShell = false;
};

struct ExecOutput {
    enum class Kind { Stdout, Stderr, Exited };
    Kind kind = Kind::Stdout;
    QByteArray bytes;
    int exitCode = 0; // Exited
    int signalNumber = 0;
    QString failure;
};

inline const QString kPlainText = QStringLiteral("text/plain;charset=utf-8");
inline const QString kPng = QStringLiteral("image/png");

struct ClipboardKind {
    QString type;
    qint64 sizeBytes = 0; // 0: not known before it is read
    bool operator==(const ClipboardKind&) const = default;
};
struct ClipboardContent {
    QString type;
    QByteArray bytes;
};

enum class FileKind { Unknown, Regular, Folder, Link, Other };
QString fileKindName(FileKind kind); // "regular", "folder", …
struct FileEntry {
    QString name;
    QString path; // absolute, in the box
    FileKind kind = FileKind::Unknown;
    qint64 sizeBytes = 0;
    qint64 modifiedAtMs = 0;
    bool operator==(const FileEntry&) const = default;
};
struct FileList {
    QString path;
    QList<FileEntry> entries; // folders first, then by name
    bool truncated = false;
};

} // namespace cocoonbox::app::client
