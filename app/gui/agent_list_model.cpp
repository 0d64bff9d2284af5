// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/agent_list_model.h"

#include "app/gui/words.h"

#include <algorithm>

namespace cocoonbox::app::gui {

int AgentListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant AgentListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid)) return {};
    const client::Agent& agent = m_agents.at(index.row());
    switch (role) {
    case AgentIdRole: return agent.agentId;
    case Qt::DisplayRole:
    case TitleRole: return agent.title.isEmpty() ? tr("New agent") : agent.title;
    case StateRole: return QVariant::fromValue(static_cast<State>(agent.state));
    case StateTextRole: return stateText(agent.state);
    case TimeTextRole: return timeText(agent.changedAtMs);
    default: return {};
    }
}

QHash<int, QByteArray> AgentListModel::roleNames() const
{
    return {{AgentIdRole, "agentId"},
            {TitleRole, "title"},
            {StateRole, "agentState"},
            {StateTextRole, "stateText"},
            {TimeTextRole, "timeText"}};
}

void AgentListModel::setAgents(const QList<client::Agent>& agents)
{
    if (agents == m_agents) return;
    beginResetModel();
    m_agents = agents;
    endResetModel();
    emit countChanged();
    updateScreenAwaited();
}

void AgentListModel::putAgent(const client::Agent& agent)
{
    const auto newer = [&](const client::Agent& other) {
        return other.agentId != agent.agentId && other.changedAtMs > agent.changedAtMs;
    };
    const auto to = static_cast<int>(std::ranges::count_if(m_agents, newer));
    const auto found = std::ranges::find(m_agents, agent.agentId, &client::Agent::agentId);
    if (found == m_agents.end()) {
        beginInsertRows({}, to, to);
        m_agents.insert(to, agent);
        endInsertRows();
        emit countChanged();
    } else {
        const auto from = static_cast<int>(found - m_agents.begin());
        *found = agent;
        if (from != to) {
            beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
            m_agents.move(from, to);
            endMoveRows();
        }
        emit dataChanged(index(to), index(to));
    }
    updateScreenAwaited();
}

const client::Agent* AgentListModel::findAgent(const QString& agentId) const
{
    const auto found = std::ranges::find(m_agents, agentId, &client::Agent::agentId);
    return found == m_agents.end() ? nullptr : &*found;
}

void AgentListModel::updateScreenAwaited()
{
    const bool awaited = std::ranges::any_of(
        m_agents, [](const client::Agent& agent) { return agent.state == client::AgentState::WaitingForScreen; });
    if (awaited == m_screenAwaited) return;
    m_screenAwaited = awaited;
    emit screenAwaitedChanged();
}

QString AgentListModel::titleAtWork() const
{
    const auto found = std::ranges::find(m_agents, client::AgentState::Working, &client::Agent::state);
    if (found == m_agents.end()) return {};
    return found->title.isEmpty() ? tr("An agent") : found->title;
}

QString AgentListModel::stateText(client::AgentState state)
{
    switch (state) {
    case client::AgentState::Unknown: return {};
    case client::AgentState::Idle: return tr("Ready");
    case client::AgentState::Working: return tr("Working");
    case client::AgentState::WaitingForUser: return tr("Asks you");
    case client::AgentState::WaitingForScreen: return tr("Waits for the screen");
    }
    return {};
}

} // namespace cocoonbox::app::gui
