// SPDX-License-Identifier: AGPL-3.0-only
// BoxSession's text channel and clipboard.
#include "app/client/box_session.h"

#include "app/client/convert.h"
// After the conversions it uses.
#include "app/client/ask.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"

#include <QPointer>

namespace cocoonbox::app::client {

namespace wire = agent::v1;
using AsyncSession = class wire::Session::Stub::async;

namespace {

// A paste of 64 KiB into a slow program takes its time.
constexpr auto kTextDeadline = std::chrono::seconds(30);
constexpr auto kClipboardDeadline = std::chrono::seconds(60);
constexpr qsizetype kChunkBytes = 64 * 1024;
// Of the richest kind; a box that sends more lies.
constexpr qsizetype kContentBytesMax = 32 * 1024 * 1024;

auto notInControl()
{
    return fail(ErrorCode::FailedPrecondition,
                QStringLiteral("You do not hold the screen. Take over first, then the text goes to the box."),
                QStringLiteral("NOT_IN_CONTROL"));
}

} // namespace

Task<void> BoxSession::inputText(QString text)
{
    const QPointer self{this};
    if (!m_holding) co_return notInControl();
    if (m_textOnItsWay) {
        if (m_textsWaiting.size() >= kTextsWaitingMax)
            co_return fail(ErrorCode::ResourceExhausted,
                           QStringLiteral("The box takes text more slowly than it comes. Wait a moment."),
                           QStringLiteral("TEXT_BACKLOG"));
        const Promise<bool> turn;
        m_textsWaiting.push_back(turn);
        co_await turn.get();
        if (!self) co_return cancelled();
    }
    m_textOnItsWay = true;
    Result<void> sent = notInControl(); // it may have been lost while this waited
    if (m_holding) sent = co_await sendText(std::move(text));
    if (!self) co_return sent;
    m_textOnItsWay = false;
    if (m_textsWaiting.empty()) co_return sent;
    m_textOnItsWay = true; // stays ours until the next one resumes: nobody overtakes it
    const Promise<bool> next = m_textsWaiting.front();
    m_textsWaiting.pop_front();
    postToDomain([next] { next.set(true); });
    co_return sent;
}

Task<void> BoxSession::sendText(QString text)
{
    wire::InputTextRequest request;
    request.set_takeover_id(m_takeoverId.toStdString());
    request.set_text(text.toStdString());
    const auto reply = co_await ask<wire::Session>(m_connection, &AsyncSession::InputText, request,
                                                   m_connection->options(m_boxId, kTextDeadline));
    co_return reply.transform([](const auto&) {});
}

Task<ClipboardContent> BoxSession::readClipboard(QString type)
{
    const auto connection = m_connection;
    const auto stub = wire::Session::NewStub(connection->channel());
    wire::ReadClipboardRequest request;
    request.set_type(type.toStdString());
    rpc::ClientReader<wire::ClipboardChunk> reader(stub->async(), &AsyncSession::ReadClipboard, request,
                                                   connection->options(m_boxId, kClipboardDeadline));
    ClipboardContent content;
    bool whole = false;
    while (const auto chunk = co_await reader.read()) {
        if (!chunk->type().empty()) content.type = fromWire(chunk->type());
        content.bytes.append(chunk->data().data(), static_cast<qsizetype>(chunk->data().size()));
        whole = chunk->last();
        if (content.bytes.size() > kContentBytesMax) reader.cancel();
    }
    CO_TRY_VOID(connection->explained(co_await reader.finish()));
    if (!whole)
        co_return fail(ErrorCode::Aborted, QStringLiteral("The box sent only a part of its clipboard. Copy again."),
                       QStringLiteral("CLIPBOARD_INCOMPLETE"));
    co_return content;
}

Task<void> BoxSession::writeClipboard(ClipboardContent content)
{
    const auto connection = m_connection;
    const auto stub = wire::Session::NewStub(connection->channel());
    rpc::ClientBidi<wire::ClipboardChunk, wire::ClipboardWritten> call(
        stub->async(), &AsyncSession::WriteClipboard, connection->options(m_boxId, kClipboardDeadline));
    qsizetype at = 0;
    bool open = true;
    do {
        wire::ClipboardChunk chunk;
        if (at == 0) {
            chunk.set_type(content.type.toStdString());
            chunk.set_size_bytes(content.bytes.size());
        }
        const qsizetype size = std::min(kChunkBytes, content.bytes.size() - at);
        chunk.set_data(content.bytes.constData() + at, static_cast<size_t>(size));
        at += size;
        chunk.set_last(at == content.bytes.size());
        open = co_await call.write(std::move(chunk));
    } while (open && at < content.bytes.size());
    while (co_await call.read()) {
    }
    co_return connection->explained(co_await call.finish());
}

} // namespace cocoonbox::app::client
