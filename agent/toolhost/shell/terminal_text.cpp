// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/terminal_text.h"

#include <utility>

namespace cocoonbox::agent::toolhost::shell {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr QByteArrayView kMarkPrefix = "7770;";

} // namespace

bool TerminalText::feed(QByteArrayView bytes, qsizetype& used, QByteArray& text)
{
    for (used = 0; used < bytes.size();) {
        const char c = bytes[used++];
        switch (m_state) {
        case State::Text:
            if (c == kEscape)
                m_state = State::Escape;
            else
                put(c, text);
            break;
        case State::Escape:
            m_command.clear();
            if (c == '[')
                m_state = State::Sequence;
            else if (c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X')
                m_state = State::Command;
            else
                m_state = c >= 0x20 && c <= 0x2f ? State::Charset : State::Text;
            break;
        case State::Sequence:
            if (c >= 0x40 && c <= 0x7e)
                m_state = State::Text;
            else if (c < 0x20 || c > 0x7e)
                m_state = c == kEscape ? State::Escape : State::Text;
            break;
        case State::Charset:
            if (c < 0x20 || c > 0x2f) m_state = c == kEscape ? State::Escape : State::Text;
            break;
        case State::Command:
            if (c == kEscape)
                m_state = State::CommandEscape;
            else if (c == kBell) {
                if (endCommand()) return true;
            } else if (m_command.size() < kMarkBytesMax)
                m_command += c;
            else
                m_state = State::Text; // no command is that long: it was binary output
            break;
        case State::CommandEscape:
            if (c == '\\') {
                if (endCommand()) return true;
            } else {
                m_state = State::Escape; // it never ended; another begins
                --used;
            }
            break;
        }
    }
    return false;
}

bool TerminalText::endCommand()
{
    m_state = State::Text;
    if (!m_command.startsWith(kMarkPrefix)) return false;
    m_mark = m_command.sliced(kMarkPrefix.size());
    return true;
}

void TerminalText::put(char c, QByteArray& text)
{
    if (c == '\n') {
        text += m_line;
        text += '\n';
        m_line.clear();
        m_startsOver = false;
    } else if (c == '\r') {
        m_startsOver = true;
    } else if (c == '\b') {
        m_line.chop(1);
    } else if (c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
        if (c == '\x7f') return;
        if (std::exchange(m_startsOver, false)) m_line.clear();
        m_line += c;
        if (m_line.size() < kLineBytesMax) return;
        text += m_line;
        m_line.clear();
    }
}

QByteArray TerminalText::takePartialLine()
{
    m_startsOver = false;
    return std::exchange(m_line, {});
}

} // namespace cocoonbox::agent::toolhost::shell
