// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>

// What the api says about users and boxes, as plain values. Field meanings: proto/cocoonbox/control/v1.
namespace cocoonbox::app::client {

struct User {
    QString userId;
    QString name;
    qint64 createdAtMs = 0;
    bool operator==(const User&) const = default;
};

enum class BoxState { Unknown, Starting, Running, Hibernating, Hibernated, Failed, Deleting };
QString boxStateName(BoxState state); // "starting", …

struct Box {
    QString boxId;
    QString name;
    BoxState state = BoxState::Unknown;
    QString flavor;
    QString image;
    bool imageUpdateAvailable = false;
    QString wakeId;
    QString operationId;
    QString failure;
    qint64 createdAtMs = 0;
    qint64 stateChangedAtMs = 0;
    qint64 wokenAtMs = 0;
    int cpus = 0;
    qint64 memoryBytes = 0;
    bool operator==(const Box&) const = default;
};

struct Operation {
    QString operationId;
    QString boxId;
};

enum class Phase { Unknown, Creating, Waking, Connecting, Stopping, CleaningUp, Done, Failed };
QString phaseName(Phase phase); // "creating", …

struct OperationEvent {
    QString operationId;
    Phase phase = Phase::Unknown;
    QString detail;
    QString offsetKey;
    qint64 atMs = 0;
};

} // namespace cocoonbox::app::client
