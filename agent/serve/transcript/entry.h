// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <optional>
#include <QByteArray>
#include <QList>
#include <QString>

namespace cocoonbox::agent::serve::transcript {

// The numbers are those of agents.proto and of the database.
enum class AgentState { Idle = 1, Working = 2, WaitingForUser = 3, WaitingForScreen = 4 };
enum class EntryKind { Prompt = 1, Reply = 2, ToolCall = 3, Notice = 4, Error = 5, HandBack = 6 };
enum class ToolState { Running = 1, Waiting = 2, Done = 3, Failed = 4, Cancelled = 5 };

struct Agent {
    QString agentId;
    QString title;
    AgentState state = AgentState::Idle;
    QString turnId; // the running turn, else empty
    qint64 createdAtMs = 0;
    qint64 changedAtMs = 0;
};

struct ToolCall {
    QString callId;
    QString tool;
    QString summary;
    QByteArray argumentsJson; // valid JSON, always
    ToolState state = ToolState::Running;
    QString output;
    qint64 startedAtMs = 0;
    qint64 endedAtMs = 0;
};

struct Entry {
    qint64 seq = 0; // 0 until it is written
    QString agentId;
    QString turnId;
    EntryKind kind = EntryKind::Notice;
    int round = 0; // which model reply of the turn it belongs to, from 1; 0: none
    QString text;
    std::optional<ToolCall> toolCall;
    qint64 atMs = 0;
};

enum class EventKind { AgentChanged = 1, EntryAdded = 2, EntryChanged = 3 };

// A durable event. It carries the present state of what it tells of, which may be newer than the event.
struct Event {
    qint64 offset = 0;
    qint64 atMs = 0;
    EventKind kind = EventKind::AgentChanged;
    Agent agent; // AgentChanged
    Entry entry; // EntryAdded, EntryChanged
};

} // namespace cocoonbox::agent::serve::transcript
