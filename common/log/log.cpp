// SPDX-License-Identifier: AGPL-3.0-only
#include "common/log/log.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QStringList>
#include <unistd.h>

namespace cocoonbox::log {

namespace {

constexpr QChar kFieldMark{0x1f}; // ASCII's unit separator frames a field inside Qt's message text
constexpr qsizetype kMessageCharsMax = 8 * 1024;

struct Settings {
    LogFormat format = LogFormat::Text;
    QString program;
};

Settings& settings()
{
    static Settings instance;
    return instance;
}

struct Parts {
    QString message;
    QList<std::pair<QString, QString>> fields;
};

Parts split(const QString& text)
{
    Parts parts;
    const QStringList pieces = text.left(kMessageCharsMax).split(kFieldMark);
    for (qsizetype i = 0; i < pieces.size(); ++i) {
        const qsizetype equals = i % 2 == 1 ? pieces[i].indexOf(u'=') : -1;
        if (equals > 0)
            parts.fields.append({pieces[i].left(equals), pieces[i].mid(equals + 1)});
        else
            parts.message += pieces[i];
    }
    parts.message = parts.message.trimmed();
    return parts;
}

QLatin1StringView levelName(QtMsgType level)
{
    switch (level) {
    case QtDebugMsg: return QLatin1StringView("debug");
    case QtInfoMsg: return QLatin1StringView("info");
    case QtWarningMsg: return QLatin1StringView("warning");
    case QtCriticalMsg: return QLatin1StringView("critical");
    case QtFatalMsg: return QLatin1StringView("fatal");
    }
    return QLatin1StringView("info");
}

QByteArray quoted(const QString& text)
{
    return QJsonDocument(QJsonArray{text}).toJson(QJsonDocument::Compact).chopped(1).mid(1);
}

QByteArray jsonLine(const QString& program, QtMsgType level, const char* category, const Parts& parts,
                    const QDateTime& time)
{
    QByteArray line = "{\"time\":" + quoted(time.toUTC().toString(Qt::ISODateWithMs));
    line += ",\"level\":" + quoted(levelName(level));
    line += ",\"category\":" + quoted(QString::fromLatin1(category));
    line += ",\"program\":" + quoted(program) + ",\"message\":" + quoted(parts.message);
    for (const auto& [name, value] : parts.fields)
        line += ',' + quoted(name) + ':' + quoted(value);
    return line + '}';
}

QByteArray textLine(const QString& program, QtMsgType level, const Parts& parts)
{
    QString line = program + QStringLiteral(": ");
    if (level != QtInfoMsg) line += levelName(level) + QStringLiteral(": ");
    line += parts.message;
    for (const auto& [name, value] : parts.fields)
        line += QStringLiteral(" (%1=%2)").arg(name, value);
    return line.replace(u'\n', QStringLiteral("\n  ")).toUtf8();
}

void handle(QtMsgType level, const QMessageLogContext& context, const QString& message)
{
    const QByteArray line =
        formatLine(settings().format, settings().program, level, context.category ? context.category : "default",
                   message, QDateTime::currentDateTimeUtc()) +
        '\n';
    // One write a line. A stderr that is closed or full has nobody to tell.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.constData(), static_cast<size_t>(line.size()));
}

} // namespace

void installLog(LogFormat format, const QString& program)
{
    settings() = {format, program};
    qInstallMessageHandler(handle);
}

QString field(QLatin1StringView name, QStringView value)
{
    QString text = value.toString();
    text.remove(kFieldMark);
    return kFieldMark + name + u'=' + text + kFieldMark;
}

QByteArray formatLine(LogFormat format, const QString& program, QtMsgType level, const char* category,
                      const QString& message, const QDateTime& time)
{
    const Parts parts = split(message);
    return format == LogFormat::Json ? jsonLine(program, level, category, parts, time)
                                     : textLine(program, level, parts);
}

} // namespace cocoonbox::log
