// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/agent_list_model.h"
#include "app/gui/links.h"
#include "app/gui/transcript_model.h"

namespace cocoonbox::app::gui {

// Talking to one agent of a box: its transcript and the next prompt. With no agent chosen the first prompt makes one.
class ConversationModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(QString agentId READ agentId NOTIFY agentIdChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY agentChanged FINAL)
    Q_PROPERTY(bool isWorking READ isWorking NOTIFY agentChanged FINAL)
    Q_PROPERTY(bool waitsForScreen READ waitsForScreen NOTIFY agentChanged FINAL)
    Q_PROPERTY(bool isLoading READ isLoading NOTIFY loadingChanged FINAL)
    Q_PROPERTY(bool isSending READ isSending NOTIFY canSendChanged FINAL)
    Q_PROPERTY(bool canSend READ canSend NOTIFY canSendChanged FINAL)
    Q_PROPERTY(QString blockedReason READ blockedReason NOTIFY canSendChanged FINAL)
    Q_PROPERTY(QString errorMessage READ errorMessage NOTIFY errorMessageChanged FINAL)
    Q_PROPERTY(cocoonbox::app::gui::TranscriptModel* transcript READ transcript CONSTANT FINAL)
public:
    explicit ConversationModel(AgentListModel& agents, QObject* parent = nullptr);
    ~ConversationModel() override;

    QString agentId() const { return m_agentId; }
    QString title() const;
    bool isWorking() const;
    bool waitsForScreen() const;
    bool isLoading() const { return m_loading; }
    bool isSending() const { return m_sending; }
    bool canSend() const { return blockedReason().isEmpty() && !m_sending; }
    // Why a prompt cannot be sent now, as a sentence; empty when it can.
    QString blockedReason() const;
    QString errorMessage() const { return m_errorMessage; }
    TranscriptModel* transcript() { return &m_transcript; }

    // The box the agents live in; nullptr: none, and `whyNot` says why.
    void setLink(BoxLink* link, const QString& whyNot);
    void setWhyNot(const QString& whyNot);

    // Empty: a new agent.
    Q_INVOKABLE void open(const QString& agentId);
    Q_INVOKABLE void send(const QString& prompt);
    Q_INVOKABLE void stop();
    Q_INVOKABLE void dismissError();

    // Called by the owner when the list of agents has changed.
    void agentsChanged();

signals:
    void agentIdChanged();
    void agentChanged();
    void loadingChanged();
    void canSendChanged();
    void errorMessageChanged();
    // The prompt was taken: the composer may forget it.
    void sent();

private:
    Task<void> sendPrompt(QString prompt);
    Task<void> cancelTurn();
    void showTranscript();
    void setLoading(bool loading);
    void setSending(bool sending);
    void setError(const QString& message);

    AgentListModel& m_agents;
    TranscriptModel m_transcript;
    QPointer<BoxLink> m_link;
    QString m_whyNot;
    QString m_agentId;
    QString m_errorMessage;
    bool m_loading = false;
    bool m_sending = false;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
