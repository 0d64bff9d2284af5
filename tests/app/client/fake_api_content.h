// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// What FakeApi's box does with files, clipboard and text. Included by fake_api_services.h only.
#include "fake_api.h"

#include "cocoonbox/agent/v1/files.grpc.pb.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"
#include "common/rpc/serve.h"

namespace cocoonbox::tests {

using Admit = std::function<Result<void>(const rpc::RequestContext&)>;

// A box with one folder, /workspace/Uploads; whole files only.
class FakeFiles final : public agent::v1::Files::CallbackService {
public:
    FakeFiles(FakeApi& api, Admit admit) : m_api(api), m_admit(std::move(admit)) {}

    grpc::ServerBidiReactor<agent::v1::UploadInput, agent::v1::UploadOutput>*
    Upload(grpc::CallbackServerContext* context) override
    {
        return rpc::serveBidi<agent::v1::UploadInput, agent::v1::UploadOutput>(
            context, [this](rpc::RequestContext call, Stream& stream) { return upload(call, stream); });
    }
    grpc::ServerWriteReactor<agent::v1::DownloadOutput>* Download(grpc::CallbackServerContext* context,
                                                                  const agent::v1::DownloadRequest* request) override
    {
        return rpc::serveStream<agent::v1::DownloadOutput>(
            context, request, [this](rpc::RequestContext call, agent::v1::DownloadRequest wanted, Writer& out) {
                return download(call, wanted, out);
            });
    }
    grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context, const agent::v1::FileListRequest* request,
                                   agent::v1::FileList* reply) override
    {
        return rpc::serveUnary(context, request, reply,
                               [this](rpc::RequestContext call, agent::v1::FileListRequest) { return list(call); });
    }

private:
    using Stream = rpc::BidiStream<agent::v1::UploadInput, agent::v1::UploadOutput>;
    using Writer = rpc::StreamWriter<agent::v1::DownloadOutput>;

    agent::v1::FileEntry entryOf(const QString& path) const
    {
        agent::v1::FileEntry entry;
        entry.set_name(path.sliced(path.lastIndexOf(u'/') + 1).toStdString());
        entry.set_path(path.toStdString());
        entry.set_kind(agent::v1::FILE_KIND_REGULAR);
        entry.set_size_bytes(m_api.files.value(path).size());
        entry.set_modified_at_ms(1'700'000'000'000);
        return entry;
    }
    Task<void> upload(rpc::RequestContext call, Stream& stream)
    {
        CO_TRY_VOID(m_admit(call));
        if (m_api.uploadFailure) co_return std::unexpected(*m_api.uploadFailure);
        const auto start = co_await stream.read();
        const QString name = QString::fromStdString(start->start().name());
        const QString folder = start->start().folder().empty() ? QStringLiteral("/workspace/Uploads")
                                                               : QString::fromStdString(start->start().folder());
        QByteArray bytes;
        for (;;) {
            const auto input = co_await stream.read();
            if (!input)
                co_return fail(ErrorCode::Aborted, QStringLiteral("Broken off."), QStringLiteral("UPLOAD_INCOMPLETE"));
            if (input->complete()) break;
            bytes.append(input->data().data(), static_cast<qsizetype>(input->data().size()));
            agent::v1::UploadOutput progress;
            progress.set_stored_bytes(bytes.size());
            co_await stream.write(progress);
        }
        const QString path = folder + u'/' + name;
        m_api.files.insert(path, bytes);
        agent::v1::UploadOutput stored;
        *stored.mutable_stored() = entryOf(path);
        co_await stream.write(stored);
        co_return {};
    }
    Task<void> download(rpc::RequestContext call, agent::v1::DownloadRequest request, Writer& out)
    {
        CO_TRY_VOID(m_admit(call));
        const QString path = QString::fromStdString(request.path());
        if (!m_api.files.contains(path))
            co_return fail(ErrorCode::NotFound, QStringLiteral("There is no such file."),
                           QStringLiteral("FILE_UNKNOWN"));
        const QByteArray bytes = m_api.files.value(path);
        agent::v1::DownloadOutput output;
        *output.mutable_file() = entryOf(path);
        co_await out.write(output);
        // A file that shrinks: the call ends well all the same, as a box that lies would end it.
        const qsizetype size = m_api.filesShrink ? bytes.size() / 2 : bytes.size();
        for (qsizetype at = 0; at < size; at += 50'000) {
            output.set_data(bytes.mid(at, std::min<qsizetype>(50'000, size - at)).toStdString());
            co_await out.write(output);
        }
        co_return {};
    }
    Task<agent::v1::FileList> list(rpc::RequestContext call)
    {
        CO_TRY_VOID(m_admit(call));
        agent::v1::FileList reply;
        reply.set_path("/workspace/Uploads");
        for (auto it = m_api.files.cbegin(); it != m_api.files.cend(); ++it)
            *reply.add_entries() = entryOf(it.key());
        co_return reply;
    }

    FakeApi& m_api;
    Admit m_admit;
};

inline Task<agent::v1::InputTextResponse> takeText(FakeApi& api, agent::v1::InputTextRequest request)
{
    if (request.takeover_id() != "takeover_1" || api.heldBy.isEmpty())
        co_return fail(ErrorCode::FailedPrecondition, QStringLiteral("Not yours."), QStringLiteral("NOT_IN_CONTROL"));
    api.typing = true;
    CO_TRY_VOID(co_await sleepFor(api.typingTime));
    api.typing = false;
    api.typed.append(QString::fromStdString(request.text()));
    co_return agent::v1::InputTextResponse();
}

inline Task<void> giveClipboard(FakeApi& api, rpc::StreamWriter<agent::v1::ClipboardChunk>& out)
{
    agent::v1::ClipboardChunk chunk;
    chunk.set_type(api.clipboard.type.toStdString());
    chunk.set_size_bytes(api.clipboard.bytes.size());
    co_await out.write(chunk);
    for (qsizetype at = 0; at < api.clipboard.bytes.size(); at += 64 * 1024) {
        agent::v1::ClipboardChunk piece;
        piece.set_data(api.clipboard.bytes.mid(at, 64 * 1024).toStdString());
        co_await out.write(piece);
    }
    agent::v1::ClipboardChunk last;
    last.set_last(true);
    if (!api.clipboardBreaks) co_await out.write(last);
    co_return {};
}

inline Task<void> takeClipboard(FakeApi& api,
                                rpc::BidiStream<agent::v1::ClipboardChunk, agent::v1::ClipboardWritten>& stream)
{
    client::ClipboardContent content;
    for (;;) {
        const auto chunk = co_await stream.read();
        if (!chunk)
            co_return fail(ErrorCode::InvalidArgument, QStringLiteral("Broken off."),
                           QStringLiteral("CLIPBOARD_INCOMPLETE"));
        if (!chunk->type().empty()) content.type = QString::fromStdString(chunk->type());
        content.bytes.append(chunk->data().data(), static_cast<qsizetype>(chunk->data().size()));
        if (chunk->last()) break;
    }
    api.clipboard = content;
    co_await stream.write(agent::v1::ClipboardWritten());
    co_return {};
}

} // namespace cocoonbox::tests
