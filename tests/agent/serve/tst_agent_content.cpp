// SPDX-License-Identifier: AGPL-3.0-only
// Text, clipboard and files through the box's services, a real toolhost and a real X server.
#include "agent/serve/desktop/clipboard_watch.h"
#include "agent/serve/desktop/text_channel.h"
#include "agent/serve/rpc/services.h"
#include "agent/serve/session/draft_board.h"
#include "agent/serve/session/gate.h"
#include "agent/serve/transcript/transcript.h"
#include "common/base/ids.h"
#include "common/rpc/call.h"
#include "common/rpc/server.h"
#include "common/sql/database.h"
#include "tests/agent/serve/waiting.h"

#include <grpcpp/create_channel.h>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include "cocoonbox/agent/v1/files.grpc.pb.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"

using namespace cocoonbox;
namespace serve = cocoonbox::agent::serve;
namespace desktop = serve::desktop;
namespace session = serve::session;
namespace tools = serve::tools;
namespace transcript = serve::transcript;
using namespace cocoonbox::test;
using namespace std::chrono_literals;
namespace v1 = cocoonbox::agent::v1;
using SessionStub = v1::Session::Stub;
using FilesStub = v1::Files::Stub;
using UploadCall = rpc::ClientBidi<v1::UploadInput, v1::UploadOutput>;
using ClipboardCall = rpc::ClientBidi<v1::ClipboardChunk, v1::ClipboardWritten>;

namespace {

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

v1::UploadInput startOf(const std::string& name, qint64 size)
{
    v1::UploadInput input;
    input.mutable_start()->set_name(name);
    input.mutable_start()->set_size_bytes(size);
    return input;
}

} // namespace

class TestContent : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        m_x.setStandardErrorFile(QProcess::nullDevice());
        m_x.start("Xvfb", {"-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"});
        QVERIFY(m_x.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(m_x.canReadLine() || m_x.waitForReadyRead(100), 10'000);
        startToolhost(':' + QString::fromLatin1(m_x.readLine().trimmed()));
        startServices();
        QVERIFY(waitUntil([&] { return m_tools->isReady(); }));
    }
    void cleanupTestCase()
    {
        QCoro::waitFor(m_server->stop(100ms));
        m_server.reset();
        m_services.clear();
        m_watch.reset();
        m_tools.reset();
        m_toolhost.terminate();
        m_toolhost.waitForFinished();
        m_x.terminate();
        m_x.waitForFinished();
    }

    void aFileGoesInAndComesBack()
    {
        QByteArray content;
        for (quint32 i = 0; i < 3'000'000; ++i)
            content.append(static_cast<char>(i * 2654435761U >> 24));
        const v1::FileEntry stored = upload("../Größe.bin", content);
        QCOMPARE(QString::fromStdString(stored.path()), workspace("Uploads/Größe.bin"));
        QCOMPARE(stored.size_bytes(), content.size());
        QVERIFY(contentOf(workspace("Uploads/Größe.bin")) == content);
        v1::DownloadRequest request;
        request.set_path("Uploads/Größe.bin");
        rpc::ClientReader<v1::DownloadOutput> reader(m_files->async(), &FilesStub::async::Download, request, options());
        QByteArray back;
        std::optional<v1::FileEntry> entry;
        while (const auto output = QCoro::waitFor(reader.read())) {
            if (output->has_file()) entry = output->file();
            back.append(output->data().data(), static_cast<qsizetype>(output->data().size()));
        }
        QVERIFY(QCoro::waitFor(reader.finish()));
        QCOMPARE(entry->size_bytes(), content.size());
        QVERIFY(back == content);
    }
    void aBrokenUploadLeavesNothing_data()
    {
        QTest::addColumn<bool>("isCancelled");
        QTest::newRow("cancelled") << true;
        QTest::newRow("ended without the word") << false;
    }
    void aBrokenUploadLeavesNothing()
    {
        QFETCH(bool, isCancelled);
        const QStringList before = uploads();
        UploadCall call(m_files->async(), &FilesStub::async::Upload, options());
        QVERIFY(QCoro::waitFor(call.write(startOf("half", -1))));
        v1::UploadInput piece;
        piece.set_data(std::string(60'000, 'x'));
        QVERIFY(QCoro::waitFor(call.write(piece)));
        if (isCancelled)
            call.cancel();
        else
            call.writesDone();
        while (QCoro::waitFor(call.read())) {
        }
        const Result<void> end = QCoro::waitFor(call.finish());
        QVERIFY(!end);
        if (!isCancelled) QCOMPARE(end.error().reason, QString("UPLOAD_INCOMPLETE"));
        QCOMPARE(uploads(), before);
    }
    void aDiskThatIsTooSmallIsSaidAtOnce()
    {
        UploadCall call(m_files->async(), &FilesStub::async::Upload, options());
        QVERIFY(QCoro::waitFor(call.write(startOf("huge", Q_INT64_C(1) << 60))));
        QVERIFY(!QCoro::waitFor(call.read()));
        const Result<void> end = QCoro::waitFor(call.finish());
        QCOMPARE(end.error().reason, QString("DISK_FULL"));
        QCOMPARE(end.error().code, ErrorCode::ResourceExhausted);
    }
    void whatCannotBeIsRefusedWithItsReason()
    {
        UploadCall call(m_files->async(), &FilesStub::async::Upload, options());
        v1::UploadInput piece;
        piece.set_data("x");
        QVERIFY(QCoro::waitFor(call.write(piece)));
        QVERIFY(!QCoro::waitFor(call.read()));
        QCOMPARE(QCoro::waitFor(call.finish()).error().reason, QString("UPLOAD_START_MISSING"));
        v1::DownloadRequest request;
        for (const auto& [path, reason] : {std::pair("nothing", "FILE_UNKNOWN"), {"/dev/zero", "FILE_NOT_REGULAR"}}) {
            request.set_path(path);
            rpc::ClientReader<v1::DownloadOutput> reader(m_files->async(), &FilesStub::async::Download, request,
                                                         options());
            QVERIFY(!QCoro::waitFor(reader.read()));
            QCOMPARE(QCoro::waitFor(reader.finish()).error().reason, QString(reason));
        }
        v1::FileListRequest list;
        list.set_path("nothing");
        QCOMPARE(reasonOf(rpc::call(m_files->async(), &FilesStub::async::List, list, options())),
                 QString("FILE_UNKNOWN"));
    }
    void aFolderIsListed()
    {
        upload("listed.txt", "12345");
        v1::FileListRequest request;
        request.set_path("Uploads");
        const v1::FileList list = take(rpc::call(m_files->async(), &FilesStub::async::List, request, options()));
        QCOMPARE(QString::fromStdString(list.path()), workspace("Uploads"));
        const auto found = std::ranges::find(list.entries(), "listed.txt", &v1::FileEntry::name);
        QVERIFY(found != list.entries().end());
        QCOMPARE(found->kind(), v1::FILE_KIND_REGULAR);
        QCOMPARE(found->size_bytes(), 5);
    }

    void theClipboardIsWrittenReadAndFollowed()
    {
        m_board.follow();
        QByteArray picture("\x89PNG");
        for (quint32 i = 0; i < 1'000'000; ++i)
            picture.append(static_cast<char>(i * 2654435761U >> 24));
        QCOMPARE(copy("image/png", picture), QString());
        QVERIFY(waitUntil([&] { return m_board.state().kinds.size() == 1; }));
        QCOMPARE(m_board.state().kinds.first().type, QString("image/png"));
        QVERIFY(paste({}) == picture);
        QCOMPARE(copy("text/plain;charset=utf-8", "grüße 世界 🙂"), QString());
        QVERIFY(waitUntil([&] { return m_board.state().kinds.first().type != "image/png"; }));
        QCOMPARE(m_board.state().kinds.first().sizeBytes, QByteArray("grüße 世界 🙂").size());
        QCOMPARE(paste("text/plain;charset=utf-8"), QByteArray("grüße 世界 🙂"));
        QCOMPARE(copy("text/plain;charset=utf-8", {}), QString());
        QCOMPARE(paste("text/plain;charset=utf-8"), QByteArray());
        m_board.unfollow();
    }
    void theClipboardTakesOnlyWhatItMay()
    {
        QCOMPARE(copy("text/plain;charset=utf-8", "before"), QString());
        QCOMPARE(copy("application/x-program", "x"), QString("CLIPBOARD_TYPE_INVALID"));
        QCOMPARE(copy("text/html", QByteArray(1024 * 1024 + 1, 'x')), QString("CLIPBOARD_TOO_LARGE"));
        ClipboardCall half(m_session->async(), &SessionStub::async::WriteClipboard, options());
        v1::ClipboardChunk chunk;
        chunk.set_type("text/html");
        chunk.set_data("half");
        QVERIFY(QCoro::waitFor(half.write(chunk)));
        half.writesDone();
        QVERIFY(!QCoro::waitFor(half.read()));
        QCOMPARE(QCoro::waitFor(half.finish()).error().reason, QString("CLIPBOARD_INCOMPLETE"));
        QCOMPARE(paste({}), QByteArray("before"));
        QCOMPARE(paste("image/png"), QByteArray("CLIPBOARD_TYPE_MISSING"));
    }

    void textNeedsTheTakeOverOfItsCaller()
    {
        QCOMPARE(type("nobody", "x"), QString("NOT_IN_CONTROL"));
        QCOMPARE(type({}, "x"), QString("NOT_IN_CONTROL"));
        const auto ann = *m_baton.take("Ann", false);
        QCOMPARE(type("nobody", "x"), QString("NOT_IN_CONTROL"));
        QCOMPARE(type(ann.takeoverId, {}), QString("TEXT_EMPTY"));
        QCOMPARE(type(ann.takeoverId, QString(64 * 1024 + 1, 'x')), QString("TEXT_TOO_LONG"));
        QCOMPARE(type(ann.takeoverId, QString(QChar(27)) + "[A"), QString("TEXT_INVALID"));
        QCOMPARE(type(ann.takeoverId, "grüße"), QString("TEXT_NOT_TAKEN")); // no window is there
        m_baton.release(ann.id);
        QCOMPARE(type(ann.takeoverId, "x"), QString("NOT_IN_CONTROL"));
    }

private:
    QString workspace(const QString& path) const { return m_folder.filePath("workspace/" + path); }
    QStringList uploads() const
    {
        return QDir(workspace("Uploads")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    rpc::CallOptions options() const
    {
        const crypto::Credential credential{m_key.publicKey().keyId(), "box_1", "wake1",
                                            QDateTime::currentSecsSinceEpoch() + 60};
        return {.timeout = 20s, .metadata = {{crypto::kCredentialHeader, crypto::signCredential(credential, m_key)}}};
    }
    v1::FileEntry upload(const std::string& name, const QByteArray& content)
    {
        UploadCall call(m_files->async(), &FilesStub::async::Upload, options());
        bool isOpen = QCoro::waitFor(call.write(startOf(name, content.size())));
        for (qsizetype at = 0; isOpen && at < content.size(); at += 64 * 1024) {
            v1::UploadInput piece;
            piece.set_data(content.mid(at, 64 * 1024).toStdString());
            isOpen = QCoro::waitFor(call.write(piece));
        }
        v1::UploadInput end;
        end.set_complete(true);
        QCoro::waitFor(call.write(end));
        v1::FileEntry stored;
        while (const auto output = QCoro::waitFor(call.read()))
            if (output->has_stored()) stored = output->stored();
        const Result<void> ended = QCoro::waitFor(call.finish());
        if (!ended) qWarning("%s", qPrintable(ended.error().message));
        return stored;
    }
    // The reason when it failed.
    QString copy(const std::string& type, const QByteArray& content)
    {
        ClipboardCall call(m_session->async(), &SessionStub::async::WriteClipboard, options());
        qsizetype at = 0;
        bool isOpen = true;
        do {
            v1::ClipboardChunk chunk;
            if (at == 0) chunk.set_type(type);
            chunk.set_data(content.mid(at, 64 * 1024).toStdString());
            at += 64 * 1024;
            chunk.set_last(at >= content.size());
            isOpen = QCoro::waitFor(call.write(chunk));
        } while (isOpen && at < content.size());
        while (QCoro::waitFor(call.read())) {
        }
        const Result<void> end = QCoro::waitFor(call.finish());
        return end ? QString() : end.error().reason;
    }
    // The content, or the reason.
    QByteArray paste(const std::string& type)
    {
        v1::ReadClipboardRequest request;
        request.set_type(type);
        rpc::ClientReader<v1::ClipboardChunk> reader(m_session->async(), &SessionStub::async::ReadClipboard, request,
                                                     options());
        QByteArray content;
        bool isWhole = false;
        while (const auto chunk = QCoro::waitFor(reader.read())) {
            content.append(chunk->data().data(), static_cast<qsizetype>(chunk->data().size()));
            isWhole = chunk->last();
        }
        const Result<void> end = QCoro::waitFor(reader.finish());
        return end && isWhole ? content : end.error().reason.toUtf8();
    }
    QString type(const QString& takeoverId, const QString& text)
    {
        v1::InputTextRequest request;
        request.set_takeover_id(takeoverId.toStdString());
        request.set_text(text.toStdString());
        return reasonOf(rpc::call(m_session->async(), &SessionStub::async::InputText, request, options()));
    }
    void startToolhost(const QString& display)
    {
        QVERIFY(QDir(m_folder.path()).mkpath("run/tools") && QDir(m_folder.path()).mkpath("workspace"));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("COCOONBOX_AGENT__RUN_DIR", m_folder.filePath("run"));
        environment.insert("COCOONBOX_AGENT__WORKSPACE", m_folder.filePath("workspace"));
        environment.insert("COCOONBOX_AGENT__SERVE_USER", qEnvironmentVariable("USER", "root"));
        environment.insert("DISPLAY", display);
        m_toolhost.setProcessEnvironment(environment);
        m_toolhost.setWorkingDirectory(m_folder.filePath("workspace"));
        m_toolhost.start(COCOONBOX_BINARY_DIR "/bin/cocoonbox-agent-light", {"toolhost"});
        QVERIFY(m_toolhost.waitForStarted());
    }
    void startServices()
    {
        m_database = take(sql::Database::open({.url = "sqlite:" + m_folder.filePath("agent.db")}));
        m_transcript = std::make_unique<transcript::Transcript>(*m_database, m_clock);
        take(m_transcript->open());
        QFile identity(m_folder.filePath("identity"));
        QVERIFY(identity.open(QIODevice::WriteOnly));
        identity.write(crypto::encodeIdentity({"box_1", "wake1", m_key.publicKey().keyId(), m_key.publicKey()}));
        identity.close();
        m_gate = std::make_unique<session::Gate>(m_folder.filePath("identity"), m_clock);
        m_tools = std::make_unique<tools::ToolhostClient>(
            tools::ToolhostOptions{.socketFolder = m_folder.filePath("run/tools"), .uid = getuid(), .retryMin = 20ms});
        m_tools->start();
        m_watch = std::make_unique<desktop::ClipboardWatch>(m_board, *m_tools);
        m_text = std::make_unique<desktop::TextChannel>(m_baton, *m_tools);
        m_services.push_back(serve::rpc::makeFilesService(*m_gate, *m_tools));
        m_services.push_back(serve::rpc::makeSessionService({.gate = *m_gate,
                                                             .transcript = *m_transcript,
                                                             .drafts = m_drafts,
                                                             .baton = m_baton,
                                                             .clipboard = m_board,
                                                             .text = *m_text,
                                                             .toolhost = *m_tools}));
        cocoonbox::rpc::ServerOptions server;
        server.address = "unix:" + m_folder.filePath("agent.sock");
        for (const auto& service : m_services)
            server.services.push_back(service.get());
        m_server = *cocoonbox::rpc::Server::start(server);
        const auto channel = grpc::CreateChannel(server.address.toStdString(), grpc::InsecureChannelCredentials());
        m_session = v1::Session::NewStub(channel);
        m_files = v1::Files::NewStub(channel);
    }

    QTemporaryDir m_folder;
    QProcess m_x;
    QProcess m_toolhost;
    crypto::KeyPair m_key = *crypto::KeyPair::generate();
    SystemClock m_clock;
    std::unique_ptr<sql::Database> m_database;
    std::unique_ptr<transcript::Transcript> m_transcript;
    session::DraftBoard m_drafts;
    session::Baton m_baton{m_clock};
    session::ClipboardBoard m_board;
    std::unique_ptr<session::Gate> m_gate;
    std::unique_ptr<tools::ToolhostClient> m_tools;
    std::unique_ptr<desktop::ClipboardWatch> m_watch;
    std::unique_ptr<desktop::TextChannel> m_text;
    std::vector<std::unique_ptr<grpc::Service>> m_services;
    std::unique_ptr<cocoonbox::rpc::Server> m_server;
    std::unique_ptr<SessionStub> m_session;
    std::unique_ptr<FilesStub> m_files;
};

QTEST_GUILESS_MAIN(TestContent)
#include "tst_agent_content.moc"
