// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"
#include "agent/toolhost/files/file_tools.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

namespace {

constexpr int kNamedLinesMax = 10;

QList<qsizetype> occurrences(const QByteArray& content, const QByteArray& piece)
{
    QList<qsizetype> found;
    for (qsizetype at = content.indexOf(piece); at >= 0; at = content.indexOf(piece, at + piece.size()))
        found.append(at);
    return found;
}

QString linesOf(const QByteArray& content, const QList<qsizetype>& places)
{
    QStringList lines;
    for (const qsizetype at : places.first(std::min<qsizetype>(places.size(), kNamedLinesMax)))
        lines.append(QString::number(QByteArrayView(content).first(at).count('\n') + 1));
    if (places.size() > kNamedLinesMax) lines.append(u"…"_s);
    return lines.join(u", "_s);
}

// Why a piece that the model saw is not there: most often line ends or indentation.
QString whyMissing(const QByteArray& content, const QByteArray& piece, const QString& path)
{
    if (content.contains(QByteArray(piece).replace("\r\n", "\n").replace("\n", "\r\n")))
        return u"%1 has Windows line ends (CR LF). Change it with sed in the shell, or put \\r\\n in old_text."_s.arg(
            path);
    if (content.simplified().contains(piece.simplified()))
        return u"old_text is in %1 only with other white space. Read the file again and copy the piece exactly."_s.arg(
            path);
    return u"old_text is not in %1. Read the file again and copy the piece exactly."_s.arg(path);
}

Result<QString> editFile(const QString& path, const QByteArray& before, const QByteArray& after, bool all)
{
    TRY_ASSIGN(const QByteArray content, readWhole(path, kEditBytesMax));
    if (looksBinary(content)) return fail(ErrorCode::FailedPrecondition, u"%1 is not a text file."_s.arg(path));
    const QList<qsizetype> places = occurrences(content, before);
    if (places.isEmpty()) return fail(ErrorCode::NotFound, whyMissing(content, before, path));
    if (places.size() > 1 && !all)
        return fail(
            ErrorCode::FailedPrecondition,
            u"old_text is in %1 %2 times (lines %3). Give more of the lines around it, or set replace_all."_s.arg(path)
                .arg(places.size())
                .arg(linesOf(content, places)));
    QByteArray changed = content;
    changed.replace(before, after);
    TRY_VOID(replaceFile(path, changed));
    return u"Replaced %1 in %2 (line %3)."_s.arg(
        places.size() == 1 ? u"one piece"_s : u"%1 pieces"_s.arg(places.size()), path, linesOf(content, places));
}

} // namespace

QCoro::Task<ToolResult> EditTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    const QString path = arguments.text("path");
    const QByteArray before = arguments.text("old_text").toUtf8();
    const QByteArray after = arguments.text("new_text").toUtf8();
    const bool all = arguments.flag("replace_all", false);
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    if (before.isEmpty()) co_return ToolResult::failure(u"old_text is empty. To make a new file, use write."_s);
    if (before == after) co_return ToolResult::failure(u"old_text and new_text are the same: nothing to change."_s);
    const Result<QString> target = m_workspace.writeTarget(path);
    if (!target) co_return ToolResult::failure(target.error().message);
    const Result<QString> done = editFile(*target, before, after, all);
    co_return done ? ToolResult{*done} : ToolResult::failure(done.error().message);
}

} // namespace cocoonbox::agent::toolhost::files
