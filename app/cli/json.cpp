// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/json.h"

#include <QDateTime>
#include <QTimeZone>

namespace cocoonbox::app::cli {

QString rfc3339(qint64 ms)
{
    return ms > 0 ? QDateTime::fromMSecsSinceEpoch(ms, QTimeZone::UTC).toString(Qt::ISODateWithMs) : QString();
}

QJsonObject toJson(const client::User& user)
{
    return {{QStringLiteral("user_id"), user.userId},
            {QStringLiteral("name"), user.name},
            {QStringLiteral("created_at"), rfc3339(user.createdAtMs)}};
}

QJsonObject toJson(const client::Box& box)
{
    return {{QStringLiteral("box_id"), box.boxId},
            {QStringLiteral("name"), box.name},
            {QStringLiteral("state"), client::boxStateName(box.state)},
            {QStringLiteral("flavor"), box.flavor},
            {QStringLiteral("image"), box.image},
            {QStringLiteral("image_update_available"), box.imageUpdateAvailable},
            {QStringLiteral("wake_id"), box.wakeId},
            {QStringLiteral("operation_id"), box.operationId},
            {QStringLiteral("failure"), box.failure},
            {QStringLiteral("created_at"), rfc3339(box.createdAtMs)},
            {QStringLiteral("state_changed_at"), rfc3339(box.stateChangedAtMs)},
            {QStringLiteral("woken_at"), rfc3339(box.wokenAtMs)},
            {QStringLiteral("cpus"), box.cpus},
            {QStringLiteral("memory_bytes"), box.memoryBytes}};
}

QJsonObject toJson(const client::Agent& agent)
{
    return {{QStringLiteral("agent_id"), agent.agentId},
            {QStringLiteral("title"), agent.title},
            {QStringLiteral("state"), client::agentStateName(agent.state)},
            {QStringLiteral("turn_id"), agent.turnId},
            {QStringLiteral("created_at"), rfc3339(agent.createdAtMs)},
            {QStringLiteral("changed_at"), rfc3339(agent.changedAtMs)}};
}

QJsonObject toJson(const client::Entry& entry)
{
    QJsonObject object{
        {QStringLiteral("seq"), entry.seq},        {QStringLiteral("agent_id"), entry.agentId},
        {QStringLiteral("turn_id"), entry.turnId}, {QStringLiteral("kind"), client::entryKindName(entry.kind)},
        {QStringLiteral("text"), entry.text},      {QStringLiteral("at"), rfc3339(entry.atMs)}};
    if (entry.kind != client::EntryKind::ToolCall) return object;
    const client::ToolCall& call = entry.toolCall;
    object.insert(QStringLiteral("tool_call"), QJsonObject{{QStringLiteral("call_id"), call.callId},
                                                           {QStringLiteral("tool"), call.tool},
                                                           {QStringLiteral("summary"), call.summary},
                                                           {QStringLiteral("arguments_json"), call.argumentsJson},
                                                           {QStringLiteral("state"), client::toolStateName(call.state)},
                                                           {QStringLiteral("output"), call.output},
                                                           {QStringLiteral("started_at"), rfc3339(call.startedAtMs)},
                                                           {QStringLiteral("ended_at"), rfc3339(call.endedAtMs)}});
    return object;
}

QJsonObject toJson(const client::OperationEvent& event)
{
    return {{QStringLiteral("operation_id"), event.operationId},
            {QStringLiteral("phase"), client::phaseName(event.phase)},
            {QStringLiteral("detail"), event.detail},
            {QStringLiteral("at"), rfc3339(event.atMs)}};
}

QJsonObject toJson(const client::FileEntry& entry)
{
    return {{QStringLiteral("name"), entry.name},
            {QStringLiteral("path"), entry.path},
            {QStringLiteral("kind"), client::fileKindName(entry.kind)},
            {QStringLiteral("size_bytes"), entry.sizeBytes},
            {QStringLiteral("modified_at"), rfc3339(entry.modifiedAtMs)}};
}

QJsonObject typed(const QString& type, QJsonObject object)
{
    object.insert(QStringLiteral("type"), type);
    return object;
}

} // namespace cocoonbox::app::cli
