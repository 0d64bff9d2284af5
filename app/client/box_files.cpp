// SPDX-License-Identifier: AGPL-3.0-only
// BoxSession's files: up, down and listed.
#include "app/client/box_session.h"

#include "app/client/convert.h"
// After the conversions it uses.
#include "app/client/ask.h"
#include "cocoonbox/agent/v1/files.grpc.pb.h"

namespace cocoonbox::app::client {

namespace wire = agent::v1;
using AsyncFiles = class wire::Files::Stub::async;

namespace {

constexpr qint64 kChunkBytes = 64 * 1024;
using UploadCall = rpc::ClientBidi<wire::UploadInput, wire::UploadOutput>;

auto unreadable(const QString& name, const QString& why)
{
    return fail(ErrorCode::FailedPrecondition, QStringLiteral("%1 cannot be read: %2").arg(name, why),
                QStringLiteral("FILE_UNREADABLE"));
}

// What the box says meanwhile. The last word is the file as it is called there.
QCoro::Task<std::optional<FileEntry>> followUpload(UploadCall& call, BoxSession::Progress progress, qint64 total)
{
    std::optional<FileEntry> stored;
    while (const auto output = co_await call.read()) {
        if (output->has_stored()) stored = fromWire(output->stored());
        if (output->has_stored_bytes() && progress) progress(output->stored_bytes(), total);
    }
    co_return stored;
}

// False when the call has ended under it.
Task<bool> sendFile(UploadCall& call, const BoxSession::UploadSource& source)
{
    for (;;) {
        const QByteArray bytes = source.file->read(kChunkBytes);
        if (bytes.isEmpty() && !source.file->atEnd()) co_return unreadable(source.name, source.file->errorString());
        wire::UploadInput input;
        if (bytes.isEmpty())
            input.set_complete(true);
        else
            input.set_data(bytes.constData(), static_cast<size_t>(bytes.size()));
        const bool isLast = bytes.isEmpty();
        if (!co_await call.write(std::move(input))) co_return false;
        if (isLast) co_return true;
    }
}

QCoro::Task<void> runFollowing(UploadCall& call, BoxSession::Progress progress, qint64 total,
                               Promise<std::optional<FileEntry>> ended)
{
    ended.set(co_await followUpload(call, std::move(progress), total));
}

} // namespace

Task<FileEntry> BoxSession::upload(UploadSource source, Progress progress, std::stop_token stop)
{
    const auto connection = m_connection;
    const auto stub = wire::Files::NewStub(connection->channel());
    const qint64 total = source.file->isSequential() ? -1 : source.file->size() - source.file->pos();
    UploadCall call(stub->async(), &AsyncFiles::Upload, connection->options(m_boxId, {}, stop));
    const Promise<std::optional<FileEntry>> ended;
    runFollowing(call, progress, total, ended);
    wire::UploadInput start;
    start.mutable_start()->set_name(source.name.toStdString());
    start.mutable_start()->set_folder(source.folder.toStdString());
    start.mutable_start()->set_size_bytes(total);
    Result<bool> sent = co_await call.write(std::move(start));
    if (*sent) sent = co_await sendFile(call, source);
    if (!sent) call.cancel();
    // The reading end uses the call, so it may go only when that has ended.
    std::optional<FileEntry> stored = co_await ended.get();
    const Result<void> end = connection->explained(co_await call.finish());
    if (!sent) co_return std::unexpected(sent.error());
    CO_TRY_VOID(end);
    if (!stored)
        co_return fail(ErrorCode::Aborted,
                       QStringLiteral("The box did not say that it has the file. Look, then try again."),
                       QStringLiteral("UPLOAD_INCOMPLETE"));
    co_return *std::move(stored);
}

Task<FileEntry> BoxSession::download(QString path, std::shared_ptr<QIODevice> out, Progress progress,
                                     std::stop_token stop)
{
    const auto connection = m_connection;
    const auto stub = wire::Files::NewStub(connection->channel());
    wire::DownloadRequest request;
    request.set_path(path.toStdString());
    rpc::ClientReader<wire::DownloadOutput> reader(stub->async(), &AsyncFiles::Download, request,
                                                   connection->options(m_boxId, {}, stop));
    FileEntry file;
    qint64 moved = 0;
    while (const auto output = co_await reader.read()) {
        if (output->has_file()) file = fromWire(output->file());
        const auto size = static_cast<qint64>(output->data().size());
        if (out->write(output->data().data(), size) != size)
            co_return fail(ErrorCode::FailedPrecondition,
                           QStringLiteral("The file cannot be written here: %1").arg(out->errorString()),
                           QStringLiteral("FILE_UNWRITABLE"));
        moved += size;
        if (progress) progress(moved, file.sizeBytes);
    }
    CO_TRY_VOID(connection->explained(co_await reader.finish()));
    if (moved != file.sizeBytes)
        co_return fail(ErrorCode::Aborted, QStringLiteral("The box sent another size than it said. Try again."),
                       QStringLiteral("FILE_CHANGED"));
    co_return file;
}

Task<FileList> BoxSession::listFiles(QString path)
{
    wire::FileListRequest request;
    request.set_path(path.toStdString());
    const auto reply = co_await ask<wire::Files>(m_connection, &AsyncFiles::List, request,
                                                 m_connection->options(m_boxId, limits::kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

} // namespace cocoonbox::app::client
