// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/exit_code.h"

#include <QHash>

namespace cocoonbox::app::cli {

int exitCodeOf(const Error& error)
{
    if (error.reason == u"OPERATION_FAILED") return kFailed;
    switch (error.code) {
    case ErrorCode::InvalidArgument: return kUsage;
    case ErrorCode::Unauthenticated: return kSignInNeeded;
    case ErrorCode::NotFound: return kNotFound;
    case ErrorCode::AlreadyExists:
    case ErrorCode::FailedPrecondition:
    case ErrorCode::Aborted: return kConflict;
    case ErrorCode::DeadlineExceeded: return kTimeout;
    case ErrorCode::PermissionDenied: return kRefused;
    case ErrorCode::Cancelled: return kInterrupted;
    case ErrorCode::ResourceExhausted:
    case ErrorCode::Unavailable:
    case ErrorCode::DataLoss:
    case ErrorCode::Unimplemented:
    case ErrorCode::Internal: break;
    }
    return kFailed;
}

QString hintFor(const Error& error)
{
    static const QHash<QString, QString> kHints{
        {QStringLiteral("SIGNED_OUT"), QStringLiteral("sign in with: cocoonbox login")},
        {QStringLiteral("TOKEN_UNKNOWN"), QStringLiteral("sign in again with: cocoonbox login")},
        {QStringLiteral("TOKEN_MISSING"), QStringLiteral("sign in with: cocoonbox login")},
        {QStringLiteral("API_UNREACHABLE"),
         QStringLiteral("start the api, or name another one with --api-url or COCOONBOX_API_URL")},
        {QStringLiteral("BOX_UNKNOWN"), QStringLiteral("see your boxes with: cocoonbox status")},
        {QStringLiteral("BOX_NONE"), QStringLiteral("make one with: cocoonbox ensure")},
        {QStringLiteral("BOX_AMBIGUOUS"), QStringLiteral("name it with --box NAME or COCOONBOX_BOX")},
        {QStringLiteral("BOX_ASLEEP"), QStringLiteral("wake it with: cocoonbox ensure NAME")},
        {QStringLiteral("BOX_STARTING"), QStringLiteral("wait for it with: cocoonbox ensure NAME")},
        {QStringLiteral("BOX_BUSY"), QStringLiteral("see what it does with: cocoonbox status")},
        {QStringLiteral("TURN_RUNNING"),
         QStringLiteral("see it with: cocoonbox transcript --follow; stop it with: cocoonbox cancel")},
        {QStringLiteral("AGENT_UNKNOWN"), QStringLiteral("see the agents with: cocoonbox agents")},
        {QStringLiteral("AGENT_NONE"), QStringLiteral("start one with: cocoonbox send --new PROMPT")},
        {QStringLiteral("USAGE"), QStringLiteral("see: cocoonbox help")},
    };
    return kHints.value(error.reason);
}

} // namespace cocoonbox::app::cli
