// SPDX-License-Identifier: AGPL-3.0-only
#include "fake_api.h"

#include "fake_api_services.h"

namespace cocoonbox::tests {

FakeApi::FakeApi() : m_services(std::make_unique<Services>(*this))
{
    start();
}

FakeApi::~FakeApi()
{
    stop();
}

void FakeApi::start()
{
    Services& s = *m_services;
    s.stopping = false;
    auto server = rpc::Server::start({.address = u"127.0.0.1:%1"_s.arg(m_port),
                                      .services = {&s.users, &s.boxes, &s.session, &s.agents, &s.exec, &s.files}});
    if (!server) qFatal("%s", qPrintable(server.error().message));
    s.server = *std::move(server);
    m_port = s.server->port();
}

void FakeApi::stop()
{
    Services& s = *m_services;
    if (!s.server) return;
    s.stopping = true;
    s.boxChanges.tell();
    s.eventChanges.tell();
    QCoro::waitFor(s.server->stop(std::chrono::milliseconds(50)));
    s.server.reset();
}

QUrl FakeApi::url() const
{
    return QUrl(u"http://127.0.0.1:%1"_s.arg(m_port));
}

void FakeApi::boxesChanged()
{
    m_services->boxChanges.tell();
}

client::Box& FakeApi::addBox(const QString& name, client::BoxState state)
{
    client::Box box;
    box.boxId = u"box_%1"_s.arg(boxes.size() + 1);
    box.name = name;
    box.state = state;
    box.flavor = u"small"_s;
    box.stateChangedAtMs = kNow;
    box.createdAtMs = kNow;
    boxes.append(box);
    return boxes.last();
}

int FakeApi::watchers() const
{
    return m_services->watcherCount;
}

int FakeApi::eventCalls() const
{
    return m_services->eventCallCount;
}

void FakeApi::breakEventCalls()
{
    ++m_services->eventGeneration;
    m_services->eventChanges.tell();
}

void FakeApi::tellClipboard(const QList<client::ClipboardKind>& kinds)
{
    agent::Event event;
    for (const client::ClipboardKind& kind : kinds) {
        auto* out = event.mutable_clipboard_changed()->add_kinds();
        out->set_type(kind.type.toStdString());
        out->set_size_bytes(kind.sizeBytes);
    }
    m_services->log(event, false);
}

void FakeApi::addAgent(const QString& agentId, const QString& title)
{
    m_services->agentList.append({agentId, title, client::AgentState::Idle, {}, kNow, ++m_services->clock});
    agent::Event event;
    *event.mutable_agent_changed() = wireAgent(m_services->agentList.last());
    m_services->log(event, true);
}

void FakeApi::setAgent(const QString& agentId, client::AgentState state, const QString& turnId)
{
    client::Agent* changed = m_services->findAgent(agentId);
    changed->state = state;
    changed->turnId = turnId;
    changed->changedAtMs = ++m_services->clock;
    agent::Event event;
    *event.mutable_agent_changed() = wireAgent(*changed);
    m_services->log(event, true);
}

client::Entry FakeApi::addEntry(const QString& agentId, client::EntryKind kind, const QString& words,
                                const QString& turnId)
{
    QList<client::Entry>& all = m_services->entries[agentId];
    client::Entry entry{all.size() + 1, agentId, turnId, kind, words, {}, ++m_services->clock};
    all.append(entry);
    m_services->drafts.remove(agentId);
    agent::Event event;
    *event.mutable_entry_added() = wireEntry(entry);
    m_services->log(event, true);
    return entry;
}

client::Entry FakeApi::addToolCall(const QString& agentId, const QString& tool, const QString& summary,
                                   const QString& turnId)
{
    QList<client::Entry>& all = m_services->entries[agentId];
    client::Entry entry{all.size() + 1, agentId, turnId, client::EntryKind::ToolCall, {}, {}, ++m_services->clock};
    entry.toolCall = {u"call_%1"_s.arg(entry.seq), tool, summary, u"{}"_s, client::ToolState::Running, {}, 0, 0};
    all.append(entry);
    agent::Event event;
    *event.mutable_entry_added() = wireEntry(entry);
    m_services->log(event, true);
    return entry;
}

void FakeApi::changeEntry(client::Entry entry)
{
    m_services->entries[entry.agentId][entry.seq - 1] = entry;
    agent::Event event;
    *event.mutable_entry_changed() = wireEntry(entry);
    m_services->log(event, true);
}

void FakeApi::writeDraft(const QString& agentId, const QString& turnId, const QString& more)
{
    client::Draft& draft = m_services->drafts[agentId];
    if (draft.turnId != turnId) draft = {turnId, {}};
    const qsizetype position = draft.text.size();
    draft.text += more;
    m_services->log(Services::Session::draftEvent(agentId, turnId, position, more), false);
}

void FakeApi::loseHistory()
{
    m_services->events.clear();
    m_services->entries.clear();
    m_services->agentList.clear();
    m_services->drafts.clear();
    m_services->lastOffset = 0;
    breakEventCalls();
}

} // namespace cocoonbox::tests
