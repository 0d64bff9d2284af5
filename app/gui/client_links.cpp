// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/client_links.h"

namespace cocoonbox::app::gui {

namespace {

class ClientBoxLink final : public BoxLink {
public:
    explicit ClientBoxLink(std::unique_ptr<client::BoxSession> session) : m_session(std::move(session))
    {
        const client::BoxSession* from = m_session.get();
        connect(from, &client::BoxSession::stateChanged, this, &BoxLink::stateChanged);
        connect(from, &client::BoxSession::agentsReset, this, &BoxLink::agentsReset);
        connect(from, &client::BoxSession::agentChanged, this, &BoxLink::agentChanged);
        connect(from, &client::BoxSession::transcriptReset, this, &BoxLink::transcriptReset);
        connect(from, &client::BoxSession::entryAdded, this, &BoxLink::entryAdded);
        connect(from, &client::BoxSession::entryChanged, this, &BoxLink::entryChanged);
        connect(from, &client::BoxSession::draftChanged, this, &BoxLink::draftChanged);
        connect(from, &client::BoxSession::transcriptFailed, this, &BoxLink::transcriptFailed);
        connect(from, &client::BoxSession::batonChanged, this, &BoxLink::batonChanged);
        connect(from, &client::BoxSession::screenLost, this, &BoxLink::screenLost);
        connect(from, &client::BoxSession::clipboardChanged, this, &BoxLink::clipboardChanged);
    }

    void start() override { m_session->start(); }
    void retryNow() override { m_session->retryNow(); }
    client::SessionState state() const override { return m_session->state(); }
    QString message() const override { return m_session->message(); }
    QList<client::Agent> agents() const override { return m_session->agents(); }
    client::Baton baton() const override { return m_session->baton(); }
    bool holdsScreen() const override { return m_session->holdsScreen(); }
    void openTranscript(const QString& agentId) override { m_session->openTranscript(agentId); }
    void closeTranscript(const QString& agentId) override { m_session->closeTranscript(agentId); }
    const client::Transcript* transcript(const QString& agentId) const override
    {
        return m_session->transcript(agentId);
    }
    Task<client::Agent> createAgent(QString title) override { return m_session->createAgent(std::move(title)); }
    Task<client::SendAccepted> send(QString agentId, QString prompt) override
    {
        return m_session->send(std::move(agentId), std::move(prompt));
    }
    Task<void> cancel(QString agentId) override { return m_session->cancel(std::move(agentId)); }
    Task<void> takeOver(QString label, bool steal) override { return m_session->takeOver(std::move(label), steal); }
    void handBack() override { m_session->handBack(); }
    std::shared_ptr<rfb::ByteStream> openScreen() override { return m_session->openScreen(); }
    Task<void> inputText(QString text) override { return m_session->inputText(std::move(text)); }
    QList<client::ClipboardKind> clipboardKinds() const override { return m_session->clipboardKinds(); }
    Task<client::ClipboardContent> readClipboard(QString type) override
    {
        return m_session->readClipboard(std::move(type));
    }
    Task<void> writeClipboard(client::ClipboardContent content) override
    {
        return m_session->writeClipboard(std::move(content));
    }
    Task<client::FileEntry> upload(client::BoxSession::UploadSource source, client::BoxSession::Progress progress,
                                   std::stop_token stop) override
    {
        return m_session->upload(std::move(source), std::move(progress), std::move(stop));
    }
    Task<client::FileEntry> download(QString path, std::shared_ptr<QIODevice> out,
                                     client::BoxSession::Progress progress, std::stop_token stop) override
    {
        return m_session->download(std::move(path), std::move(out), std::move(progress), std::move(stop));
    }
    Task<client::FileList> listFiles(QString path) override { return m_session->listFiles(std::move(path)); }

private:
    std::unique_ptr<client::BoxSession> m_session;
};

class ClientApiLink final : public ApiLink {
public:
    explicit ClientApiLink(std::unique_ptr<client::ApiClient> client) : m_client(std::move(client))
    {
        connect(m_client.get(), &client::ApiClient::boxesChanged, this, &ApiLink::boxesChanged);
        connect(m_client.get(), &client::ApiClient::connectionChanged, this, &ApiLink::connectionChanged);
    }

    Task<client::User> whoAmI() override { return m_client->whoAmI(); }
    Task<client::Box> ensureBox(QString name) override { return m_client->ensureBox(std::move(name)); }
    Task<client::Operation> hibernateBox(QString boxId) override { return m_client->hibernateBox(std::move(boxId)); }
    Task<client::Operation> deleteBox(QString boxId) override { return m_client->deleteBox(std::move(boxId)); }
    Task<void> followOperation(QString operationId, std::function<void(const client::OperationEvent&)> onEvent,
                               std::stop_token stop) override
    {
        return m_client->followOperation(std::move(operationId), std::move(onEvent), std::move(stop));
    }
    void startWatching() override { m_client->startWatching(); }
    void retryNow() override { m_client->retryNow(); }
    QList<client::Box> boxes() const override { return m_client->boxes(); }
    bool hasBoxes() const override { return m_client->hasBoxes(); }
    client::ConnectionState connectionState() const override { return m_client->connectionState(); }
    QString connectionMessage() const override { return m_client->connectionMessage(); }
    std::unique_ptr<BoxLink> openBox(const QString& boxId) override
    {
        return std::make_unique<ClientBoxLink>(m_client->openBox(boxId));
    }

private:
    std::unique_ptr<client::ApiClient> m_client;
};

} // namespace

ClientAccountLink::ClientAccountLink(const QProcessEnvironment& environment)
    : m_environment(environment), m_store(client::TokenStore::optionsFrom(environment))
{
}

Task<client::Account> ClientAccountLink::resolve(QString urlFlag)
{
    return client::resolveAccount(m_store, std::move(urlFlag), m_environment);
}

Result<std::unique_ptr<ApiLink>> ClientAccountLink::connect(client::Account account)
{
    TRY_ASSIGN(auto client, client::ApiClient::create(std::move(account), {QStringLiteral("cocoonbox-app"),
                                                                           QStringLiteral(COCOONBOX_VERSION)}));
    return std::make_unique<ClientApiLink>(std::move(client));
}

Task<QString> ClientAccountLink::remember(QUrl apiUrl, Secret token)
{
    return m_store.save(std::move(apiUrl), std::move(token));
}

Task<void> ClientAccountLink::forget(QUrl apiUrl)
{
    return m_store.forget(std::move(apiUrl));
}

} // namespace cocoonbox::app::gui
