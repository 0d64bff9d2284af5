// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"
#include "agent/toolhost/files/file_tools.h"

#include <cerrno>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

namespace {

// Collects the wanted lines from pieces of a file, without ever holding more of a line than is shown.
class LinePicker {
public:
    LinePicker(qint64 first, qint64 count) : m_first(first), m_last(first + count - 1) {}

    // False when no more is wanted; `unread` bytes of the piece were not looked at.
    bool feed(QByteArrayView bytes, qsizetype& unread)
    {
        unread = 0;
        while (!bytes.isEmpty()) {
            const qsizetype end = bytes.indexOf('\n');
            const QByteArrayView piece = end < 0 ? bytes : bytes.first(end);
            if (m_line >= m_first) m_text += piece.first(std::min(piece.size(), kReadLineBytesMax - m_text.size()));
            m_lineBytes += piece.size();
            if (end < 0) return true;
            bytes = bytes.sliced(end + 1);
            unread = bytes.size();
            if (!endLine()) return false;
        }
        return true;
    }
    // Nothing follows what was fed.
    void finish()
    {
        if (m_lineBytes > 0) (void)endLine();
        m_reachedEnd = !m_isFull;
    }

    QString text(qint64 fileBytes) const
    {
        if (m_out.isEmpty()) return u"[The file has %1 lines, no line %2.]"_s.arg(m_line - 1).arg(m_first);
        if (m_reachedEnd) return QString::fromUtf8(m_out);
        return QString::fromUtf8(m_out) +
               u"[There is more: the file has %1 bytes. Go on with offset %2.]"_s.arg(fileBytes).arg(m_shown + 1);
    }

private:
    // Whether another line is wanted.
    bool endLine()
    {
        if (m_line >= m_first && !take()) return false;
        m_text.clear();
        m_lineBytes = 0;
        return m_line++ < m_last;
    }
    bool take()
    {
        if (m_text.endsWith('\r')) m_text.chop(1);
        QString shown = QString::fromUtf8(m_text);
        if (m_lineBytes > kReadLineBytesMax) shown += u" … [the line has %1 bytes]"_s.arg(m_lineBytes);
        const QByteArray row = (QString::number(m_line).rightJustified(6) + u'\t' + shown + u'\n').toUtf8();
        m_isFull = m_out.size() + row.size() > kReadBytesMax;
        if (m_isFull) return false;
        m_out += row;
        m_shown = m_line;
        return true;
    }

    qint64 m_first;
    qint64 m_last;
    qint64 m_line = 1;
    qint64 m_shown = 0;
    qsizetype m_lineBytes = 0;
    QByteArray m_text;
    QByteArray m_out;
    bool m_isFull = false;
    bool m_reachedEnd = false;
};

Result<QString> readLines(const QString& path, qint64 offset, qint64 limit)
{
    TRY_ASSIGN(const OpenedFile file, openRegular(path));
    if (file.size == 0) return u"[The file is empty.]"_s;
    LinePicker lines(offset, limit);
    char buffer[64 * 1024];
    qint64 scanned = 0;
    for (;;) {
        const ssize_t n = ::read(file.fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(ErrorCode::FailedPrecondition, u"%1 cannot be read."_s.arg(path));
        if (n == 0) break;
        const QByteArrayView bytes(buffer, n);
        if (scanned == 0 && looksBinary(bytes))
            return fail(
                ErrorCode::FailedPrecondition,
                u"%1 is not a text file (%2 bytes). Look at it with a command, such as file or xxd."_s.arg(path).arg(
                    file.size));
        scanned += n;
        qsizetype unread = 0;
        if (!lines.feed(bytes, unread)) {
            if (unread == 0 && scanned >= file.size) lines.finish();
            return lines.text(file.size);
        }
        if (scanned > kScanBytesMax)
            return fail(ErrorCode::ResourceExhausted,
                        u"Line %1 lies too deep in %2. Use sed -n in the shell."_s.arg(offset).arg(path));
    }
    lines.finish();
    return lines.text(file.size);
}

} // namespace

QCoro::Task<ToolResult> ReadTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    const QString path = arguments.text("path");
    const qint64 offset = arguments.number("offset", 1, 1'000'000'000, 1);
    const qint64 limit = arguments.number("limit", 1, kReadLinesMax, kReadLinesMax);
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    const Result<QString> absolute = m_workspace.resolve(path);
    if (!absolute) co_return ToolResult::failure(absolute.error().message);
    const Result<QString> text = readLines(*absolute, offset, limit);
    co_return text ? ToolResult{*text} : ToolResult::failure(text.error().message);
}

} // namespace cocoonbox::agent::toolhost::files
