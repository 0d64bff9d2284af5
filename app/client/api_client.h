// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/account.h"
#include "app/client/control_types.h"
#include "app/client/retry_pause.h"
#include "common/async/task_scope.h"

#include <functional>
#include <memory>
#include <QObject>

namespace cocoonbox::app::client {

class BoxSession;
class Connection;

enum class ConnectionState {
    Idle,       // not asked to connect
    Connecting, // trying, or trying again by itself
    Connected,
    SignedOut, // the api does not know the token; nothing is tried until there is another account
};

struct ClientName {
    QString name; // "cocoonbox-app", "cocoonbox"; at most 64 bytes
    QString version;
};

// A signed-in connection to one cocoonbox-api. Domain thread. Calls have a deadline of 10 s and fail with the api's
// own error; watching goes on through restarts of the api and of the network (0.2 s doubling to 1.6 s, after two
// minutes 5 s). Destroying it ends everything it does; tasks in flight end with Cancelled.
class ApiClient final : public QObject {
    Q_OBJECT
public:
    // InvalidArgument: URL_INVALID, PLAINTEXT_REFUSED. Unauthenticated: SIGNED_OUT when the account has no token.
    static Result<std::unique_ptr<ApiClient>> create(Account account, ClientName name);
    ~ApiClient() override;

    const Account& account() const { return m_account; }

    Task<User> whoAmI();
    Task<QList<Box>> listBoxes();
    Task<Box> box(QString boxId);
    Task<Box> ensureBox(QString name, QString flavor = {}); // creates or wakes; answers at once
    Task<Operation> hibernateBox(QString boxId);
    Task<Operation> deleteBox(QString boxId);
    // Calls `onEvent` for each event of the operation, once and in order, over reconnects, until it is done; fails
    // with FailedPrecondition OPERATION_FAILED and the api's sentence when it ended in Phase::Failed.
    Task<void> followOperation(QString operationId, std::function<void(const OperationEvent&)> onEvent,
                               std::stop_token stop = {});

    // Keeps `boxes` and `connectionState` up to date from now on. Idempotent.
    void startWatching();
    // Tries now instead of at the end of the pause ("Try again", the network came back).
    void retryNow();

    const QList<Box>& boxes() const { return m_boxes; } // by name; empty before the first answer
    const Box* findBox(const QString& boxId) const;
    bool hasBoxes() const { return m_hasBoxes; } // the first answer has come
    ConnectionState connectionState() const { return m_state; }
    QString connectionMessage() const { return m_message; } // a sentence for people; empty when connected

    // The session is independent of other sessions of the same box; it must not outlive this client.
    std::unique_ptr<BoxSession> openBox(const QString& boxId);

signals:
    void boxesChanged();
    void connectionChanged();

private:
    ApiClient(Account account, ClientName name, std::shared_ptr<Connection> connection);
    Task<void> watch(std::stop_token stop);
    Task<void> watchOnce(std::stop_token stop);
    void setConnection(ConnectionState state, const QString& message);

    Account m_account;
    ClientName m_name;
    std::shared_ptr<Connection> m_connection;
    QList<Box> m_boxes;
    bool m_hasBoxes = false;
    ConnectionState m_state = ConnectionState::Idle;
    QString m_message;
    RetryPause m_pause;
    TaskScope m_scope;
};

} // namespace cocoonbox::app::client
