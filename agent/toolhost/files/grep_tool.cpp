// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"
#include "agent/toolhost/files/file_tools.h"
#include "agent/toolhost/run_command.h"

#include <QFile>
#include <QStandardPaths>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

namespace {

struct Search {
    QString pattern;
    QString include;
    bool ignoreCase = false;
    QByteArray place; // below the workspace when it can be
};

QByteArrayList ripgrepWords(const QByteArray& program, const Search& search)
{
    QByteArrayList words{program,         "--no-config",   "--no-heading",  "--with-filename",
                         "--line-number", "--color=never", "--no-messages", "--sort=path"};
    if (search.ignoreCase) words.append("--ignore-case");
    if (!search.include.isEmpty()) words.append("--glob=" + search.include.toUtf8());
    return words << "-e" << search.pattern.toUtf8() << "--" << search.place;
}

QByteArrayList grepWords(const QByteArray& program, const Search& search)
{
    QByteArrayList words{program, "-rnHIE", "-s", "--color=never", "--exclude-dir=.git"};
    if (search.ignoreCase) words.append("-i");
    if (!search.include.isEmpty()) words.append("--include=" + search.include.toUtf8());
    return words << "-e" << search.pattern.toUtf8() << "--" << search.place;
}

SpawnSpec searchSpec(const Search& search, const QString& root)
{
    SpawnSpec spec;
    spec.environment = programEnvironment();
    spec.workingDirectory = QFile::encodeName(root);
    const QString ripgrep = QStandardPaths::findExecutable(u"rg"_s);
    spec.program = ripgrep.isEmpty() ? QByteArray("grep") : QFile::encodeName(ripgrep);
    spec.argv = ripgrep.isEmpty() ? grepWords(spec.program, search) : ripgrepWords(spec.program, search);
    return spec;
}

// What was found, as far as it fits.
struct Findings {
    QByteArray text;
    int lines = 0;
    bool isCut = false;

    bool take(QByteArrayView line)
    {
        if (line.startsWith("./")) line = line.sliced(2);
        QByteArray row = QString::fromUtf8(line.first(std::min(line.size(), kGrepLineBytesMax))).toUtf8();
        if (line.size() > kGrepLineBytesMax) row += " …";
        isCut = lines >= kGrepLinesMax || text.size() + row.size() + 1 > kReadBytesMax;
        if (isCut) return false;
        text += row + '\n';
        ++lines;
        return true;
    }
};

} // namespace

QCoro::Task<ToolResult> GrepTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    Search search;
    search.pattern = arguments.text("pattern");
    const QString path = arguments.text("path", m_workspace.root());
    search.include = arguments.text("include", {});
    search.ignoreCase = arguments.flag("ignore_case", false);
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    if (search.pattern.isEmpty() || search.pattern.contains(QChar(0)) || search.include.contains(QChar(0)))
        co_return ToolResult::failure(u"The pattern is empty or holds a zero byte."_s);
    const Result<QString> absolute = m_workspace.resolve(path);
    if (!absolute) co_return ToolResult::failure(absolute.error().message);
    if (!QFile::exists(*absolute)) co_return ToolResult::failure(u"%1 does not exist."_s.arg(*absolute));
    const QString below = m_workspace.root() + u'/';
    search.place = QFile::encodeName(*absolute == m_workspace.root() ? u"."_s
                                     : absolute->startsWith(below)   ? absolute->sliced(below.size())
                                                                     : *absolute);
    const auto findings = std::make_shared<Findings>();
    const Result<CommandOutcome> outcome = co_await runCommand(
        searchSpec(search, m_workspace.root()), [findings](QByteArrayView line) { return findings->take(line); },
        call.timeout, call.stop);
    if (!outcome)
        co_return ToolResult::failure(
            u"The search did not finish: %1 Search a smaller folder."_s.arg(outcome.error().message));
    if (outcome->exitCode > 1 && findings->lines == 0)
        co_return ToolResult::failure(u"The search failed: %1"_s.arg(QString::fromUtf8(outcome->errors).trimmed()));
    if (findings->lines == 0) co_return ToolResult{u"[Nothing matches.]"_s};
    QString text = QString::fromUtf8(findings->text);
    if (findings->isCut) text += u"[There is more. Search a smaller folder or a narrower pattern.]"_s;
    co_return ToolResult{text};
}

} // namespace cocoonbox::agent::toolhost::files
