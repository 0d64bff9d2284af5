// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/rpc/proto_map.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/tools/own_program.h"
#include "common/rpc/serve.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "cocoonbox/agent/v1/files.grpc.pb.h"

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::serve::rpc {

namespace {

using cocoonbox::rpc::BidiStream;
using cocoonbox::rpc::RequestContext;
using cocoonbox::rpc::StreamWriter;
using tools::OwnProgram;

using UploadStream = BidiStream<v1::UploadInput, v1::UploadOutput>;

constexpr size_t kDataBytesMax = 64 * 1024;
constexpr qsizetype kListBytesMax = 8 * 1024 * 1024; // JSON of 1,000 entries with the longest names
constexpr size_t kReplyBytesMax = 3 * 1024 * 1024;   // a gRPC message has 4 MiB
constexpr auto kListMax = 20s;

v1::FileEntry entryFrom(const QJsonObject& object)
{
    v1::FileEntry entry;
    const int kind = object.value("kind"_L1).toInt();
    entry.set_name(object.value("name"_L1).toString().left(1024).toStdString());
    entry.set_path(object.value("path"_L1).toString().left(8 * 1024).toStdString());
    entry.set_kind(v1::FileKind_IsValid(kind) ? static_cast<v1::FileKind>(kind) : v1::FILE_KIND_OTHER);
    entry.set_size_bytes(std::max<qint64>(0, object.value("size"_L1).toInteger()));
    entry.set_modified_at_ms(object.value("modified"_L1).toInteger());
    return entry;
}

v1::FileEntry entryFrom(const QByteArray& line)
{
    return entryFrom(QJsonDocument::fromJson(line).object());
}

// Passes the client's bytes on until it says that they are complete.
Task<void> passUpload(UploadStream& stream, OwnProgram& program)
{
    for (;;) {
        const std::optional<v1::UploadInput> input = co_await stream.read();
        if (!input)
            co_return fail(ErrorCode::Aborted, u"The upload was broken off, and nothing of it was kept."_s,
                           u"UPLOAD_INCOMPLETE"_s);
        if (input->complete()) {
            co_await program.complete();
            co_return {};
        }
        if (input->data().size() > kDataBytesMax)
            co_return fail(ErrorCode::InvalidArgument, u"A piece of a file has at most 64 KiB."_s, u"UPLOAD_PIECE"_s);
        if (input->data().empty()) continue;
        if (!co_await program.send(QByteArray::fromStdString(input->data())))
            co_return {}; // it has ended: its answer says why
    }
}

// Ends with the call, and ends it when the client breaks off: the program then leaves nothing behind.
QCoro::Task<void> pumpUpload(UploadStream& stream, std::shared_ptr<OwnProgram> program, Promise<Result<void>> ended)
{
    Result<void> passed = co_await passUpload(stream, *program);
    if (!passed) program->limit(0ms, u"UPLOAD_INCOMPLETE"_s);
    ended.set(std::move(passed));
}

// Its lines are how much it has, and at last the file.
Task<std::optional<v1::FileEntry>> readStored(UploadStream& stream, OwnProgram& program)
{
    QByteArray pending;
    std::optional<v1::FileEntry> stored;
    for (;;) {
        CO_TRY_ASSIGN(const std::optional<QByteArray> bytes, co_await program.read());
        if (!bytes) co_return stored;
        pending += *bytes;
        for (;;) {
            CO_TRY_ASSIGN(const std::optional<QByteArray> line, tools::takeLine(pending));
            if (!line) break;
            v1::UploadOutput output;
            if (line->startsWith('{'))
                stored = entryFrom(*line);
            else
                output.set_stored_bytes(std::max<qint64>(0, line->toLongLong()));
            if (!stored && !co_await stream.write(output)) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
        }
    }
}

class FilesService final : public v1::Files::CallbackService {
public:
    FilesService(session::Gate& gate, tools::ToolhostClient& toolhost) : m_gate(gate), m_toolhost(toolhost) {}

    grpc::ServerBidiReactor<v1::UploadInput, v1::UploadOutput>* Upload(grpc::CallbackServerContext* context) override
    {
        return cocoonbox::rpc::serveBidi<v1::UploadInput, v1::UploadOutput>(
            context, [this](RequestContext c, UploadStream& stream) { return upload(c, stream); });
    }
    grpc::ServerWriteReactor<v1::DownloadOutput>* Download(grpc::CallbackServerContext* context,
                                                           const v1::DownloadRequest* request) override
    {
        return cocoonbox::rpc::serveStream<v1::DownloadOutput>(
            context, request, [this](RequestContext c, v1::DownloadRequest r, StreamWriter<v1::DownloadOutput>& w) {
                return download(c, r, w);
            });
    }
    grpc::ServerUnaryReactor* List(grpc::CallbackServerContext* context, const v1::FileListRequest* request,
                                   v1::FileList* reply) override
    {
        return cocoonbox::rpc::serveUnary(context, request, reply,
                                          [this](RequestContext c, v1::FileListRequest r) { return list(c, r); });
    }

private:
    Task<void> upload(RequestContext context, UploadStream& stream)
    {
        CO_TRY_VOID(admit(m_gate, context));
        const std::optional<v1::UploadInput> first = co_await stream.read();
        if (!first || !first->has_start())
            co_return fail(ErrorCode::InvalidArgument, u"The first message must say which file comes."_s,
                           u"UPLOAD_START_MISSING"_s);
        const v1::UploadStart& start = first->start();
        CO_TRY_VOID(checkWords({start.name(), start.folder()}));
        const qint64 size = std::max<qint64>(-1, start.size_bytes());
        CO_TRY_ASSIGN(std::unique_ptr<OwnProgram> started,
                      co_await OwnProgram::start(m_toolhost,
                                                 {u"files"_s, u"put"_s, QString::fromStdString(start.name()),
                                                  QString::fromStdString(start.folder()), QString::number(size)},
                                                 context.stop));
        const std::shared_ptr<OwnProgram> program = std::move(started);
        const std::stop_callback onStop(
            context.stop, [program] { postToDomain([program] { program->limit(0ms, u"UPLOAD_INCOMPLETE"_s); }); });
        const Promise<Result<void>> inputEnded;
        pumpUpload(stream, program, inputEnded);
        Result<std::optional<v1::FileEntry>> stored = co_await readStored(stream, *program);
        if (stored && *stored) {
            v1::UploadOutput output;
            *output.mutable_stored() = **stored;
            co_await stream.write(output);
        }
        // A refused file is told of at once: the client may still be sending.
        if (!stored && stored.error().reason != u"UPLOAD_INCOMPLETE") stream.finish(std::unexpected(stored.error()));
        if (stored) stream.finish({});
        const Result<void> passed = co_await inputEnded.get();
        CO_TRY_VOID(passed);
        co_return stored.transform([](const auto&) {});
    }

    Task<void> download(RequestContext context, v1::DownloadRequest request, StreamWriter<v1::DownloadOutput>& writer)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_VOID(checkWords({request.path()}));
        CO_TRY_ASSIGN(std::unique_ptr<OwnProgram> started,
                      co_await OwnProgram::start(
                          m_toolhost, {u"files"_s, u"get"_s, QString::fromStdString(request.path())}, context.stop));
        const std::shared_ptr<OwnProgram> program = std::move(started);
        const std::stop_callback onStop(context.stop,
                                        [program] { postToDomain([program] { program->limit(0ms, u"STOPPED"_s); }); });
        QByteArray pending;
        bool hasHead = false;
        for (;;) {
            CO_TRY_ASSIGN(const std::optional<QByteArray> bytes, co_await program->read());
            if (!bytes) co_return {};
            pending += *bytes;
            v1::DownloadOutput output;
            if (!hasHead) {
                CO_TRY_ASSIGN(const std::optional<QByteArray> line, tools::takeLine(pending));
                if (!line) continue;
                hasHead = true;
                *output.mutable_file() = entryFrom(*line);
                if (!co_await writer.write(output)) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
            }
            for (qsizetype at = 0; at < pending.size(); at += kDataBytesMax) {
                const QByteArrayView piece =
                    QByteArrayView(pending).sliced(at).first(std::min<qsizetype>(kDataBytesMax, pending.size() - at));
                output.set_data(piece.data(), static_cast<size_t>(piece.size()));
                if (!co_await writer.write(output)) co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
            }
            pending.clear();
        }
    }

    Task<v1::FileList> list(RequestContext context, v1::FileListRequest request)
    {
        CO_TRY_VOID(admit(m_gate, context));
        CO_TRY_VOID(checkWords({request.path()}));
        CO_TRY_ASSIGN(const QByteArray json,
                      co_await tools::runOwn(m_toolhost,
                                             {.words = {u"files"_s, u"list"_s, QString::fromStdString(request.path())},
                                              .content = {},
                                              .bytesMax = kListBytesMax,
                                              .limit = kListMax},
                                             context.stop));
        const QJsonObject object = QJsonDocument::fromJson(json).object();
        v1::FileList reply;
        reply.set_path(object.value("path"_L1).toString().left(8 * 1024).toStdString());
        reply.set_truncated(object.value("truncated"_L1).toBool());
        for (const QJsonValue& entry : object.value("entries"_L1).toArray()) {
            if (reply.ByteSizeLong() > kReplyBytesMax || reply.entries_size() >= 1000) {
                reply.set_truncated(true);
                break;
            }
            *reply.add_entries() = entryFrom(entry.toObject());
        }
        co_return reply;
    }

    // What becomes a word of a command line.
    static Result<void> checkWords(const QList<std::string>& words)
    {
        for (const std::string& word : words)
            if (word.size() > 4096 || word.find('\0') != std::string::npos)
                return fail(ErrorCode::InvalidArgument,
                            u"A name or a path is longer than 4,096 bytes or holds a zero byte."_s, u"PATH_INVALID"_s);
        return {};
    }

    session::Gate& m_gate;
    tools::ToolhostClient& m_toolhost;
};

} // namespace

std::unique_ptr<grpc::Service> makeFilesService(session::Gate& gate, tools::ToolhostClient& toolhost)
{
    return std::make_unique<FilesService>(gate, toolhost);
}

} // namespace cocoonbox::agent::serve::rpc
