// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"

#include <QAbstractListModel>
#include <QtQmlIntegration>

namespace cocoonbox::app::gui {

// The agents of a box, newest change first.
class AgentListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(bool screenAwaited READ screenAwaited NOTIFY screenAwaitedChanged FINAL)
public:
    enum class State { Unknown, Idle, Working, WaitingForUser, WaitingForScreen };
    Q_ENUM(State)
    enum Role { AgentIdRole = Qt::UserRole + 1, TitleRole, StateRole, StateTextRole, TimeTextRole };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    void setAgents(const QList<client::Agent>& agents);
    // Puts the agent where its time of change says; adds it when it is new.
    void putAgent(const client::Agent& agent);
    const client::Agent* findAgent(const QString& agentId) const;

    int count() const { return static_cast<int>(m_agents.size()); }
    // Whether an agent waits because a person holds the screen.
    bool screenAwaited() const { return m_screenAwaited; }
    // The title of the agent that works now, or "An agent"; empty: none does.
    QString titleAtWork() const;

    static QString stateText(client::AgentState state);

signals:
    void countChanged();
    void screenAwaitedChanged();

private:
    void updateScreenAwaited();

    QList<client::Agent> m_agents;
    bool m_screenAwaited = false;
};

} // namespace cocoonbox::app::gui
