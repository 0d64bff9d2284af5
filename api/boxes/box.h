// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"

#include <QHash>
#include <QString>

// Box: a user's computer. It keeps its id, name and disk for good; its machine, wake id and endpoint come and go.
//
// Tables: boxes, operations, operation_events. Invariants:
//   - a state is stored before the work that it announces begins, and before anyone is told of it;
//   - at most one operation works on a box; a new one first stops the old and waits for its end;
//   - every operation ends with exactly one Done or Failed, also over a restart of the api;
//   - a wake id is stored and delivered before the machine that it names starts.
namespace cocoonbox::api::boxes {

inline constexpr int kBoxesPerUserMax = 16;
inline constexpr qint64 kOperationKeptMs = 24 * 60 * 60 * 1000;

enum class BoxState { Starting, Running, Hibernating, Hibernated, Failed, Deleting, Gone }; // Gone is never stored

struct Box {
    QString boxId;
    QString ownerId;
    QString name;
    BoxState state = BoxState::Starting;
    QString flavor;
    QString image;     // of its machine; empty before the first start
    QString machineId; // empty while it has none
    QString wakeId;
    QString operationId; // the one that changes it now, else the last
    QString failure;     // for people, in Failed only
    qint64 createdAtMs = 0;
    qint64 stateChangedAtMs = 0;
    qint64 wokenAtMs = 0;

    friend bool operator==(const Box&, const Box&) = default;
};

enum class Phase { Creating, Waking, Connecting, Stopping, CleaningUp, Done, Failed };

struct Operation {
    QString operationId;
    QString boxId;
};

struct OperationEvent {
    qint64 number = 0; // from 1, without gaps
    Phase phase = Phase::Creating;
    QString detail;
    qint64 atMs = 0;
};

inline bool isFinal(Phase phase)
{
    return phase == Phase::Done || phase == Phase::Failed;
}

QString boxStateName(BoxState state); // as stored: "running"
BoxState boxStateOf(const QString& name);
QString phaseName(Phase phase);
Phase phaseOf(const QString& name);

// The part's section of the api's configuration, and what the edge signs with.
struct BoxSettings {
    QString image; // what new machines run
    QHash<QString, machines::Flavor> flavors;
    QString defaultFlavor;
    bool keepRunning = false;                                             // boxes outlive the api
    std::chrono::milliseconds agentReadyLimit = std::chrono::seconds(30); // from the machine's start to Hello
    QString keyId;
    QByteArray publicKey; // 32 raw bytes
    QString model;        // what agents ask the model gateway for; empty: the box's own setting
};

} // namespace cocoonbox::api::boxes
