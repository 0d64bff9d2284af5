// SPDX-License-Identifier: AGPL-3.0-only
#include "common/process/run_process.h"

#include "common/process/child.h"

#include <QTimer>

namespace cocoonbox::process {

Task<ProcessResult> runProcess(ProcessSpec spec, std::stop_token stop)
{
    const auto output = std::make_shared<QByteArray>();
    const auto child =
        Child::start(spec, Child::ErrorOutput::Bounded, [output, limit = spec.outputBytesMax](const QByteArray& piece) {
            const qsizetype room = limit - output->size();
            output->append(piece.left(room));
            return piece.size() <= room;
        });
    QTimer deadline;
    deadline.setSingleShot(true);
    deadline.callOnTimeout([child] { child->end(Child::Cause::Deadline); });
    deadline.start(spec.timeout);
    const std::stop_callback onStop(stop, [child] { postToDomain([child] { child->end(Child::Cause::Cancelled); }); });
    co_await child->ended().get();
    CO_TRY_ASSIGN(const int exitCode, child->exitCode());
    co_return ProcessResult{exitCode, *output, child->errorOutput()};
}

Task<QByteArray> runProcessChecked(ProcessSpec spec, std::stop_token stop)
{
    const QString program = spec.program;
    CO_TRY_ASSIGN(ProcessResult result, co_await runProcess(std::move(spec), stop));
    if (result.exitCode != 0) {
        constexpr qsizetype kTailBytes = 1024;
        co_return std::unexpected(Error{
            ErrorCode::Internal, QStringLiteral("\"%1\" failed with exit code %2.").arg(program).arg(result.exitCode),
            QStringLiteral("PROCESS_FAILED"), QString::fromUtf8(result.errorOutput.trimmed().right(kTailBytes)),
            std::source_location::current()});
    }
    co_return std::move(result.output);
}

} // namespace cocoonbox::process
