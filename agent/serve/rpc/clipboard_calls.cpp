// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/rpc/clipboard_calls.h"

#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::rpc {

namespace {

constexpr auto kCallMax = 60s;
constexpr qint64 kImageBytesMax = 32 * 1024 * 1024;
constexpr qint64 kOtherBytesMax = 1024 * 1024;
constexpr size_t kDataBytesMax = 64 * 1024;

const QStringList& knownTypes()
{
    static const QStringList kTypes{u"image/png"_s, u"text/html"_s, u"text/plain;charset=utf-8"_s};
    return kTypes;
}

Result<void> checkType(const QString& type)
{
    if (knownTypes().contains(type)) return {};
    return fail(ErrorCode::InvalidArgument,
                u"The clipboard takes %1, not \"%2\"."_s.arg(knownTypes().join(u", "), type.left(64)),
                u"CLIPBOARD_TYPE_INVALID"_s);
}

v1::ClipboardChunk dataChunk(const QByteArray& bytes)
{
    v1::ClipboardChunk chunk;
    chunk.set_data(bytes.constData(), static_cast<size_t>(bytes.size()));
    return chunk;
}

v1::ClipboardChunk headChunk(const QByteArray& line)
{
    const QJsonObject head = QJsonDocument::fromJson(line).object();
    v1::ClipboardChunk chunk;
    chunk.set_type(head.value("type"_L1).toString().left(64).toStdString());
    chunk.set_size_bytes(std::max<qint64>(0, head.value("size"_L1).toInteger()));
    return chunk;
}

// Aborted: the client ended the call before its last chunk. ResourceExhausted: CLIPBOARD_TOO_LARGE.
Task<void> passContent(ClipboardStream& stream, tools::OwnProgram& program, v1::ClipboardChunk chunk, qint64 bytesMax)
{
    qint64 total = 0;
    for (;;) {
        total += static_cast<qint64>(chunk.data().size());
        if (total > bytesMax || chunk.data().size() > kDataBytesMax)
            co_return fail(ErrorCode::ResourceExhausted,
                           u"The clipboard takes 32 MiB of picture and 1 MiB of anything else. Move it as a file."_s,
                           u"CLIPBOARD_TOO_LARGE"_s);
        bool isOpen = true;
        if (!chunk.data().empty()) isOpen = co_await program.send(QByteArray::fromStdString(chunk.data()));
        if (!isOpen) co_return {}; // its answer says why
        if (chunk.last()) {
            co_await program.complete();
            co_return {};
        }
        std::optional<v1::ClipboardChunk> next = co_await stream.read();
        if (!next)
            co_return fail(ErrorCode::InvalidArgument, u"The content ended before its last piece."_s,
                           u"CLIPBOARD_INCOMPLETE"_s);
        chunk = *std::move(next);
    }
}

} // namespace

Task<void> readClipboard(tools::ToolhostClient& toolhost, QString type, ClipboardWriter& writer, std::stop_token stop)
{
    if (!type.isEmpty()) {
        CO_TRY_VOID(checkType(type));
    }
    CO_TRY_ASSIGN(const std::unique_ptr<tools::OwnProgram> program,
                  co_await tools::OwnProgram::start(toolhost, {u"desktop"_s, u"paste"_s, type}, stop));
    program->limit(kCallMax, u"CLIPBOARD_TIMEOUT"_s);
    QByteArray pending;
    bool hasHead = false;
    qint64 total = 0;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> bytes, co_await program->read());
        if (!bytes) break;
        pending += *bytes;
        if (!hasHead) {
            CO_TRY_ASSIGN(const std::optional<QByteArray> line, tools::takeLine(pending));
            if (!line) continue;
            hasHead = true;
            if (!co_await writer.write(headChunk(*line))) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        }
        total += pending.size();
        if (total > kImageBytesMax)
            co_return fail(ErrorCode::ResourceExhausted, u"The clipboard holds more than it may."_s,
                           u"CLIPBOARD_TOO_LARGE"_s);
        for (qsizetype at = 0; at < pending.size(); at += kDataBytesMax)
            if (!co_await writer.write(dataChunk(pending.mid(at, kDataBytesMax))))
                co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        pending.clear();
    }
    v1::ClipboardChunk last;
    last.set_last(true);
    co_await writer.write(last);
    co_return {};
}

Task<void> writeClipboard(tools::ToolhostClient& toolhost, ClipboardStream& stream, std::stop_token stop)
{
    std::optional<v1::ClipboardChunk> first = co_await stream.read();
    const QString type = first ? QString::fromStdString(first->type()) : QString();
    CO_TRY_VOID(checkType(type));
    CO_TRY_ASSIGN(const std::unique_ptr<tools::OwnProgram> program,
                  co_await tools::OwnProgram::start(toolhost, {u"desktop"_s, u"copy"_s, type}, stop));
    program->limit(kCallMax, u"CLIPBOARD_TIMEOUT"_s);
    const qint64 bytesMax = type.startsWith(u"image/") ? kImageBytesMax : kOtherBytesMax;
    CO_TRY_VOID(co_await passContent(stream, *program, *std::move(first), bytesMax));
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> output, co_await program->read());
        if (!output) break;
    }
    co_await stream.write(v1::ClipboardWritten());
    co_return {};
}

} // namespace cocoonbox::agent::serve::rpc
