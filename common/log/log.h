// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QLoggingCategory>
#include <QString>

// What the process says about itself, on stderr. A part declares its own category, default level Info:
//   Q_LOGGING_CATEGORY(boxesLog, "cocoonbox.api.boxes", QtInfoMsg)
//   qCInfo(boxesLog).noquote() << "The box runs." << log::field("box", id);
// Levels: debug for us; info a state change a user could ask about; warning we coped; critical a person must act.
// QT_LOGGING_RULES ("cocoonbox.api.boxes.debug=true") changes levels without a rebuild.
// Never logged: prompts, keys, headers, query strings, keystrokes, file contents.
namespace cocoonbox::log {

enum class LogFormat {
    Json, // one object a line: time, level, category, program, message, then the fields; for daemons
    Text, // "program: warning: message (box=…)"; for people at a terminal
};

// Sends Qt's messages through one handler from here on; call once, first thing in main. Lines are written whole, so
// threads and forked children never mix within one; a message is cut at 8 KiB.
void installLog(LogFormat format, const QString& program);

// A named value beside the sentence: a column in JSON, "(name=value)" in text. Names: box, user, request, operation.
QString field(QLatin1StringView name, QStringView value);
inline QString field(const char* name, QStringView value)
{
    return field(QLatin1StringView(name), value);
}

// One line as the handler would write it, without the newline.
QByteArray formatLine(LogFormat format, const QString& program, QtMsgType level, const char* category,
                      const QString& message, const QDateTime& time);

} // namespace cocoonbox::log
