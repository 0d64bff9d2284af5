// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/agent_list_model.h"
#include "app/gui/conversation_model.h"
#include "app/gui/file_list.h"
#include "app/gui/patient_message.h"
#include "app/gui/screen_model.h"
#include "app/gui/transfer_list.h"

namespace cocoonbox::app::gui {

// One box as the user sees it: what state it is in, what can be done with it, and, while it is open, its agents, the
// conversation with one of them and its screen.
class BoxModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Made by the application")
    Q_PROPERTY(QString boxId READ boxId CONSTANT FINAL)
    Q_PROPERTY(QString name READ name NOTIFY changed FINAL)
    Q_PROPERTY(State state READ state NOTIFY changed FINAL)
    Q_PROPERTY(QString stateText READ stateText NOTIFY changed FINAL)
    Q_PROPERTY(QString detail READ detail NOTIFY changed FINAL)
    Q_PROPERTY(QString failure READ failure NOTIFY changed FINAL)
    Q_PROPERTY(bool isBusy READ isBusy NOTIFY changed FINAL)
    Q_PROPERTY(bool canWake READ canWake NOTIFY changed FINAL)
    Q_PROPERTY(bool canSleep READ canSleep NOTIFY changed FINAL)
    Q_PROPERTY(bool canDelete READ canDelete NOTIFY changed FINAL)
    Q_PROPERTY(QString lossText READ lossText NOTIFY changed FINAL)
    Q_PROPERTY(bool isConnected READ isConnected NOTIFY linkChanged FINAL)
    Q_PROPERTY(QString linkMessage READ linkMessage NOTIFY linkChanged FINAL)
    Q_PROPERTY(cocoonbox::app::gui::AgentListModel* agents READ agents CONSTANT FINAL)
    Q_PROPERTY(cocoonbox::app::gui::ConversationModel* conversation READ conversation CONSTANT FINAL)
    Q_PROPERTY(cocoonbox::app::gui::ScreenModel* screen READ screen CONSTANT FINAL)
    Q_PROPERTY(cocoonbox::app::gui::TransferList* transfers READ transfers CONSTANT FINAL)
    Q_PROPERTY(cocoonbox::app::gui::FileList* files READ files CONSTANT FINAL)
public:
    enum class State { Unknown, Starting, Running, Hibernating, Hibernated, Failed, Deleting };
    Q_ENUM(State)

    BoxModel(ApiLink& api, client::Box box, const QString& userName, QObject* parent = nullptr);
    ~BoxModel() override;

    QString boxId() const { return m_box.boxId; }
    QString name() const { return m_box.name; }
    State state() const { return static_cast<State>(m_box.state); }
    QString stateText() const;
    // Under the name: what is going on now, else what the box is.
    QString detail() const;
    // What went wrong last and what to do about it; empty when nothing did.
    QString failure() const;
    bool isBusy() const;
    bool canWake() const;
    bool canSleep() const;
    bool canDelete() const;
    // What is lost with the box, for the question before it is deleted.
    QString lossText() const;
    bool isConnected() const;
    // What keeps the box from being reached, when it should be and that lasts.
    QString linkMessage() const { return m_trouble.shown(); }
    AgentListModel* agents() { return &m_agents; }
    ConversationModel* conversation() { return &m_conversation; }
    ScreenModel* screen() { return &m_screen; }
    TransferList* transfers() { return &m_transfers; }
    FileList* files() { return &m_files; }

    void setBox(const client::Box& box);
    // Connects to the box and follows it; closing forgets agents, conversation and picture.
    void open();
    void close();

    Q_INVOKABLE void wake();
    Q_INVOKABLE void sleep();
    // The box and its disk. Asks nothing: the view has.
    Q_INVOKABLE void remove();
    Q_INVOKABLE void newAgent();
    Q_INVOKABLE void retry();

signals:
    void changed();
    void linkChanged();

private:
    enum class Wish { Wake, Sleep, Delete };
    Task<void> ask(Wish wish);
    Task<void> askApi(Wish wish);
    Task<void> follow(QString operationId, std::stop_token stop);
    void followOperation();
    void onLinkState();
    void onAgents();
    void onEntry(const QString& agentId, qsizetype index);
    QString whyNoTalk() const;
    QString trouble() const;

    ApiLink& m_api;
    client::Box m_box;
    AgentListModel m_agents;
    ConversationModel m_conversation;
    ScreenModel m_screen;
    TransferList m_transfers;
    FileList m_files;
    std::unique_ptr<BoxLink> m_link;
    bool m_asking = false;      // a call of ours that changes the state is on its way
    bool m_chooseAgent = false; // the newest agent is opened when the list comes
    QString m_followed;         // operation id
    QString m_phase;            // the operation's newest sentence
    QString m_askError;
    PatientMessage m_trouble;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::gui
