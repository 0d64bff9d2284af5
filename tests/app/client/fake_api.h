// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"
#include "app/client/control_types.h"
#include "common/base/error.h"

#include <functional>
#include <memory>
#include <optional>
#include <QHash>
#include <QObject>
#include <QUrl>

namespace cocoonbox::tests {

namespace client = app::client;

// cocoonbox-api and one box behind it, as far as clients see them: a real gRPC server on loopback, run by the test's
// own main loop. What happens is said by the test; what the box was told can be asked.
class FakeApi final : public QObject {
    Q_OBJECT
public:
    FakeApi();
    ~FakeApi() override;

    // Starts on any port, or again on the same one after `stop`.
    void start();
    void stop();
    QUrl url() const;

    QByteArray token = "good-token";

    // Control.
    QList<client::Box> boxes;
    void boxesChanged(); // tells the watchers
    client::Box& addBox(const QString& name, client::BoxState state);
    std::optional<Error> operationFailure; // how operations end
    bool operationsHang = false;
    int cutOperationsAfter = 0; // events until the stream breaks; 0: never
    int watchers() const;

    // The box.
    std::optional<Error> boxFailure; // of every call into the box
    QString heldBy;
    void addAgent(const QString& agentId, const QString& title);
    void setAgent(const QString& agentId, client::AgentState state, const QString& turnId);
    client::Entry addEntry(const QString& agentId, client::EntryKind kind, const QString& text, const QString& turnId);
    client::Entry addToolCall(const QString& agentId, const QString& tool, const QString& summary,
                              const QString& turnId);
    void changeEntry(client::Entry entry);
    void writeDraft(const QString& agentId, const QString& turnId, const QString& more);
    void loseHistory();           // as when an older disk is restored
    int cutEventsAfterAtMost = 0; // each Events call breaks after 1 to this many; 0: never
    int eventCalls() const;
    void breakEventCalls();

    struct Sent {
        QString agentId, prompt, nonce, turnId;
    };
    QList<Sent> sent;
    std::function<void(const Sent&)> onSend; // after the prompt's entry; starts the scripted turn
    int refuseSends = 0;                     // so many sends are done but their answers are lost
    QStringList cancelled;
    QStringList answered;
    QHash<QString, QByteArray> files; // by path
    std::optional<Error> uploadFailure;
    bool filesShrink = false; // while they are downloaded
    QStringList typed;
    bool typing = false; // a text is on its way in
    std::chrono::milliseconds typingTime{20};
    client::ClipboardContent clipboard;
    bool clipboardBreaks = false; // before its last piece
    void tellClipboard(const QList<client::ClipboardKind>& kinds);
    int screensOpened = 0;
    bool screenFloods = false; // sends noise without end instead of a picture
    qint64 screenBytesSent = 0;

private:
    struct Services;
    std::unique_ptr<Services> m_services;
    int m_port = 0;
};

} // namespace cocoonbox::tests
