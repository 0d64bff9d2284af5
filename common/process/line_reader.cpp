// SPDX-License-Identifier: AGPL-3.0-only
#include "common/process/line_reader.h"

#include "common/process/child.h"

namespace cocoonbox::process {

namespace {

constexpr qsizetype kLineBytesMax = 64 * 1024;
constexpr qsizetype kLinesMax = 1024;
constexpr qsizetype kErrorBytesMax = 8 * 1024;

} // namespace

struct LineReader::State {
    QString program;
    std::shared_ptr<Child> child;
    EventQueue<QByteArray> lines{kLinesMax};
    QByteArray partial;

    bool take(const QByteArray& piece)
    {
        partial += piece;
        qsizetype start = 0;
        for (qsizetype end; (end = partial.indexOf('\n', start)) >= 0; start = end + 1)
            if (end - start > kLineBytesMax || !lines.push(partial.mid(start, end - start))) return false;
        partial.remove(0, start);
        return partial.size() <= kLineBytesMax;
    }
    void close()
    {
        if (!partial.isEmpty()) lines.push(std::exchange(partial, {}));
        lines.close();
    }
};

LineReader::LineReader(std::shared_ptr<State> state) : m_state(std::move(state)) {}

LineReader::~LineReader()
{
    stop();
}

Task<std::unique_ptr<LineReader>> LineReader::start(ProcessSpec spec)
{
    const auto state = std::make_shared<State>();
    state->program = spec.program;
    spec.outputBytesMax = kErrorBytesMax;
    state->child = Child::start(spec, Child::ErrorOutput::KeepTail,
                                [state](const QByteArray& piece) { return state->take(piece); });
    state->child->onEnded([state] { state->close(); });
    if (!co_await state->child->started().get()) {
        CO_TRY_ASSIGN([[maybe_unused]] const int exitCode, state->child->exitCode());
    }
    co_return std::unique_ptr<LineReader>(new LineReader(state));
}

QCoro::Task<std::optional<QByteArray>> LineReader::next()
{
    const auto state = m_state;
    co_return co_await state->lines.next();
}

Result<void> LineReader::ending() const
{
    TRY_ASSIGN(const int exitCode, m_state->child->exitCode());
    if (exitCode == 0) return {};
    return std::unexpected(Error{
        ErrorCode::Internal, QStringLiteral("\"%1\" ended with exit code %2.").arg(m_state->program).arg(exitCode),
        QStringLiteral("PROCESS_FAILED"), m_state->child->errorTail(), std::source_location::current()});
}

void LineReader::stop()
{
    m_state->child->end(Child::Cause::Cancelled);
    m_state->lines.close();
}

qint64 LineReader::processId() const
{
    return m_state->child->processId();
}

} // namespace cocoonbox::process
