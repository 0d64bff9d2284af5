// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/account.h"
#include "app/client/api_client.h"
#include "app/client/box_session.h"

// What the view models ask of the world. The app answers by app/client (client_links.h); tests answer from memory, so
// that a view model is tried without a server. Functions and signals mean what they mean in app/client.
namespace cocoonbox::app::gui {

class BoxLink : public QObject {
    Q_OBJECT
public:
    virtual void start() = 0;
    virtual void retryNow() = 0;
    virtual client::SessionState state() const = 0;
    virtual QString message() const = 0;
    virtual QList<client::Agent> agents() const = 0;
    virtual client::Baton baton() const = 0;
    virtual bool holdsScreen() const = 0;

    virtual void openTranscript(const QString& agentId) = 0;
    virtual void closeTranscript(const QString& agentId) = 0;
    virtual const client::Transcript* transcript(const QString& agentId) const = 0;

    virtual Task<client::Agent> createAgent(QString title) = 0;
    virtual Task<client::SendAccepted> send(QString agentId, QString prompt) = 0;
    virtual Task<void> cancel(QString agentId) = 0;
    virtual Task<void> takeOver(QString label, bool steal) = 0;
    virtual void handBack() = 0;
    virtual std::shared_ptr<rfb::ByteStream> openScreen() = 0;

    virtual Task<void> inputText(QString text) = 0;
    virtual QList<client::ClipboardKind> clipboardKinds() const = 0;
    virtual Task<client::ClipboardContent> readClipboard(QString type) = 0;
    virtual Task<void> writeClipboard(client::ClipboardContent content) = 0;
    virtual Task<client::FileEntry> upload(client::BoxSession::UploadSource source,
                                           client::BoxSession::Progress progress, std::stop_token stop) = 0;
    virtual Task<client::FileEntry> download(QString path, std::shared_ptr<QIODevice> out,
                                             client::BoxSession::Progress progress, std::stop_token stop) = 0;
    virtual Task<client::FileList> listFiles(QString path) = 0;

signals:
    void stateChanged();
    void agentsReset();
    void agentChanged(const cocoonbox::app::client::Agent& agent);
    void transcriptReset(const QString& agentId);
    void entryAdded(const QString& agentId, qsizetype index);
    void entryChanged(const QString& agentId, qsizetype index);
    void draftChanged(const QString& agentId);
    void transcriptFailed(const QString& agentId, const cocoonbox::Error& error);
    void batonChanged();
    void screenLost(const QString& why);
    void clipboardChanged();
};

class ApiLink : public QObject {
    Q_OBJECT
public:
    virtual Task<client::User> whoAmI() = 0;
    virtual Task<client::Box> ensureBox(QString name) = 0;
    virtual Task<client::Operation> hibernateBox(QString boxId) = 0;
    virtual Task<client::Operation> deleteBox(QString boxId) = 0;
    virtual Task<void> followOperation(QString operationId, std::function<void(const client::OperationEvent&)> onEvent,
                                       std::stop_token stop) = 0;
    virtual void startWatching() = 0;
    virtual void retryNow() = 0;
    virtual QList<client::Box> boxes() const = 0;
    virtual bool hasBoxes() const = 0;
    virtual client::ConnectionState connectionState() const = 0;
    virtual QString connectionMessage() const = 0;
    // Must not outlive this link.
    virtual std::unique_ptr<BoxLink> openBox(const QString& boxId) = 0;

signals:
    void boxesChanged();
    void connectionChanged();
};

// Accounts: which one to start with, and keeping it.
class AccountLink {
public:
    virtual ~AccountLink() = default;
    virtual Task<client::Account> resolve(QString urlFlag) = 0;
    virtual Result<std::unique_ptr<ApiLink>> connect(client::Account account) = 0;
    // Answers where the token is kept, in words.
    virtual Task<QString> remember(QUrl apiUrl, Secret token) = 0;
    virtual Task<void> forget(QUrl apiUrl) = 0;
};

} // namespace cocoonbox::app::gui
