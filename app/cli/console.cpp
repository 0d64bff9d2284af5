// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/console.h"

#include "app/cli/exit_code.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <QJsonDocument>
#include <termios.h>
#include <unistd.h>

namespace cocoonbox::app::cli {

namespace {

void writeAll(int fd, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t part = ::write(fd, bytes.data(), static_cast<size_t>(bytes.size()));
        if (part > 0) {
            bytes = bytes.sliced(part);
        } else if (errno == EAGAIN) { // a terminal that another program made non-blocking
            pollfd room{fd, POLLOUT, 0};
            ::poll(&room, 1, 1000);
        } else if (errno != EINTR) {
            return; // nobody reads any more
        }
    }
}

} // namespace

Console::Console(const QProcessEnvironment& environment)
    : m_inTerminal(::isatty(STDIN_FILENO)), m_outTerminal(::isatty(STDOUT_FILENO)),
      m_errTerminal(::isatty(STDERR_FILENO))
{
    const bool never = !environment.value(QStringLiteral("NO_COLOR")).isEmpty() ||
                       environment.value(QStringLiteral("TERM")) == u"dumb";
    const QString force = environment.value(QStringLiteral("CLICOLOR_FORCE"));
    const bool always = !force.isEmpty() && force != u"0";
    m_outColour = !never && (always || m_outTerminal);
    m_errColour = !never && (always || m_errTerminal);
}

void Console::write(QByteArrayView bytes)
{
    writeAll(STDOUT_FILENO, bytes);
}

void Console::writeError(QByteArrayView bytes)
{
    endProgress();
    writeAll(STDERR_FILENO, bytes);
}

void Console::line(const QString& text)
{
    endProgress();
    write((text + u'\n').toUtf8());
}

void Console::object(const QJsonObject& object)
{
    endProgress();
    write(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
}

void Console::table(const QStringList& head, const QList<QStringList>& rows)
{
    QList<qsizetype> widths;
    for (const QString& title : head)
        widths.append(title.size());
    for (const QStringList& row : rows)
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], row[i].size());
    const auto format = [&](const QStringList& row) {
        QString text;
        for (qsizetype i = 0; i < row.size(); ++i)
            text += i + 1 < row.size() ? row[i].leftJustified(widths[i] + 2) : row[i];
        return text;
    };
    if (m_outTerminal) line(paintOut(format(head), Tone::Dim));
    for (const QStringList& row : rows)
        line(format(row));
}

void Console::note(const QString& text, Tone tone)
{
    if (m_quiet) return;
    writeError((paintErr(text, tone) + u'\n').toUtf8());
}

void Console::progress(const QString& text)
{
    if (!m_errTerminal || m_quiet || m_json) return;
    writeAll(STDERR_FILENO, QByteArray("\r\x1b[K") + paintErr(text, Tone::Dim).toUtf8());
    m_progressShown = true;
}

void Console::endProgress()
{
    if (std::exchange(m_progressShown, false)) writeAll(STDERR_FILENO, "\r\x1b[K");
}

void Console::error(const Error& error, int exitCode)
{
    const QString hint = hintFor(error);
    if (m_json) {
        QJsonObject object{{QStringLiteral("type"), QStringLiteral("error")},
                           {QStringLiteral("code"), errorCodeName(error.code)},
                           {QStringLiteral("reason"), error.reason},
                           {QStringLiteral("message"), error.message},
                           {QStringLiteral("exit_code"), exitCode}};
        if (!hint.isEmpty()) object.insert(QStringLiteral("hint"), hint);
        return writeError(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
    }
    writeError((paintErr(QStringLiteral("error: "), Tone::Bad) + printable(error.message) + u'\n').toUtf8());
    if (!hint.isEmpty()) writeError((QStringLiteral("hint: ") + hint + u'\n').toUtf8());
}

QString Console::printable(const QString& text)
{
    QString clean = text;
    clean.removeIf([](QChar c) {
        const bool control = c.category() == QChar::Other_Control && c != u'\n' && c != u'\t';
        return control || (c >= QChar(0x202a) && c <= QChar(0x202e)); // nor what turns the line around
    });
    return clean;
}

QString Console::paint(const QString& text, Tone tone, bool colour)
{
    if (!colour || tone == Tone::Plain) return text;
    const char* start = "";
    switch (tone) {
    case Tone::Plain: break;
    case Tone::Dim: start = "\x1b[2m"; break;
    case Tone::Bold: start = "\x1b[1m"; break;
    case Tone::Good: start = "\x1b[32m"; break;
    case Tone::Warning: start = "\x1b[33m"; break;
    case Tone::Bad: start = "\x1b[31m"; break;
    }
    return QString::fromLatin1(start) + text + QStringLiteral("\x1b[0m");
}

QByteArray readStandardInput(qsizetype bytesMax)
{
    QByteArray all;
    char chunk[16384];
    while (all.size() < bytesMax) {
        const ssize_t got = ::read(STDIN_FILENO, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        all.append(chunk, got);
    }
    return all;
}

QByteArray askLine(const QString& question, bool echo)
{
    writeAll(STDERR_FILENO, question.toUtf8());
    termios before{};
    const bool hide = !echo && ::tcgetattr(STDIN_FILENO, &before) == 0;
    if (hide) {
        termios silent = before;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    QByteArray line;
    char c = 0;
    while (line.size() < 64 * 1024 && ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
        line.append(c);
    if (hide) {
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        writeAll(STDERR_FILENO, "\n");
    }
    return line.trimmed();
}

} // namespace cocoonbox::app::cli
