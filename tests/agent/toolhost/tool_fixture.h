// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/tool.h"

#include <QCoroTask>
#include <QFile>
#include <QTemporaryDir>

// Runs tools as serve would have them run, in a workspace of their own.
namespace cocoonbox::testing {

inline agent::toolhost::ToolCall toolCall(QJsonObject arguments,
                                          std::chrono::milliseconds timeout = std::chrono::seconds(30))
{
    return {std::move(arguments), QStringLiteral("agt_1"), timeout, {}, [](const QString&) {}};
}

inline agent::toolhost::ToolResult runTool(agent::toolhost::Tool& tool, QJsonObject arguments)
{
    return QCoro::waitFor(tool.run(toolCall(std::move(arguments))));
}

inline void putFile(const QString& path, const QByteArray& content)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write a test file");
}

inline QByteArray fileContent(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

} // namespace cocoonbox::testing
