// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/links.h"
#include "common/async/wait.h"
#include "tests/app/gui/fake_screen.h"

namespace cocoonbox::test {

using namespace app;

// A box in memory. A test sets what it says and emits the signals by `say…`; calls are recorded.
class FakeBoxLink final : public gui::BoxLink {
    Q_OBJECT
public:
    ~FakeBoxLink() override { emit destroyedLink(); }

    void start() override { started = true; }
    void retryNow() override { ++retries; }
    client::SessionState state() const override { return sessionState; }
    QString message() const override { return sessionMessage; }
    QList<client::Agent> agents() const override { return agentList; }
    client::Baton baton() const override { return batonNow; }
    bool holdsScreen() const override { return holding; }
    void openTranscript(const QString& agentId) override { transcripts[agentId]; }
    void closeTranscript(const QString& agentId) override { transcripts.remove(agentId); }
    const client::Transcript* transcript(const QString& agentId) const override
    {
        const auto found = transcripts.find(agentId);
        return found == transcripts.end() ? nullptr : &*found;
    }
    Task<client::Agent> createAgent(QString title) override;
    Task<client::SendAccepted> send(QString agentId, QString prompt) override;
    Task<void> cancel(QString agentId) override;
    Task<void> takeOver(QString label, bool steal) override;
    void handBack() override;
    std::shared_ptr<rfb::ByteStream> openScreen() override;
    Task<void> inputText(QString text) override;
    QList<client::ClipboardKind> clipboardKinds() const override { return kinds; }
    Task<client::ClipboardContent> readClipboard(QString type) override;
    Task<void> writeClipboard(client::ClipboardContent content) override;
    Task<client::FileEntry> upload(client::BoxSession::UploadSource source, client::BoxSession::Progress progress,
                                   std::stop_token stop) override;
    Task<client::FileEntry> download(QString path, std::shared_ptr<QIODevice> out,
                                     client::BoxSession::Progress progress, std::stop_token stop) override;
    Task<client::FileList> listFiles(QString path) override;

    void say(client::SessionState state, const QString& message = {});
    void sayAgents(const QList<client::Agent>& agents);
    void sayAgent(const client::Agent& agent);
    void sayTranscript(const QString& agentId, const QList<client::Entry>& entries);
    void sayEntry(const client::Entry& entry);
    void sayDraft(const QString& agentId, const QString& turnId, const QString& text);
    void sayBaton(const QString& heldBy);
    void loseScreen(const QString& why);
    // What is copied in the box; told to the client as its type only.
    void sayClipboard(const client::ClipboardContent& content);
    // Lets the texts and transfers that wait (`slow`) go on.
    void goOn();

    bool started = false;
    int retries = 0;
    client::SessionState sessionState = client::SessionState::Idle;
    QString sessionMessage;
    QList<client::Agent> agentList;
    client::Baton batonNow;
    bool holding = false;
    QHash<QString, client::Transcript> transcripts;
    QImage desktop = QImage(64, 48, QImage::Format_RGB32);
    std::shared_ptr<FakeScreen> screen;
    int screensOpened = 0;
    bool reachable = true;     // else each screen ends at once
    bool heldPictures = false; // screens that are opened hold theirs

    std::optional<Error> nextError; // what the next call answers instead of success
    struct Sent {
        QString agentId;
        QString prompt;
        bool operator==(const Sent&) const = default;
    };
    QList<Sent> sentPrompts;
    QStringList cancelled;
    QStringList createdTitles;
    bool slow = false; // texts and transfers wait for `goOn`
    QStringList texts; // that were inserted
    QList<client::ClipboardKind> kinds;
    client::ClipboardContent clipboard; // of the box
    int clipboardWrites = 0;
    QHash<QString, QByteArray> files; // of the box, by path
    QStringList stopped;              // transfers that were cancelled

signals:
    void destroyedLink();

private:
    Result<void> outcome();
    QCoro::Task<void> waitIfSlow(std::stop_token stop = {});

    QList<Promise<bool>> m_waiting;
};

class FakeApiLink final : public gui::ApiLink {
    Q_OBJECT
public:
    Task<client::User> whoAmI() override;
    Task<client::Box> ensureBox(QString name) override;
    Task<client::Operation> hibernateBox(QString boxId) override;
    Task<client::Operation> deleteBox(QString boxId) override;
    Task<void> followOperation(QString operationId, std::function<void(const client::OperationEvent&)> onEvent,
                               std::stop_token stop) override;
    void startWatching() override { watching = true; }
    void retryNow() override { ++retries; }
    QList<client::Box> boxes() const override { return boxList; }
    bool hasBoxes() const override { return listed; }
    client::ConnectionState connectionState() const override { return connection; }
    QString connectionMessage() const override { return message; }
    std::unique_ptr<gui::BoxLink> openBox(const QString& boxId) override;

    void sayBoxes(const QList<client::Box>& boxes);
    void say(client::ConnectionState state, const QString& text);

    bool watching = false;
    int retries = 0;
    bool listed = false;
    QList<client::Box> boxList;
    client::ConnectionState connection = client::ConnectionState::Connected;
    QString message;
    Result<client::User> user = client::User{QStringLiteral("usr_1"), QStringLiteral("Mira"), 1};
    std::optional<Error> nextError;
    QStringList ensured;
    QStringList hibernated;
    QStringList deleted;
    QHash<QString, std::function<void(const client::OperationEvent&)>> followers;
    // Prepares the link of a box that is opened.
    std::function<void(FakeBoxLink&)> onOpen;
    QHash<QString, FakeBoxLink*> links; // open ones
};

class FakeAccountLink final : public gui::AccountLink {
public:
    Task<client::Account> resolve(QString urlFlag) override;
    Result<std::unique_ptr<gui::ApiLink>> connect(client::Account account) override;
    Task<QString> remember(QUrl apiUrl, Secret token) override;
    Task<void> forget(QUrl apiUrl) override;

    client::Account account;
    // Prepares each connection.
    std::function<void(FakeApiLink&)> onConnect;
    QPointer<FakeApiLink> api; // the newest
    QList<QByteArray> remembered;
    QList<QUrl> forgotten;
};

client::Box makeBox(const QString& name, client::BoxState state);
client::Agent makeAgent(const QString& agentId, const QString& title, client::AgentState state, qint64 changedAtMs);
client::Entry makeEntry(const QString& agentId, qint64 seq, client::EntryKind kind, const QString& text);
client::Entry makeToolCall(const QString& agentId, qint64 seq, const QString& tool, const QString& summary,
                           client::ToolState state, const QString& output);

} // namespace cocoonbox::test
