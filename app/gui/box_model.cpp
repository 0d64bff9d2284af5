// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/box_model.h"

#include "app/gui/words.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace cocoonbox::app::gui {

using client::BoxState;
using client::SessionState;

namespace {

constexpr qsizetype kArgumentsMax = 64 * 1024;

// Where a call of the screen tool acts; nothing for any other entry.
std::optional<QPoint> pointerOfCall(const client::Entry& entry)
{
    const client::ToolCall& call = entry.toolCall;
    if (entry.kind != client::EntryKind::ToolCall || call.tool != QLatin1String("computer")) return std::nullopt;
    if (call.state != client::ToolState::Running && call.state != client::ToolState::Done) return std::nullopt;
    if (call.argumentsJson.size() > kArgumentsMax) return std::nullopt;
    const QJsonObject arguments = QJsonDocument::fromJson(call.argumentsJson.toUtf8()).object();
    if (!arguments.value(u"x").isDouble() || !arguments.value(u"y").isDouble()) return std::nullopt;
    return QPoint(arguments.value(u"x").toInt(), arguments.value(u"y").toInt());
}

} // namespace

BoxModel::BoxModel(ApiLink& api, client::Box box, const QString& userName, QObject* parent)
    : QObject(parent), m_api(api), m_box(std::move(box)), m_conversation(m_agents)
{
    connect(&m_trouble, &PatientMessage::shownChanged, this, &BoxModel::linkChanged);
    connect(&m_agents, &AgentListModel::countChanged, this, &BoxModel::changed); // lossText counts them
    m_screen.setLabel(userName);
    m_conversation.setWhyNot(whyNoTalk());
    followOperation();
}

BoxModel::~BoxModel()
{
    m_scope.requestStop();
    close();
}

QString BoxModel::stateText() const
{
    switch (m_box.state) {
    case BoxState::Unknown: return tr("Unknown");
    case BoxState::Starting: return tr("Starting");
    case BoxState::Running: return tr("Running");
    case BoxState::Hibernating: return tr("Going to sleep");
    case BoxState::Hibernated: return tr("Asleep");
    case BoxState::Failed: return tr("Failed");
    case BoxState::Deleting: return tr("Being deleted");
    }
    return {};
}

QString BoxModel::detail() const
{
    if (isBusy()) return m_phase.isEmpty() ? tr("One moment") : m_phase;
    return sizeText(m_box.cpus, m_box.memoryBytes);
}

QString BoxModel::failure() const
{
    if (!m_askError.isEmpty()) return m_askError;
    return m_box.state == BoxState::Failed ? m_box.failure : QString();
}

bool BoxModel::isBusy() const
{
    return m_asking || m_box.state == BoxState::Starting || m_box.state == BoxState::Hibernating ||
           m_box.state == BoxState::Deleting;
}

bool BoxModel::canWake() const
{
    return !m_asking && (m_box.state == BoxState::Hibernated || m_box.state == BoxState::Failed);
}

bool BoxModel::canSleep() const
{
    return !m_asking && m_box.state == BoxState::Running;
}

bool BoxModel::canDelete() const
{
    return !m_asking && m_box.state != BoxState::Deleting && m_box.state != BoxState::Unknown;
}

QString BoxModel::lossText() const
{
    const QString always = tr("Its disk goes with it: every file in /workspace and the home folder, every program that "
                              "was installed, and what its agents were told and answered.");
    const int agents = m_agents.count();
    if (agents == 0) return always + u' ' + tr("This cannot be undone.");
    return always + u' ' +
           (agents == 1 ? tr("One agent lives in it. This cannot be undone.")
                        : tr("%1 agents live in it. This cannot be undone.").arg(agents));
}

bool BoxModel::isConnected() const
{
    return m_link && m_link->state() == SessionState::Connected;
}

QString BoxModel::trouble() const
{
    // What the state of the box says already is not said twice.
    const bool trying = m_link && m_link->state() == SessionState::Connecting && m_box.state == BoxState::Running;
    const bool ended = m_link && m_link->state() == SessionState::Ended;
    return trying || ended ? m_link->message() : QString();
}

QString BoxModel::whyNoTalk() const
{
    switch (m_box.state) {
    case BoxState::Starting: return tr("The box is starting. Its agents answer in a moment.");
    case BoxState::Hibernating: return tr("The box is going to sleep.");
    case BoxState::Hibernated: return tr("The box is asleep. Wake it to talk to its agents.");
    case BoxState::Failed: return tr("The box has failed. Start it again to talk to its agents.");
    case BoxState::Deleting: return tr("The box is being deleted.");
    case BoxState::Unknown:
    case BoxState::Running: break;
    }
    if (isConnected()) return {};
    return tr("Connecting to the box…");
}

void BoxModel::setBox(const client::Box& box)
{
    if (box == m_box) return;
    if (box.state != m_box.state) m_askError.clear();
    m_box = box;
    followOperation();
    onLinkState();
    emit changed();
}

void BoxModel::open()
{
    if (m_link) return;
    m_link = m_api.openBox(m_box.boxId);
    BoxLink* link = m_link.get();
    connect(link, &BoxLink::stateChanged, this, &BoxModel::onLinkState);
    connect(link, &BoxLink::agentsReset, this, [this] {
        m_agents.setAgents(m_link->agents());
        onAgents();
    });
    connect(link, &BoxLink::agentChanged, this, [this](const client::Agent& agent) {
        m_agents.putAgent(agent);
        onAgents();
    });
    connect(link, &BoxLink::entryAdded, this, &BoxModel::onEntry);
    connect(link, &BoxLink::entryChanged, this, &BoxModel::onEntry);
    m_chooseAgent = true;
    m_conversation.setLink(link, whyNoTalk());
    m_screen.setLink(link);
    m_transfers.setLink(link);
    m_files.setLink(link);
    link->start();
    onLinkState();
}

void BoxModel::close()
{
    if (!m_link) return;
    m_link->disconnect(this);
    m_screen.setLink(nullptr);
    m_transfers.setLink(nullptr);
    m_files.setLink(nullptr);
    m_conversation.setLink(nullptr, whyNoTalk());
    m_agents.setAgents({});
    m_link.reset();
    onLinkState();
}

void BoxModel::onLinkState()
{
    m_conversation.setWhyNot(whyNoTalk());
    m_trouble.set(trouble());
    emit linkChanged();
}

void BoxModel::onAgents()
{
    m_conversation.agentsChanged();
    m_screen.setAgentAtWork(m_agents.titleAtWork());
    if (std::exchange(m_chooseAgent, false) && m_agents.count() > 0)
        m_conversation.open(m_agents.index(0).data(AgentListModel::AgentIdRole).toString());
}

// An agent's click says where the pointer goes.
void BoxModel::onEntry(const QString& agentId, qsizetype index)
{
    const client::Transcript* transcript = m_link->transcript(agentId);
    if (!transcript || index < 0 || index >= transcript->entries().size()) return;
    const client::Entry& entry = transcript->entries().at(index);
    if (const auto position = pointerOfCall(entry)) m_screen.showPointer(*position);
}

void BoxModel::wake()
{
    if (!canWake()) return;
    m_scope.spawn(ask(Wish::Wake), QStringLiteral("waking a box"));
}

void BoxModel::sleep()
{
    if (!canSleep()) return;
    m_screen.handBack();
    m_scope.spawn(ask(Wish::Sleep), QStringLiteral("putting a box to sleep"));
}

void BoxModel::remove()
{
    if (!canDelete()) return;
    m_screen.handBack();
    m_scope.spawn(ask(Wish::Delete), QStringLiteral("deleting a box"));
}

Task<void> BoxModel::askApi(Wish wish)
{
    const auto nothing = [](const auto&) {};
    switch (wish) {
    case Wish::Wake: co_return (co_await m_api.ensureBox(m_box.name)).transform(nothing);
    case Wish::Sleep: co_return (co_await m_api.hibernateBox(m_box.boxId)).transform(nothing);
    case Wish::Delete: co_return (co_await m_api.deleteBox(m_box.boxId)).transform(nothing);
    }
    co_return {};
}

Task<void> BoxModel::ask(Wish wish)
{
    const QPointer self(this);
    m_asking = true;
    m_askError.clear();
    m_phase = wish == Wish::Wake    ? tr("Waking the box")
              : wish == Wish::Sleep ? tr("Putting the box to sleep")
                                    : tr("Deleting the box");
    emit changed();
    const Result<void> asked = co_await askApi(wish);
    if (!self) co_return {};
    m_asking = false;
    if (!asked) m_askError = asked.error().message;
    emit changed();
    co_return {};
}

void BoxModel::followOperation()
{
    const bool underWay =
        m_box.state == BoxState::Starting || m_box.state == BoxState::Hibernating || m_box.state == BoxState::Deleting;
    if (!underWay || m_box.operationId.isEmpty() || m_box.operationId == m_followed) return;
    m_followed = m_box.operationId;
    m_phase.clear();
    m_scope.spawn(follow(m_followed, m_scope.stopToken()), QStringLiteral("following an operation"));
}

Task<void> BoxModel::follow(QString operationId, std::stop_token stop)
{
    const QPointer self(this);
    const auto show = [self, operationId](const client::OperationEvent& event) {
        if (!self || self->m_followed != operationId) return;
        self->m_phase = event.detail;
        emit self->changed();
    };
    // How it ended is in the box's own state; the words of a failure are too.
    const Result<void> followed = co_await m_api.followOperation(operationId, show, stop);
    if (!followed && followed.error().reason != QLatin1String("OPERATION_FAILED")) co_return followed;
    co_return {};
}

void BoxModel::newAgent()
{
    m_conversation.open({});
}

void BoxModel::retry()
{
    if (m_link) m_link->retryNow();
}

} // namespace cocoonbox::app::gui
