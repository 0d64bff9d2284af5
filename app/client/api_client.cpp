// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/api_client.h"

#include "app/client/box_session.h"
#include "app/client/convert.h"
// After the conversions it uses.
#include "app/client/ask.h"
#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "cocoonbox/control/v1/users.grpc.pb.h"

#include <QPointer>

namespace cocoonbox::app::client {

namespace wire = control::v1;
using AsyncBoxes = class wire::Boxes::Stub::async;
using limits::kUnaryDeadline;

namespace {

constexpr auto kOperationPatience = std::chrono::minutes(2); // without a word from the api

} // namespace

Result<std::unique_ptr<ApiClient>> ApiClient::create(Account account, ClientName name)
{
    TRY_ASSIGN(auto connection, Connection::create(account));
    return std::unique_ptr<ApiClient>(new ApiClient(std::move(account), std::move(name), std::move(connection)));
}

ApiClient::ApiClient(Account account, ClientName name, std::shared_ptr<Connection> connection)
    : m_account(std::move(account)), m_name(std::move(name)), m_connection(std::move(connection))
{
}

ApiClient::~ApiClient() = default;

Task<User> ApiClient::whoAmI()
{
    const auto user = co_await ask<wire::Users>(m_connection, &wire::Users::Stub::async::WhoAmI, {},
                                                m_connection->options(kUnaryDeadline));
    co_return user.transform(kFromWire);
}

Task<QList<Box>> ApiClient::listBoxes()
{
    const auto list =
        co_await ask<wire::Boxes>(m_connection, &AsyncBoxes::List, {}, m_connection->options(kUnaryDeadline));
    co_return list.transform(kFromWire);
}

Task<Box> ApiClient::box(QString boxId)
{
    wire::GetRequest request;
    request.set_box_id(boxId.toStdString());
    const auto reply =
        co_await ask<wire::Boxes>(m_connection, &AsyncBoxes::Get, request, m_connection->options(kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<Box> ApiClient::ensureBox(QString name, QString flavor)
{
    wire::EnsureRequest request;
    request.set_name(name.toStdString());
    request.set_flavor(flavor.toStdString());
    const auto reply =
        co_await ask<wire::Boxes>(m_connection, &AsyncBoxes::Ensure, request, m_connection->options(kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<Operation> ApiClient::hibernateBox(QString boxId)
{
    wire::HibernateRequest request;
    request.set_box_id(boxId.toStdString());
    const auto reply =
        co_await ask<wire::Boxes>(m_connection, &AsyncBoxes::Hibernate, request, m_connection->options(kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<Operation> ApiClient::deleteBox(QString boxId)
{
    wire::DeleteRequest request;
    request.set_box_id(boxId.toStdString());
    const auto reply =
        co_await ask<wire::Boxes>(m_connection, &AsyncBoxes::Delete, request, m_connection->options(kUnaryDeadline));
    co_return reply.transform(kFromWire);
}

Task<void> ApiClient::followOperation(QString operationId, std::function<void(const OperationEvent&)> onEvent,
                                      std::stop_token stop)
{
    const auto connection = m_connection;
    const auto stub = wire::Boxes::NewStub(connection->channel());
    wire::WatchOperationRequest request;
    request.set_operation_id(operationId.toStdString());
    RetryPause pause;
    QElapsedTimer silence;
    silence.start();
    for (;;) {
        rpc::ClientReader<wire::OperationEvent> reader(stub->async(), &AsyncBoxes::WatchOperation, request,
                                                       connection->options({}, stop));
        while (const auto message = co_await reader.read()) {
            const OperationEvent event = fromWire(*message);
            request.set_after_offset_key(message->offset_key());
            pause.reset();
            silence.restart();
            onEvent(event);
            if (event.phase == Phase::Done) co_return {};
            if (event.phase == Phase::Failed)
                co_return fail(ErrorCode::FailedPrecondition, event.detail, QStringLiteral("OPERATION_FAILED"));
        }
        const Result<void> end = connection->explained(co_await reader.finish());
        if (stop.stop_requested()) co_return cancelled();
        if (!end && (!isRetryable(end.error().code) || silence.durationElapsed() > kOperationPatience))
            co_return std::unexpected(end.error());
        CO_TRY_VOID(co_await pause.wait(stop));
        CO_TRY_VOID(co_await Connection::reconnect(connection, stop));
    }
}

void ApiClient::startWatching()
{
    if (m_state != ConnectionState::Idle) return;
    setConnection(ConnectionState::Connecting,
                  QStringLiteral("Connecting to %1 …").arg(m_account.apiUrl.toDisplayString()));
    m_scope.spawn(watch(m_scope.stopToken()), QStringLiteral("watching the boxes"));
}

void ApiClient::retryNow()
{
    m_pause.wake();
}

Task<void> ApiClient::watch(std::stop_token stop)
{
    const QPointer self{this};
    for (;;) {
        const Result<void> end = co_await watchOnce(stop);
        if (!self || stop.stop_requested()) co_return cancelled();
        if (!end && end.error().code == ErrorCode::Unauthenticated) {
            setConnection(ConnectionState::SignedOut, end.error().message);
            co_return {};
        }
        setConnection(ConnectionState::Connecting,
                      end ? QStringLiteral("The api closed the connection; connecting again …") : end.error().message);
        CO_TRY_VOID(co_await m_pause.wait(stop));
        if (!self) co_return cancelled();
        CO_TRY_VOID(co_await Connection::reconnect(m_connection, stop));
        if (!self) co_return cancelled();
    }
}

Task<void> ApiClient::watchOnce(std::stop_token stop)
{
    const QPointer self{this};
    const auto connection = m_connection;
    const auto stub = wire::Boxes::NewStub(connection->channel());
    rpc::ClientReader<wire::BoxList> reader(stub->async(), &AsyncBoxes::Watch, {}, connection->options({}, stop));
    while (const auto list = co_await reader.read()) {
        if (!self) co_return cancelled();
        m_pause.reset();
        QList<Box> boxes = fromWire(*list);
        const bool changed = !m_hasBoxes || boxes != m_boxes;
        m_boxes = std::move(boxes);
        m_hasBoxes = true;
        setConnection(ConnectionState::Connected, {});
        if (self && changed) emit boxesChanged();
        if (!self) co_return cancelled();
    }
    co_return connection->explained(co_await reader.finish());
}

void ApiClient::setConnection(ConnectionState state, const QString& message)
{
    if (state == m_state && message == m_message) return;
    m_state = state;
    m_message = message;
    emit connectionChanged();
}

const Box* ApiClient::findBox(const QString& boxId) const
{
    for (const Box& box : m_boxes)
        if (box.boxId == boxId) return &box;
    return nullptr;
}

std::unique_ptr<BoxSession> ApiClient::openBox(const QString& boxId)
{
    return std::make_unique<BoxSession>(*this, m_connection, boxId, m_name);
}

} // namespace cocoonbox::app::client
