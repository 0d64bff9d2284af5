// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/status.h"

#include <array>
#include <utility>

namespace cocoonbox::rpc {

namespace {

constexpr std::array kCodes = {
    std::pair{ErrorCode::InvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
    std::pair{ErrorCode::NotFound, grpc::StatusCode::NOT_FOUND},
    std::pair{ErrorCode::AlreadyExists, grpc::StatusCode::ALREADY_EXISTS},
    std::pair{ErrorCode::PermissionDenied, grpc::StatusCode::PERMISSION_DENIED},
    std::pair{ErrorCode::Unauthenticated, grpc::StatusCode::UNAUTHENTICATED},
    std::pair{ErrorCode::FailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION},
    std::pair{ErrorCode::ResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED},
    std::pair{ErrorCode::Aborted, grpc::StatusCode::ABORTED},
    std::pair{ErrorCode::Cancelled, grpc::StatusCode::CANCELLED},
    std::pair{ErrorCode::DeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED},
    std::pair{ErrorCode::Unavailable, grpc::StatusCode::UNAVAILABLE},
    std::pair{ErrorCode::DataLoss, grpc::StatusCode::DATA_LOSS},
    std::pair{ErrorCode::Unimplemented, grpc::StatusCode::UNIMPLEMENTED},
    std::pair{ErrorCode::Internal, grpc::StatusCode::INTERNAL},
};

} // namespace

grpc::StatusCode toGrpcCode(ErrorCode code)
{
    for (const auto& [ours, theirs] : kCodes)
        if (ours == code) return theirs;
    return grpc::StatusCode::INTERNAL;
}

grpc::Status toGrpcStatus(const Error& error)
{
    return {toGrpcCode(error.code), error.message.toStdString()};
}

Error fromGrpcStatus(const grpc::Status& status, QString reason)
{
    ErrorCode code = ErrorCode::Internal;
    for (const auto& [ours, theirs] : kCodes)
        if (theirs == status.error_code()) code = ours;
    return {code, QString::fromStdString(status.error_message()), std::move(reason), {}, {}};
}

QString reasonOf(const std::multimap<grpc::string_ref, grpc::string_ref>& trailers)
{
    const auto found = trailers.find(kReasonKey);
    if (found == trailers.end()) return {};
    return QString::fromUtf8(found->second.data(), static_cast<qsizetype>(found->second.size()));
}

} // namespace cocoonbox::rpc
