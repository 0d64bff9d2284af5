// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/token_check.h"

namespace cocoonbox::api::users {

Result<Actor> authorise(const TokenCheck& tokens, QByteArrayView authorization)
{
    constexpr QByteArrayView kScheme = "Bearer ";
    if (authorization.size() <= kScheme.size() ||
        authorization.first(kScheme.size()).compare(kScheme, Qt::CaseInsensitive) != 0)
        return fail(ErrorCode::Unauthenticated,
                    QStringLiteral("This call needs a token; sign in with \"cocoonbox login\" first."),
                    QStringLiteral("TOKEN_MISSING"));
    std::optional<Actor> actor = tokens.check(authorization.sliced(kScheme.size()));
    if (!actor)
        return fail(ErrorCode::Unauthenticated,
                    QStringLiteral("The token is not known here; sign in again with a token of this api."),
                    QStringLiteral("TOKEN_UNKNOWN"));
    return *std::move(actor);
}

Result<Actor> authorise(const TokenCheck& tokens, const rpc::RequestContext& context)
{
    return authorise(tokens, context.metadata.value("authorization"));
}

} // namespace cocoonbox::api::users
