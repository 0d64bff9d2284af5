// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/box_session.h"

#include "app/client/api_client.h"
#include "app/client/convert.h"
#include "app/client/exec_channel.h"
#include "app/client/screen_channel.h"
// After the conversions it uses.
#include "app/client/ask.h"
#include "cocoonbox/agent/v1/session.grpc.pb.h"

#include <algorithm>
#include <QPointer>

namespace cocoonbox::app::client {

namespace wire = agent::v1;
using AsyncSession = class wire::Session::Stub::async;

struct BoxSession::Incoming {
    const wire::Event& event;
};

BoxSession::BoxSession(ApiClient& client, std::shared_ptr<Connection> connection, QString boxId, ClientName name)
    : m_client(client), m_connection(std::move(connection)), m_boxId(std::move(boxId)), m_clientName(name.name),
      m_clientVersion(name.version)
{
}

BoxSession::~BoxSession()
{
    handBack();
}

void BoxSession::start()
{
    if (m_state != SessionState::Idle) return;
    connect(&m_client, &ApiClient::boxesChanged, this, &BoxSession::onBoxesChanged);
    onBoxesChanged();
    setState(SessionState::Connecting, QStringLiteral("Connecting to the box …"));
    m_scope.spawn(follow(m_scope.stopToken()), QStringLiteral("following the box"));
}

void BoxSession::retryNow()
{
    m_pause.wake();
}

// Another state or another wake of the box is news: what failed may work now.
void BoxSession::onBoxesChanged()
{
    const Box* box = m_client.findBox(m_boxId);
    const QString seen = box ? boxStateName(box->state) + box->wakeId : QString();
    if (std::exchange(m_boxSeen, seen) != seen) m_pause.wake();
}

void BoxSession::setState(SessionState state, const QString& message)
{
    if (state == m_state && message == m_message) return;
    m_state = state;
    m_message = message;
    emit stateChanged();
}

Task<void> BoxSession::follow(std::stop_token stop)
{
    const QPointer self{this};
    for (;;) {
        const Result<void> end = co_await followOnce(stop);
        if (!self || stop.stop_requested()) co_return cancelled();
        m_lastError = end ? Error{ErrorCode::Unavailable, {}, QStringLiteral("EVENTS_ENDED"), {}, {}} : end.error();
        dropDrafts();
        if (!self) co_return cancelled();
        if (!end && (end.error().code == ErrorCode::Unauthenticated || end.error().code == ErrorCode::NotFound)) {
            setState(SessionState::Ended, end.error().message);
            co_return {};
        }
        const bool asleep = !end && end.error().reason == u"BOX_ASLEEP";
        setState(asleep ? SessionState::Asleep : SessionState::Connecting,
                 end ? QStringLiteral("The connection to the box ended; connecting again …") : end.error().message);
        if (!self) co_return cancelled();
        // The watched list tells when a sleeping box wakes; without it only trying does.
        const bool newsComes = asleep && m_client.connectionState() == ConnectionState::Connected;
        if (newsComes) {
            CO_TRY_VOID(co_await m_pause.waitForNews(stop));
        } else {
            CO_TRY_VOID(co_await m_pause.wait(stop));
        }
        if (!self) co_return cancelled();
        CO_TRY_VOID(co_await Connection::reconnect(m_connection, stop));
        if (!self) co_return cancelled();
    }
}

Task<void> BoxSession::followOnce(std::stop_token stop)
{
    const QPointer self{this};
    const auto connection = m_connection;
    CO_TRY_ASSIGN(const Hello hello, co_await sayHello());
    if (!self) co_return cancelled();
    m_hello = hello;
    if (m_offset < 0 || hello.lastOffset < m_offset) {
        m_offset = hello.lastOffset;
        CO_TRY_VOID(co_await readSnapshot(stop));
        if (!self) co_return cancelled();
    }
    const auto stub = wire::Session::NewStub(connection->channel());
    wire::EventsRequest request;
    request.set_from_offset(m_offset);
    rpc::ClientReader<wire::Event> reader(stub->async(), &AsyncSession::Events, request,
                                          connection->options(m_boxId, {}, stop));
    while (const auto event = co_await reader.read()) {
        if (!self) co_return cancelled();
        if (m_state != SessionState::Connected) {
            m_pause.reset();
            setState(SessionState::Connected, {});
            if (!self) co_return cancelled();
            loadOpenTranscripts();
        }
        apply({*event});
        if (!self) co_return cancelled();
    }
    co_return connection->explained(co_await reader.finish());
}

// The history is new to us: everything is read again, and events go on from where Hello stood before that.
Task<void> BoxSession::readSnapshot(std::stop_token)
{
    const QPointer self{this};
    CO_TRY_ASSIGN(const QList<Agent> agents, co_await listAgents());
    if (!self) co_return cancelled();
    m_agents = agents.first(std::min(agents.size(), kAgentsMax));
    for (Kept& kept : m_transcripts)
        kept.transcript = Transcript();
    emit agentsReset();
    co_return {};
}

void BoxSession::loadOpenTranscripts()
{
    for (auto it = m_transcripts.cbegin(); it != m_transcripts.cend(); ++it)
        if (it->open && !it->transcript.isLoaded())
            m_scope.spawn(loadTranscript(it.key(), m_scope.stopToken()), QStringLiteral("reading a transcript"));
}

void BoxSession::openTranscript(const QString& agentId)
{
    Kept& kept = m_transcripts[agentId];
    if (std::exchange(kept.open, true)) return;
    if (m_state == SessionState::Connected)
        m_scope.spawn(loadTranscript(agentId, m_scope.stopToken()), QStringLiteral("reading a transcript"));
}

void BoxSession::closeTranscript(const QString& agentId)
{
    m_transcripts.remove(agentId);
}

const Transcript* BoxSession::transcript(const QString& agentId) const
{
    const auto found = m_transcripts.constFind(agentId);
    return found != m_transcripts.cend() && found->open ? &found->transcript : nullptr;
}

// A failure that may pass is tried again at the next connection, by loadOpenTranscripts.
Task<void> BoxSession::loadTranscript(QString agentId, std::stop_token)
{
    const QPointer self{this};
    qint64 after = 0;
    for (;;) {
        const Result<Page> page = co_await readTranscript(agentId, after, 500);
        if (!self) co_return cancelled();
        const auto kept = m_transcripts.find(agentId);
        if (kept == m_transcripts.end() || !kept->open) co_return {};
        if (!page) {
            emit transcriptFailed(agentId, page.error());
            co_return {};
        }
        for (const Entry& entry : page->entries)
            kept->transcript.put(entry);
        kept->transcript.cutToLimit();
        const qint64 before = after; // a box that goes round in circles is not followed
        if (!page->entries.isEmpty()) after = page->entries.last().seq;
        if (page->hasMore && !page->entries.isEmpty() && page->entries.first().seq > before) continue;
        kept->transcript.setLoaded();
        emit transcriptReset(agentId);
        co_return {};
    }
}

void BoxSession::apply(const Incoming& incoming)
{
    const wire::Event& event = incoming.event;
    if (event.offset() > 0) {
        if (event.offset() <= m_offset) return;
        m_offset = event.offset();
    }
    switch (event.event_case()) {
    case wire::Event::kAgentChanged: return applyAgent(fromWire(event.agent_changed()));
    case wire::Event::kEntryAdded: return applyEntry(fromWire(event.entry_added()), true);
    case wire::Event::kEntryChanged: return applyEntry(fromWire(event.entry_changed()), false);
    case wire::Event::kDraft:
        return applyDraft(fromWire(event.draft().agent_id()), fromWire(event.draft().turn_id()),
                          event.draft().position(), fromWire(event.draft().text()));
    case wire::Event::kBatonChanged:
        if (const Baton baton = fromWire(event.baton_changed()); baton != m_baton) {
            m_baton = baton;
            emit batonChanged(m_baton);
        }
        return;
    case wire::Event::kClipboardChanged:
        m_clipboardKinds = fromWire(event.clipboard_changed());
        emit clipboardChanged();
        return;
    case wire::Event::EVENT_NOT_SET: return; // of a newer agent
    }
}

void BoxSession::applyAgent(const Agent& agent)
{
    const bool known = m_agents.removeIf([&](const Agent& a) { return a.agentId == agent.agentId; }) > 0;
    if (!known && m_agents.size() >= kAgentsMax) return;
    const auto at = std::ranges::find_if(m_agents, [&](const Agent& a) { return a.changedAtMs <= agent.changedAtMs; });
    m_agents.insert(at, agent);
    emit agentChanged(agent);
}

void BoxSession::applyEntry(const Entry& entry, bool added)
{
    const auto found = m_transcripts.find(entry.agentId);
    if (found == m_transcripts.end()) return;
    const QPointer self{this};
    Transcript& transcript = found->transcript;
    if (added && transcript.draft().turnId == entry.turnId && transcript.dropDraft()) {
        emit draftChanged(entry.agentId);
        if (!self) return;
    }
    const auto kept = m_transcripts.find(entry.agentId); // a listener may have closed it
    if (kept == m_transcripts.end() || !kept->open) return;
    const auto change = kept->transcript.put(entry);
    if (!change || !kept->transcript.isLoaded()) return;
    if (kept->transcript.cutToLimit())
        emit transcriptReset(entry.agentId);
    else if (change->added)
        emit entryAdded(entry.agentId, change->index);
    else
        emit entryChanged(entry.agentId, change->index);
}

void BoxSession::applyDraft(const QString& agentId, const QString& turnId, qint64 position, const QString& text)
{
    if (!m_transcripts.contains(agentId) && !findAgent(agentId)) return;
    m_transcripts[agentId].transcript.continueDraft(turnId, position, text);
    emit draftChanged(agentId);
}

// A connection's drafts end with it: the next one sends them whole.
void BoxSession::dropDrafts()
{
    const QPointer self{this};
    QStringList dropped;
    for (auto it = m_transcripts.begin(); it != m_transcripts.end(); ++it)
        if (it->transcript.dropDraft()) dropped.append(it.key());
    m_transcripts.removeIf([](QHash<QString, Kept>::iterator it) { return !it->open; });
    for (const QString& agentId : std::as_const(dropped))
        if (self) emit draftChanged(agentId);
}

const Agent* BoxSession::findAgent(const QString& agentId) const
{
    for (const Agent& agent : m_agents)
        if (agent.agentId == agentId) return &agent;
    return nullptr;
}

std::unique_ptr<ExecChannel> BoxSession::exec(const ExecStart& start)
{
    return std::make_unique<ExecChannel>(m_connection, m_boxId, start);
}

std::shared_ptr<rfb::ByteStream> BoxSession::openScreen()
{
    return openScreenChannel(m_connection, m_boxId);
}

} // namespace cocoonbox::app::client
