// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/users_rpc.h"

#include "cocoonbox/control/v1/users.grpc.pb.h"
#include "common/rpc/serve.h"

namespace cocoonbox::api::users {

namespace {

namespace pb = cocoonbox::control::v1;

class UsersRpc final : public pb::Users::CallbackService {
public:
    explicit UsersRpc(const TokenCheck& tokens) : m_tokens(tokens) {}

    grpc::ServerUnaryReactor* WhoAmI(grpc::CallbackServerContext* context, const pb::WhoAmIRequest* request,
                                     pb::User* reply) override
    {
        return rpc::serveUnary(context, request, reply, [this](auto call, auto) { return whoAmI(std::move(call)); });
    }

private:
    Task<pb::User> whoAmI(rpc::RequestContext context)
    {
        CO_TRY_ASSIGN(const Actor actor, authorise(m_tokens, context));
        pb::User user;
        user.set_user_id(actor.userId.toStdString());
        user.set_name(actor.name.toStdString());
        user.set_created_at_ms(actor.createdAtMs);
        co_return user;
    }

    const TokenCheck& m_tokens;
};

} // namespace

std::shared_ptr<grpc::Service> makeUsersRpc(const TokenCheck& tokens)
{
    return std::make_shared<UsersRpc>(tokens);
}

} // namespace cocoonbox::api::users
