// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/app/gui/fake_links.h"

namespace cocoonbox::test {

using client::SessionState;

Result<void> FakeBoxLink::outcome()
{
    if (!nextError) return {};
    return std::unexpected(*std::exchange(nextError, std::nullopt));
}

Task<client::Agent> FakeBoxLink::createAgent(QString title)
{
    CO_TRY_VOID(outcome());
    createdTitles.append(title);
    co_return makeAgent(QStringLiteral("agt_new%1").arg(createdTitles.size()), title, client::AgentState::Idle, 1);
}

Task<client::SendAccepted> FakeBoxLink::send(QString agentId, QString prompt)
{
    CO_TRY_VOID(outcome());
    sentPrompts.append({agentId, prompt});
    co_return client::SendAccepted{QStringLiteral("turn_1"), 1};
}

Task<void> FakeBoxLink::cancel(QString agentId)
{
    CO_TRY_VOID(outcome());
    cancelled.append(agentId);
    co_return {};
}

Task<void> FakeBoxLink::takeOver(QString label, bool steal)
{
    CO_TRY_VOID(outcome());
    if (!batonNow.heldBy.isEmpty() && !steal)
        co_return fail(ErrorCode::FailedPrecondition, QStringLiteral("%1 holds the screen.").arg(batonNow.heldBy),
                       QStringLiteral("BATON_HELD"));
    holding = true;
    batonNow.heldBy = label;
    emit batonChanged();
    co_return {};
}

void FakeBoxLink::handBack()
{
    holding = false;
    batonNow = {};
    emit batonChanged();
}

std::shared_ptr<rfb::ByteStream> FakeBoxLink::openScreen()
{
    ++screensOpened;
    screen = std::make_shared<FakeScreen>(desktop);
    screen->holdPictures(heldPictures);
    if (!reachable) screen->end();
    return screen;
}

QCoro::Task<void> FakeBoxLink::waitIfSlow(std::stop_token stop)
{
    if (!slow) co_return;
    m_waiting.append(Promise<bool>());
    const std::stop_callback wake(stop, [promise = m_waiting.last()] { promise.set(true); });
    co_await m_waiting.last().get();
}

void FakeBoxLink::goOn()
{
    slow = false;
    for (const Promise<bool>& promise : std::exchange(m_waiting, {}))
        promise.set(true);
}

Task<void> FakeBoxLink::inputText(QString text)
{
    co_await waitIfSlow();
    CO_TRY_VOID(outcome());
    texts.append(text);
    co_return {};
}

Task<client::ClipboardContent> FakeBoxLink::readClipboard(QString type)
{
    CO_TRY_VOID(outcome());
    if (clipboard.type != type && !type.isEmpty())
        co_return fail(ErrorCode::NotFound, QStringLiteral("The clipboard holds no %1.").arg(type),
                       QStringLiteral("CLIPBOARD_TYPE_MISSING"));
    co_return client::ClipboardContent(clipboard);
}

Task<void> FakeBoxLink::writeClipboard(client::ClipboardContent content)
{
    CO_TRY_VOID(outcome());
    clipboard = content;
    ++clipboardWrites;
    co_return {};
}

Task<client::FileEntry> FakeBoxLink::upload(client::BoxSession::UploadSource source,
                                            client::BoxSession::Progress progress, std::stop_token stop)
{
    const QByteArray bytes = source.file->readAll();
    if (progress) progress(bytes.size() / 2, bytes.size());
    co_await waitIfSlow(stop);
    if (stop.stop_requested()) {
        stopped.append(source.name);
        co_return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    }
    CO_TRY_VOID(outcome());
    const QString path = QStringLiteral("/workspace/Uploads/") + source.name;
    files.insert(path, bytes);
    co_return client::FileEntry{source.name, path, client::FileKind::Regular, bytes.size(), 1};
}

Task<client::FileEntry> FakeBoxLink::download(QString path, std::shared_ptr<QIODevice> out,
                                              client::BoxSession::Progress progress, std::stop_token stop)
{
    if (!files.contains(path))
        co_return fail(ErrorCode::NotFound, QStringLiteral("There is no file %1 in the box.").arg(path),
                       QStringLiteral("FILE_UNKNOWN"));
    const QByteArray bytes = files.value(path);
    out->write(bytes.first(bytes.size() / 2));
    if (progress) progress(bytes.size() / 2, bytes.size());
    co_await waitIfSlow(stop);
    if (stop.stop_requested()) {
        stopped.append(path);
        co_return fail(ErrorCode::Cancelled, QStringLiteral("Cancelled."));
    }
    CO_TRY_VOID(outcome());
    out->write(bytes.sliced(bytes.size() / 2));
    co_return client::FileEntry{path.section(u'/', -1), path, client::FileKind::Regular, bytes.size(), 1};
}

// The files whose names continue the folder's, and the folders between.
Task<client::FileList> FakeBoxLink::listFiles(QString path)
{
    CO_TRY_VOID(outcome());
    const QString folder = path.isEmpty() ? QStringLiteral("/workspace") : path;
    QMap<QString, client::FileEntry> folders;
    QMap<QString, client::FileEntry> regular;
    for (const auto& [name, bytes] : files.asKeyValueRange()) {
        if (!name.startsWith(folder + u'/')) continue;
        const QString rest = name.sliced(folder.size() + 1);
        const QString first = rest.section(u'/', 0, 0);
        if (rest == first)
            regular.insert(first, {first, name, client::FileKind::Regular, bytes.size(), 1});
        else
            folders.insert(first, {first, folder + u'/' + first, client::FileKind::Folder, 0, 1});
    }
    co_return client::FileList{folder, folders.values() + regular.values(), false};
}

void FakeBoxLink::sayClipboard(const client::ClipboardContent& content)
{
    clipboard = content;
    kinds = {{content.type, content.bytes.size()}};
    emit clipboardChanged();
}

void FakeBoxLink::say(SessionState state, const QString& message)
{
    sessionState = state;
    sessionMessage = message;
    emit stateChanged();
}

void FakeBoxLink::sayAgents(const QList<client::Agent>& agents)
{
    agentList = agents;
    emit agentsReset();
}

void FakeBoxLink::sayAgent(const client::Agent& agent)
{
    emit agentChanged(agent);
}

void FakeBoxLink::sayTranscript(const QString& agentId, const QList<client::Entry>& entries)
{
    client::Transcript transcript;
    for (const client::Entry& entry : entries)
        transcript.put(entry);
    transcript.setLoaded();
    transcripts[agentId] = transcript;
    emit transcriptReset(agentId);
}

void FakeBoxLink::sayEntry(const client::Entry& entry)
{
    client::Transcript& transcript = transcripts[entry.agentId];
    if (entry.kind != client::EntryKind::ToolCall) transcript.dropDraft();
    const auto change = transcript.put(entry);
    if (!change) return;
    if (change->added)
        emit entryAdded(entry.agentId, change->index);
    else
        emit entryChanged(entry.agentId, change->index);
}

void FakeBoxLink::sayDraft(const QString& agentId, const QString& turnId, const QString& text)
{
    client::Transcript& transcript = transcripts[agentId];
    transcript.continueDraft(turnId, transcript.draft().text.size(), text);
    emit draftChanged(agentId);
}

void FakeBoxLink::sayBaton(const QString& heldBy)
{
    batonNow = {heldBy, 1};
    holding = false;
    emit batonChanged();
}

void FakeBoxLink::loseScreen(const QString& why)
{
    holding = false;
    batonNow = {};
    emit screenLost(why);
}

Task<client::User> FakeApiLink::whoAmI()
{
    co_return user;
}

Task<client::Box> FakeApiLink::ensureBox(QString name)
{
    if (nextError) co_return std::unexpected(*std::exchange(nextError, std::nullopt));
    ensured.append(name);
    co_return makeBox(name, client::BoxState::Starting);
}

Task<client::Operation> FakeApiLink::hibernateBox(QString boxId)
{
    if (nextError) co_return std::unexpected(*std::exchange(nextError, std::nullopt));
    hibernated.append(boxId);
    co_return client::Operation{QStringLiteral("op_1"), boxId};
}

Task<client::Operation> FakeApiLink::deleteBox(QString boxId)
{
    if (nextError) co_return std::unexpected(*std::exchange(nextError, std::nullopt));
    deleted.append(boxId);
    co_return client::Operation{QStringLiteral("op_1"), boxId};
}

Task<void> FakeApiLink::followOperation(QString operationId, std::function<void(const client::OperationEvent&)> onEvent,
                                        std::stop_token)
{
    followers.insert(operationId, std::move(onEvent));
    co_return {};
}

std::unique_ptr<gui::BoxLink> FakeApiLink::openBox(const QString& boxId)
{
    auto link = std::make_unique<FakeBoxLink>();
    links.insert(boxId, link.get());
    connect(link.get(), &FakeBoxLink::destroyedLink, this, [this, boxId] { links.remove(boxId); });
    if (onOpen) onOpen(*link);
    return link;
}

void FakeApiLink::sayBoxes(const QList<client::Box>& boxes)
{
    listed = true;
    boxList = boxes;
    emit boxesChanged();
}

void FakeApiLink::say(client::ConnectionState state, const QString& text)
{
    connection = state;
    message = text;
    emit connectionChanged();
}

Task<client::Account> FakeAccountLink::resolve(QString)
{
    co_return account;
}

Result<std::unique_ptr<gui::ApiLink>> FakeAccountLink::connect(client::Account)
{
    auto link = std::make_unique<FakeApiLink>();
    api = link.get();
    if (onConnect) onConnect(*link);
    return link;
}

Task<QString> FakeAccountLink::remember(QUrl, Secret token)
{
    remembered.append(token.reveal("test"));
    co_return QStringLiteral("system keychain");
}

Task<void> FakeAccountLink::forget(QUrl apiUrl)
{
    forgotten.append(apiUrl);
    co_return {};
}

client::Box makeBox(const QString& name, client::BoxState state)
{
    client::Box box;
    box.boxId = QStringLiteral("box_") + name;
    box.name = name;
    box.state = state;
    box.cpus = 2;
    box.memoryBytes = 4LL << 30;
    return box;
}

client::Agent makeAgent(const QString& agentId, const QString& title, client::AgentState state, qint64 changedAtMs)
{
    client::Agent agent;
    agent.agentId = agentId;
    agent.title = title;
    agent.state = state;
    agent.turnId = state == client::AgentState::Idle ? QString() : QStringLiteral("turn_1");
    agent.changedAtMs = changedAtMs;
    return agent;
}

client::Entry makeEntry(const QString& agentId, qint64 seq, client::EntryKind kind, const QString& text)
{
    client::Entry entry;
    entry.seq = seq;
    entry.agentId = agentId;
    entry.kind = kind;
    entry.text = text;
    entry.atMs = 1000 * seq;
    return entry;
}

client::Entry makeToolCall(const QString& agentId, qint64 seq, const QString& tool, const QString& summary,
                           client::ToolState state, const QString& output)
{
    client::Entry entry = makeEntry(agentId, seq, client::EntryKind::ToolCall, {});
    entry.toolCall.tool = tool;
    entry.toolCall.summary = summary;
    entry.toolCall.argumentsJson = QStringLiteral("{\"command\":\"%1\"}").arg(summary);
    entry.toolCall.state = state;
    entry.toolCall.output = output;
    entry.toolCall.startedAtMs = 1000;
    entry.toolCall.endedAtMs = state == client::ToolState::Done || state == client::ToolState::Failed ? 2400 : 0;
    return entry;
}

} // namespace cocoonbox::test
