// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/conversation_model.h"

#include "common/base/limits.h"

namespace cocoonbox::app::gui {

namespace {
constexpr int kTitleLength = 60; // of an agent named after its first prompt

QString titleFrom(const QString& prompt)
{
    const QString line = prompt.trimmed().section(u'\n', 0, 0);
    return line.size() <= kTitleLength ? line : line.left(kTitleLength - 1).trimmed() + QChar(0x2026);
}
} // namespace

ConversationModel::ConversationModel(AgentListModel& agents, QObject* parent) : QObject(parent), m_agents(agents) {}

ConversationModel::~ConversationModel()
{
    m_scope.requestStop();
}

QString ConversationModel::title() const
{
    const client::Agent* agent = m_agents.findAgent(m_agentId);
    return agent && !agent->title.isEmpty() ? agent->title : tr("New agent");
}

bool ConversationModel::isWorking() const
{
    const client::Agent* agent = m_agents.findAgent(m_agentId);
    return agent && !agent->turnId.isEmpty();
}

bool ConversationModel::waitsForScreen() const
{
    const client::Agent* agent = m_agents.findAgent(m_agentId);
    return agent && agent->state == client::AgentState::WaitingForScreen;
}

QString ConversationModel::blockedReason() const
{
    if (!m_whyNot.isEmpty()) return m_whyNot;
    if (isWorking()) return tr("The agent is working. Stop it, or wait until it has finished.");
    return {};
}

void ConversationModel::setLink(BoxLink* link, const QString& whyNot)
{
    if (m_link) m_link->disconnect(this);
    m_link = link;
    open({});
    setWhyNot(whyNot);
    if (!link) return;
    connect(link, &BoxLink::transcriptReset, this, [this](const QString& id) {
        if (id == m_agentId) showTranscript();
    });
    connect(link, &BoxLink::entryAdded, this, [this](const QString& id, qsizetype index) {
        const client::Transcript* transcript = m_link->transcript(id);
        if (id == m_agentId && transcript) m_transcript.addEntry(*transcript, index);
    });
    connect(link, &BoxLink::entryChanged, this, [this](const QString& id, qsizetype index) {
        const client::Transcript* transcript = m_link->transcript(id);
        if (id == m_agentId && transcript) m_transcript.changeEntry(*transcript, index);
    });
    connect(link, &BoxLink::draftChanged, this, [this](const QString& id) {
        const client::Transcript* transcript = m_link->transcript(id);
        if (id == m_agentId && transcript) m_transcript.setDraft(transcript->draft());
    });
    connect(link, &BoxLink::transcriptFailed, this, [this](const QString& id, const Error& error) {
        if (id != m_agentId) return;
        setLoading(false);
        setError(error.message);
    });
}

void ConversationModel::setWhyNot(const QString& whyNot)
{
    if (whyNot == m_whyNot) return;
    m_whyNot = whyNot;
    emit canSendChanged();
}

void ConversationModel::open(const QString& agentId)
{
    if (agentId == m_agentId) return;
    if (m_link && !m_agentId.isEmpty()) m_link->closeTranscript(m_agentId);
    m_agentId = agentId;
    m_transcript.clear();
    setError({});
    emit agentIdChanged();
    agentsChanged();
    setLoading(m_link && !agentId.isEmpty());
    if (!m_link || agentId.isEmpty()) return;
    m_link->openTranscript(agentId);
    const client::Transcript* transcript = m_link->transcript(agentId);
    if (transcript && transcript->isLoaded()) showTranscript();
}

void ConversationModel::showTranscript()
{
    setLoading(false);
    if (const client::Transcript* transcript = m_link->transcript(m_agentId)) m_transcript.setTranscript(*transcript);
}

void ConversationModel::agentsChanged()
{
    emit agentChanged();
    emit canSendChanged();
}

void ConversationModel::send(const QString& prompt)
{
    if (!canSend() || !m_link || prompt.trimmed().isEmpty()) return;
    if (prompt.toUtf8().size() > limits::kPromptBytesMax) {
        setError(tr("The message is longer than 256 KB. Put the text in a file in the box and name the file."));
        return;
    }
    setError({});
    setSending(true);
    m_scope.spawn(sendPrompt(prompt.trimmed()), QStringLiteral("sending a prompt"));
}

Task<void> ConversationModel::sendPrompt(QString prompt)
{
    const QPointer self(this);
    const QPointer link(m_link);
    QString agentId = m_agentId;
    if (agentId.isEmpty()) {
        const Result<client::Agent> agent = co_await link->createAgent(titleFrom(prompt));
        if (!self || !link) co_return {};
        if (!agent) {
            setSending(false);
            setError(agent.error().message);
            co_return {};
        }
        agentId = agent->agentId;
        m_agents.putAgent(*agent);
        open(agentId);
    }
    const Result<client::SendAccepted> accepted = co_await link->send(agentId, prompt);
    if (!self) co_return {};
    setSending(false);
    if (accepted)
        emit sent();
    else
        setError(accepted.error().message);
    co_return {};
}

void ConversationModel::stop()
{
    if (m_link && isWorking()) m_scope.spawn(cancelTurn(), QStringLiteral("stopping a turn"));
}

Task<void> ConversationModel::cancelTurn()
{
    const QPointer self(this);
    const Result<void> cancelled = co_await m_link->cancel(m_agentId);
    if (self && !cancelled) setError(cancelled.error().message);
    co_return {};
}

void ConversationModel::dismissError()
{
    setError({});
}

void ConversationModel::setLoading(bool loading)
{
    if (loading == m_loading) return;
    m_loading = loading;
    emit loadingChanged();
}

void ConversationModel::setSending(bool sending)
{
    m_sending = sending;
    emit canSendChanged();
}

void ConversationModel::setError(const QString& message)
{
    if (message == m_errorMessage) return;
    m_errorMessage = message;
    emit errorMessageChanged();
}

} // namespace cocoonbox::app::gui
