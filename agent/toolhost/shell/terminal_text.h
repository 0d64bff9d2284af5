// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace cocoonbox::agent::toolhost::shell {

// What a terminal printed, as plain lines: escape sequences and other controls are dropped, a carriage return starts
// the line over (progress bars leave their last state). Marks of ours (`ESC ] 7770 ; … BEL`) are handed out apart.
// Feed bytes cut anywhere; nothing grows without bound.
class TerminalText {
public:
    static constexpr qsizetype kLineBytesMax = 16 * 1024; // a longer line comes out in pieces
    static constexpr qsizetype kMarkBytesMax = 8 * 1024;

    // Takes bytes up to the next mark, or all. Text of complete lines is appended to `text`. `used` bytes were taken;
    // true when a mark ended the take: it is in mark() without its frame.
    bool feed(QByteArrayView bytes, qsizetype& used, QByteArray& text);
    const QByteArray& mark() const { return m_mark; }
    // The line that has not ended yet; it is taken.
    QByteArray takePartialLine();

private:
    enum class State { Text, Escape, Sequence, Command, CommandEscape, Charset };

    void put(char c, QByteArray& text);
    bool endCommand();

    QByteArray m_line;
    QByteArray m_command;
    QByteArray m_mark;
    State m_state = State::Text;
    bool m_startsOver = false;
};

} // namespace cocoonbox::agent::toolhost::shell
