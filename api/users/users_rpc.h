// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/users/token_check.h"

#include <memory>

namespace grpc {
class Service;
}

namespace cocoonbox::api::users {

// cocoonbox.control.v1.Users over the tokens, which must outlive it.
std::shared_ptr<grpc::Service> makeUsersRpc(const TokenCheck& tokens);

} // namespace cocoonbox::api::users
