// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/desktop/text_channel.h"

#include <algorithm>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::desktop {

namespace {

constexpr auto kInsertMax = 25s;
constexpr qsizetype kFrameBytes = 32 * 1024;

Result<void> checkText(const QString& text)
{
    if (text.isEmpty()) return fail(ErrorCode::InvalidArgument, u"There is no text to insert."_s, u"TEXT_EMPTY"_s);
    if (text.toUtf8().size() > kTextBytesMax)
        return fail(ErrorCode::InvalidArgument, u"At most 64 KiB of text go at once. Send it in parts."_s,
                    u"TEXT_TOO_LONG"_s);
    const bool isText = std::ranges::none_of(
        text, [](QChar c) { return c.category() == QChar::Other_Control && c != u'\n' && c != u'\t' && c != u'\r'; });
    if (isText) return {};
    return fail(ErrorCode::InvalidArgument, u"The text holds control characters; only newline and tab are text."_s,
                u"TEXT_INVALID"_s);
}

} // namespace

Task<void> TextChannel::insert(QString takeoverId, QString text, std::stop_token stop)
{
    CO_TRY_VOID(checkText(text));
    text.replace(u"\r\n"_s, u"\n"_s).replace(u'\r', u'\n');
    CO_TRY_ASSIGN(const Ending turn, co_await takeTurn());
    // Looked at last: the screen may have been handed back while this waited.
    if (takeoverId.isEmpty() || !m_baton.isHolder(takeoverId))
        co_return fail(ErrorCode::FailedPrecondition,
                       u"You do not hold the screen. Take over first, then the text goes to the box."_s,
                       u"NOT_IN_CONTROL"_s);
    co_return co_await send(std::move(text), turn, stop);
}

Task<TextChannel::Ending> TextChannel::takeTurn()
{
    if (m_isBusy) {
        if (m_waiting.size() >= kWaitingMax)
            co_return fail(ErrorCode::ResourceExhausted,
                           u"The box takes text more slowly than it comes. Wait a moment."_s, u"TEXT_BACKLOG"_s);
        const Promise<bool> turn;
        m_waiting.append(turn);
        co_await turn.get(); // it stays busy meanwhile: nobody overtakes
    }
    m_isBusy = true;
    co_return std::make_shared<Turn>(*this);
}

void TextChannel::passOn()
{
    m_isBusy = !m_waiting.isEmpty();
    if (!m_isBusy) return;
    const Promise<bool> next = m_waiting.takeFirst();
    postToDomain([next] { next.set(true); });
}

// `turn` ends with the program, not with the call.
Task<void> TextChannel::send(QString text, Ending turn, std::stop_token stop)
{
    CO_TRY_ASSIGN(std::unique_ptr<tools::OwnProgram> program,
                  co_await tools::OwnProgram::start(m_toolhost, {u"desktop"_s, u"type"_s}, stop));
    program->limit(kInsertMax, u"TEXT_TIMEOUT"_s);
    const QByteArray utf8 = text.toUtf8();
    bool isOpen = true;
    for (qsizetype at = 0; isOpen && at < utf8.size(); at += kFrameBytes)
        isOpen = co_await program->send(utf8.mid(at, kFrameBytes));
    if (isOpen) co_await program->complete();
    CO_TRY_ASSIGN(const std::optional<QByteArray> taken, co_await program->read());
    // The text is in. What is left is the clipboard, which the next text must find as it was.
    if (taken) awaitEnd(std::move(program), turn);
    co_return {};
}

QCoro::Task<void> TextChannel::awaitEnd(std::unique_ptr<tools::OwnProgram> program, [[maybe_unused]] Ending turn)
{
    for (;;) {
        const Result<std::optional<QByteArray>> more = co_await program->read();
        if (!more || !*more) co_return;
    }
}

} // namespace cocoonbox::agent::serve::desktop
