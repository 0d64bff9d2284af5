// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/rpc/request_context.h"

#include <optional>
#include <QByteArrayView>

namespace cocoonbox::api::users {

// Who makes a call.
struct Actor {
    QString userId;
    QString name;
    qint64 createdAtMs = 0;
};

// Port: whom a token belongs to. Memory only, callable from any thread, no lock that waits for the disk.
class TokenCheck {
public:
    virtual ~TokenCheck() = default;
    virtual std::optional<Actor> check(QByteArrayView token) const = 0;
};

// The caller by the value of `authorization`. Unauthenticated: TOKEN_MISSING (none, or not "Bearer …"), TOKEN_UNKNOWN.
Result<Actor> authorise(const TokenCheck& tokens, QByteArrayView authorization);
Result<Actor> authorise(const TokenCheck& tokens, const rpc::RequestContext& context);

} // namespace cocoonbox::api::users
