// SPDX-License-Identifier: AGPL-3.0-only
#include "common/base/error.h"

#include <array>

namespace cocoonbox {

bool isRetryable(ErrorCode code)
{
    return code == ErrorCode::Unavailable || code == ErrorCode::Aborted || code == ErrorCode::ResourceExhausted;
}

QString errorCodeName(ErrorCode code)
{
    static constexpr std::array kNames = {
        "INVALID_ARGUMENT",    "NOT_FOUND",          "ALREADY_EXISTS", "PERMISSION_DENIED", "UNAUTHENTICATED",
        "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED", "ABORTED",        "CANCELLED",         "DEADLINE_EXCEEDED",
        "UNAVAILABLE",         "DATA_LOSS",          "UNIMPLEMENTED",  "INTERNAL",
    };
    return QString::fromLatin1(kNames.at(static_cast<size_t>(code)));
}

Error Error::withContext(const QString& doing) &&
{
    message = doing + QStringLiteral(": ") + message;
    return std::move(*this);
}

Error Error::withDetail(QString text) &&
{
    detail = std::move(text);
    return std::move(*this);
}

} // namespace cocoonbox
