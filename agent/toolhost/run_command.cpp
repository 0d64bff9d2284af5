// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/run_command.h"

#include "common/async/wait.h"

#include <cerrno>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost {

namespace {

constexpr qsizetype kLineBytesMax = 4 * 1024;
constexpr qsizetype kErrorBytesMax = 8 * 1024;
constexpr qsizetype kReadBytes = 64 * 1024;
constexpr int kLastReadsMax = 16;

enum class Ending { Exited, Late, Cancelled };

// The state of one run; its readers stop when their pipe has ended.
struct Run {
    std::unique_ptr<ChildProcess> child;
    std::unique_ptr<QSocketNotifier> output;
    std::unique_ptr<QSocketNotifier> errors;
    std::function<bool(QByteArrayView)> line;
    QByteArray partial;
    CommandOutcome outcome;
    Promise<Ending> ending;
    bool outputEnded = false;
    bool isCancelled = false;

    void takeOutput(QByteArrayView bytes)
    {
        while (!bytes.isEmpty() && !outcome.wasStopped) {
            const qsizetype end = bytes.indexOf('\n');
            const QByteArrayView piece = end < 0 ? bytes : bytes.first(end);
            partial += piece.first(std::min(piece.size(), kLineBytesMax - partial.size()));
            if (end < 0) return;
            bytes = bytes.sliced(end + 1);
            outcome.wasStopped = !line(partial);
            partial.clear();
        }
        if (outcome.wasStopped) ending.set(Ending::Exited);
    }
    void cancel()
    {
        if (std::exchange(isCancelled, true) || child->hasExited()) return ending.set(Ending::Cancelled);
        child->hangUp();
    }
    void finishIfDone()
    {
        if (isCancelled && child->hasExited()) ending.set(Ending::Cancelled);
        if (outputEnded && child->hasExited()) ending.set(Ending::Exited);
    }
    void readOutput()
    {
        char buffer[kReadBytes];
        const ssize_t n = ::read(child->output.get(), buffer, sizeof buffer);
        if (n > 0) return takeOutput(QByteArrayView(buffer, n));
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        output->setEnabled(false);
        outputEnded = true;
        if (!partial.isEmpty() && !outcome.wasStopped) (void)line(partial);
        finishIfDone();
    }
    // False when there is nothing to read now.
    bool readErrors()
    {
        char buffer[kErrorBytesMax];
        const ssize_t n = ::read(child->errors.get(), buffer, sizeof buffer);
        if (n == 0) errors->setEnabled(false);
        if (n <= 0) return n < 0 && errno == EINTR;
        outcome.errors.append(buffer, std::min<qsizetype>(n, kErrorBytesMax - outcome.errors.size()));
        return true;
    }
};

} // namespace

Task<CommandOutcome> runCommand(SpawnSpec spec, std::function<bool(QByteArrayView)> line,
                                std::chrono::milliseconds timeout, std::stop_token stop)
{
    const auto run = std::make_shared<Run>();
    run->line = std::move(line);
    CO_TRY_ASSIGN(run->child, ChildProcess::start(spec));
    run->child->input.reset();
    run->output = std::make_unique<QSocketNotifier>(run->child->output.get(), QSocketNotifier::Read);
    run->errors = std::make_unique<QSocketNotifier>(run->child->errors.get(), QSocketNotifier::Read);
    Run* raw = run.get();
    QObject::connect(run->output.get(), &QSocketNotifier::activated, run->output.get(), [raw] { raw->readOutput(); });
    QObject::connect(run->errors.get(), &QSocketNotifier::activated, run->errors.get(), [raw] { raw->readErrors(); });
    QObject::connect(run->child.get(), &ChildProcess::exited, run->child.get(), [raw] { raw->finishIfDone(); });
    QTimer timer;
    timer.setSingleShot(true);
    timer.callOnTimeout([ending = run->ending] { ending.set(Ending::Late); });
    timer.start(timeout);
    // What was cancelled may still have an effect until it has ended.
    const std::stop_callback onStop(stop, [run] { postToDomain([run] { run->cancel(); }); });
    const Ending ending = co_await run->ending.get();
    run->output->setEnabled(false);
    run->errors->setEnabled(false);
    // We may be inside a notifier of this run: let it return before its objects go.
    postToDomain([run] {});
    if (ending == Ending::Late)
        co_return fail(ErrorCode::DeadlineExceeded, u"It took too long."_s, u"COMMAND_TIMEOUT"_s);
    if (ending == Ending::Cancelled) co_return fail(ErrorCode::Cancelled, u"It was cancelled."_s);
    // What it said last may not have been read yet; a flood of it is not waited for.
    for (int reads = 0; reads < kLastReadsMax && run->readErrors(); ++reads) {
    }
    run->outcome.exitCode = run->child->exitCode();
    co_return CommandOutcome(run->outcome);
}

} // namespace cocoonbox::agent::toolhost
