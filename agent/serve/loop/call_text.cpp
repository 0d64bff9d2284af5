// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/loop/call_text.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::loop {

namespace {

constexpr qsizetype kSummaryBytesMax = 512;
constexpr qint64 kLimitSeconds = 120;
constexpr qint64 kLimitSecondsMax = 600;
constexpr qint64 kEndingSeconds = 5; // toolhost interrupts a command at its time and tells what it said until then

QString boundedLine(const QString& text)
{
    QString line = text.simplified().left(kSummaryBytesMax);
    while (line.toUtf8().size() > kSummaryBytesMax)
        line.chop(1);
    if (!line.isEmpty() && line.back().isHighSurrogate()) line.chop(1);
    return line;
}

QString computerSummary(const QJsonObject& arguments)
{
    const QString action = arguments.value("action"_L1).toString();
    if (action == u"type") return u"type “%1”"_s.arg(arguments.value("text"_L1).toString());
    if (action == u"key") return u"press %1"_s.arg(arguments.value("key"_L1).toString());
    return u"%1 at %2, %3"_s.arg(action).arg(arguments.value("x"_L1).toInt()).arg(arguments.value("y"_L1).toInt());
}

} // namespace

QString summaryOf(const QString& tool, const QByteArray& argumentsJson)
{
    const QJsonObject arguments = QJsonDocument::fromJson(argumentsJson).object();
    if (tool == u"shell") return boundedLine(arguments.value("command"_L1).toString());
    if (tool == u"computer") return boundedLine(computerSummary(arguments));
    const QString path = arguments.value("path"_L1).toString();
    if (tool == u"grep") return boundedLine(arguments.value("pattern"_L1).toString() + u' ' + path);
    return boundedLine(path);
}

std::chrono::milliseconds limitOf(const QString& tool, const QByteArray& argumentsJson)
{
    const QJsonObject arguments = QJsonDocument::fromJson(argumentsJson).object();
    const qint64 asked =
        tool == u"shell" ? arguments.value("timeout_seconds"_L1).toInteger(kLimitSeconds) : kLimitSeconds;
    return std::chrono::seconds(std::clamp<qint64>(asked, 1, kLimitSecondsMax) + kEndingSeconds);
}

} // namespace cocoonbox::agent::serve::loop
