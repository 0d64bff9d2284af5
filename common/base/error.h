// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QString>
#include <source_location>

namespace cocoonbox {

// The closed set of failures, one to one with gRPC's status codes (`common/rpc/status.h`).
enum class ErrorCode {
    InvalidArgument,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    Unauthenticated,
    FailedPrecondition,
    ResourceExhausted,
    Aborted,
    Cancelled,
    DeadlineExceeded,
    Unavailable,
    DataLoss,
    Unimplemented,
    Internal,
};

// Whether the same call may succeed when it is made again without any change.
bool isRetryable(ErrorCode code);
QString errorCodeName(ErrorCode code);

// A failure as a value. `message` is for people: what happened, why, what to do; it holds no path of the host and no
// secret. `reason` is a stable SCREAMING_SNAKE token that programs may match on. `detail` goes to the log only.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    QString message;
    QString reason;
    QString detail;
    std::source_location where;

    // Prepends what was being done: "waking the box: the disk is full".
    Error withContext(const QString& doing) &&;
    Error withDetail(QString text) &&;
};

} // namespace cocoonbox
