// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"
#include "app/client/control_types.h"

#include <QJsonObject>

// The values of app/client as JSON for scripts. Fields may be added, never renamed. Times are RFC 3339 in UTC, empty
// where there is none.
namespace cocoonbox::app::cli {

QString rfc3339(qint64 ms);

QJsonObject toJson(const client::User& user);
QJsonObject toJson(const client::Box& box);
QJsonObject toJson(const client::Agent& agent);
QJsonObject toJson(const client::Entry& entry);
QJsonObject toJson(const client::OperationEvent& event);
QJsonObject toJson(const client::FileEntry& entry);

// The same with a leading "type", for streams.
QJsonObject typed(const QString& type, QJsonObject object);

} // namespace cocoonbox::app::cli
