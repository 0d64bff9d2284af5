// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"
#include "agent/toolhost/files/file_tools.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

QCoro::Task<ToolResult> WriteTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    const QString path = arguments.text("path");
    const QByteArray content = arguments.text("content").toUtf8();
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    const Result<QString> target = m_workspace.writeTarget(path);
    if (!target) co_return ToolResult::failure(target.error().message);
    if (const Result<void> done = replaceFile(*target, content); !done)
        co_return ToolResult::failure(done.error().message);
    co_return ToolResult{u"Wrote %1 bytes to %2."_s.arg(content.size()).arg(*target)};
}

} // namespace cocoonbox::agent::toolhost::files
