// SPDX-License-Identifier: AGPL-3.0-only
#include "api/boxes/boxes_rpc.h"

#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "common/base/ids.h"
#include "common/rpc/serve.h"

namespace cocoonbox::api::boxes {

namespace {

namespace pb = cocoonbox::control::v1;
using rpc::RequestContext;

pb::State stateMessage(BoxState state)
{
    switch (state) {
    case BoxState::Starting: return pb::STATE_STARTING;
    case BoxState::Running: return pb::STATE_RUNNING;
    case BoxState::Hibernating: return pb::STATE_HIBERNATING;
    case BoxState::Hibernated: return pb::STATE_HIBERNATED;
    case BoxState::Failed: return pb::STATE_FAILED;
    case BoxState::Deleting:
    case BoxState::Gone: return pb::STATE_DELETING;
    }
    Q_UNREACHABLE_RETURN(pb::STATE_UNSPECIFIED);
}

pb::Phase phaseMessage(Phase phase)
{
    switch (phase) {
    case Phase::Creating: return pb::PHASE_CREATING;
    case Phase::Waking: return pb::PHASE_WAKING;
    case Phase::Connecting: return pb::PHASE_CONNECTING;
    case Phase::Stopping: return pb::PHASE_STOPPING;
    case Phase::CleaningUp: return pb::PHASE_CLEANING_UP;
    case Phase::Done: return pb::PHASE_DONE;
    case Phase::Failed: return pb::PHASE_FAILED;
    }
    Q_UNREACHABLE_RETURN(pb::PHASE_UNSPECIFIED);
}

pb::Operation operationMessage(const Operation& operation)
{
    pb::Operation message;
    message.set_operation_id(operation.operationId.toStdString());
    message.set_box_id(operation.boxId.toStdString());
    return message;
}

pb::OperationEvent eventMessage(const QString& operationId, const OperationEvent& event)
{
    pb::OperationEvent message;
    message.set_operation_id(operationId.toStdString());
    message.set_phase(phaseMessage(event.phase));
    message.set_detail(event.detail.toStdString());
    message.set_offset_key(std::to_string(event.number));
    message.set_at_ms(event.atMs);
    return message;
}

Result<qint64> numberOf(const std::string& offsetKey)
{
    constexpr size_t kDigitsMax = 18;
    if (offsetKey.empty()) return 0;
    bool ok =
        offsetKey.size() <= kDigitsMax && std::ranges::all_of(offsetKey, [](char c) { return c >= '0' && c <= '9'; });
    const qint64 number = ok ? QByteArray::fromStdString(offsetKey).toLongLong(&ok) : 0;
    if (!ok)
        return fail(ErrorCode::InvalidArgument,
                    QStringLiteral("after_offset_key is none that this api gave; leave it empty to see all events."),
                    QStringLiteral("OFFSET_KEY_INVALID"));
    return number;
}

class BoxesRpc final : public pb::Boxes::CallbackService {
public:
    BoxesRpc(const users::TokenCheck& tokens, BoxService& boxes) : m_tokens(tokens), m_boxes(boxes) {}

    using Context = grpc::CallbackServerContext;
    using Unary = grpc::ServerUnaryReactor;

    Unary* Ensure(Context* context, const pb::EnsureRequest* request, pb::Box* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](RequestContext call, pb::EnsureRequest r) {
            return ensure(std::move(call), std::move(r));
        });
    }
    Unary* Get(Context* context, const pb::GetRequest* request, pb::Box* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](RequestContext call, pb::GetRequest r) {
            return get(std::move(call), std::move(r));
        });
    }
    Unary* List(Context* context, const pb::ListRequest* request, pb::BoxList* reply) override
    {
        return rpc::serveUnary(context, request, reply,
                               [this](RequestContext call, pb::ListRequest) { return list(std::move(call)); });
    }
    Unary* Hibernate(Context* context, const pb::HibernateRequest* request, pb::Operation* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](RequestContext call, pb::HibernateRequest r) {
            return hibernate(std::move(call), std::move(r));
        });
    }
    Unary* Delete(Context* context, const pb::DeleteRequest* request, pb::Operation* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](RequestContext call, pb::DeleteRequest r) {
            return remove(std::move(call), std::move(r));
        });
    }
    grpc::ServerWriteReactor<pb::BoxList>* Watch(Context* context, const pb::WatchRequest* request) override
    {
        return rpc::serveStream<pb::BoxList>(
            context, request, [this](RequestContext call, pb::WatchRequest, rpc::StreamWriter<pb::BoxList>& writer) {
                return watch(std::move(call), &writer);
            });
    }
    grpc::ServerWriteReactor<pb::OperationEvent>* WatchOperation(Context* context,
                                                                 const pb::WatchOperationRequest* request) override
    {
        return rpc::serveStream<pb::OperationEvent>(
            context, request,
            [this](RequestContext call, pb::WatchOperationRequest r, rpc::StreamWriter<pb::OperationEvent>& writer) {
                return watchOperation(std::move(call), std::move(r), &writer);
            });
    }

private:
    Task<pb::Box> ensure(RequestContext context, pb::EnsureRequest request)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        CO_TRY_ASSIGN(const Box box, co_await m_boxes.ensure(actor.userId, QString::fromStdString(request.name()),
                                                             QString::fromStdString(request.flavor())));
        co_return boxMessage(box);
    }
    Task<pb::Box> get(RequestContext context, pb::GetRequest request)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        CO_TRY_ASSIGN(const Box box, m_boxes.find(actor.userId, QString::fromStdString(request.box_id())));
        co_return boxMessage(box);
    }
    Task<pb::BoxList> list(RequestContext context)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        co_return listMessage(m_boxes.list(actor.userId));
    }
    Task<pb::Operation> hibernate(RequestContext context, pb::HibernateRequest request)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        CO_TRY_ASSIGN(const Operation operation,
                      co_await m_boxes.hibernate(actor.userId, QString::fromStdString(request.box_id())));
        co_return operationMessage(operation);
    }
    Task<pb::Operation> remove(RequestContext context, pb::DeleteRequest request)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        CO_TRY_ASSIGN(const Operation operation,
                      co_await m_boxes.remove(actor.userId, QString::fromStdString(request.box_id())));
        co_return operationMessage(operation);
    }
    Task<void> watch(RequestContext context, rpc::StreamWriter<pb::BoxList>* writer)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        std::optional<QList<Box>> sent;
        for (;;) {
            const quint64 revision = m_boxes.bell().revision();
            const QList<Box> boxes = m_boxes.list(actor.userId);
            if (sent != boxes && !co_await writer->write(listMessage(boxes))) co_return {};
            sent = boxes;
            CO_TRY_VOID(co_await m_boxes.bell().waitBeyond(revision, context.stop));
        }
    }
    Task<void> watchOperation(RequestContext context, pb::WatchOperationRequest request,
                              rpc::StreamWriter<pb::OperationEvent>* writer)
    {
        CO_TRY_ASSIGN(const users::Actor actor, users::authorise(m_tokens, context));
        CO_TRY_ASSIGN(qint64 number, numberOf(request.after_offset_key()));
        const QString operationId = QString::fromStdString(request.operation_id());
        for (;;) {
            const quint64 revision = m_boxes.bell().revision();
            CO_TRY_ASSIGN(const QList<OperationEvent> events,
                          co_await m_boxes.eventsAfter(actor.userId, operationId, number));
            for (const OperationEvent& event : events) {
                if (!co_await writer->write(eventMessage(operationId, event)) || isFinal(event.phase)) co_return {};
                number = event.number;
            }
            CO_TRY_VOID(co_await m_boxes.bell().waitBeyond(revision, context.stop));
        }
    }

    pb::Box boxMessage(const Box& box) const
    {
        const machines::Flavor flavor = m_boxes.flavorOf(box);
        pb::Box message;
        message.set_box_id(box.boxId.toStdString());
        message.set_name(box.name.toStdString());
        message.set_state(stateMessage(box.state));
        message.set_flavor(box.flavor.toStdString());
        message.set_image(box.image.toStdString());
        message.set_image_update_available(m_boxes.isImageOutdated(box));
        message.set_wake_id(box.wakeId.toStdString());
        message.set_operation_id(box.operationId.toStdString());
        message.set_failure(box.failure.toStdString());
        message.set_created_at_ms(box.createdAtMs);
        message.set_state_changed_at_ms(box.stateChangedAtMs);
        message.set_woken_at_ms(box.wokenAtMs);
        message.set_cpus(flavor.cpuMillis / 1000);
        message.set_memory_bytes(flavor.memoryBytes);
        return message;
    }
    pb::BoxList listMessage(const QList<Box>& boxes) const
    {
        pb::BoxList message;
        for (const Box& box : boxes)
            *message.add_boxes() = boxMessage(box);
        return message;
    }

    const users::TokenCheck& m_tokens;
    BoxService& m_boxes;
};

} // namespace

std::shared_ptr<grpc::Service> makeBoxesRpc(const users::TokenCheck& tokens, BoxService& boxes)
{
    return std::make_shared<BoxesRpc>(tokens, boxes);
}

} // namespace cocoonbox::api::boxes
