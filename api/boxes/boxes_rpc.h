// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_service.h"
#include "api/users/token_check.h"

#include <memory>

namespace grpc {
class Service;
}

namespace cocoonbox::api::boxes {

// cocoonbox.control.v1.Boxes over the service; both arguments must outlive it.
std::shared_ptr<grpc::Service> makeBoxesRpc(const users::TokenCheck& tokens, BoxService& boxes);

} // namespace cocoonbox::api::boxes
