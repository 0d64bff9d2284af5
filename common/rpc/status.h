// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <grpcpp/support/status.h>
#include <grpcpp/support/string_ref.h>
#include <map>

namespace cocoonbox::rpc {

// Trailing metadata that carries Error::reason.
inline constexpr char kReasonKey[] = "x-cocoonbox-reason";

grpc::StatusCode toGrpcCode(ErrorCode code);
grpc::Status toGrpcStatus(const Error& error);
// An unknown code of a newer peer is Internal.
Error fromGrpcStatus(const grpc::Status& status, QString reason = {});
QString reasonOf(const std::multimap<grpc::string_ref, grpc::string_ref>& trailers);

} // namespace cocoonbox::rpc
