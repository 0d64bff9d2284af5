// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/error.h"

#include <QByteArray>
#include <QJsonObject>
#include <QProcessEnvironment>
#include <QStringList>

namespace cocoonbox::app::cli {

enum class Tone { Plain, Dim, Bold, Good, Warning, Bad };

// The three standard streams. stdout is data, stderr is talk; colour and progress only where a person looks, NO_COLOR
// and TERM=dumb honoured. Text from the box loses its control characters before it reaches a terminal.
class Console {
public:
    explicit Console(const QProcessEnvironment& environment);

    void setJson(bool json) { m_json = json; }
    void setQuiet(bool quiet) { m_quiet = quiet; }
    bool json() const { return m_json; }
    bool inIsTerminal() const { return m_inTerminal; }
    bool outIsTerminal() const { return m_outTerminal; }
    bool errIsTerminal() const { return m_errTerminal; }

    void write(QByteArrayView bytes);      // to stdout as it is
    void writeError(QByteArrayView bytes); // to stderr as it is
    void line(const QString& text);
    void object(const QJsonObject& object); // one line of JSON
    // Columns as wide as they need; the head only for a terminal, so that scripts see rows alone.
    void table(const QStringList& head, const QList<QStringList>& rows);

    void note(const QString& text, Tone tone = Tone::Plain); // a line on stderr, unless quiet
    void progress(const QString& text);                      // replaces itself; terminals only
    void endProgress();
    void error(const Error& error, int exitCode);

    QString paintOut(const QString& text, Tone tone) const { return paint(text, tone, m_outColour); }
    QString paintErr(const QString& text, Tone tone) const { return paint(text, tone, m_errColour); }
    // What a person may see of foreign text: no escape sequences; newlines and tabs stay.
    static QString printable(const QString& text);

private:
    static QString paint(const QString& text, Tone tone, bool colour);

    bool m_inTerminal;
    bool m_outTerminal;
    bool m_errTerminal;
    bool m_outColour;
    bool m_errColour;
    bool m_json = false;
    bool m_quiet = false;
    bool m_progressShown = false;
};

// Everything from stdin; at most `bytesMax`.
QByteArray readStandardInput(qsizetype bytesMax);
// A line typed by a person; without echo for secrets. Empty at the end of the input.
QByteArray askLine(const QString& question, bool echo);

} // namespace cocoonbox::app::cli
