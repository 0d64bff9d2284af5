// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/call.h"

namespace cocoonbox::rpc {

void applyOptions(grpc::ClientContext& context, const CallOptions& options)
{
    if (options.timeout.count() > 0) context.set_deadline(std::chrono::system_clock::now() + options.timeout);
    for (const auto& [key, value] : options.metadata)
        context.AddMetadata(key.toStdString(), value.toStdString());
}

Result<void> resultOf(const grpc::Status& status, const grpc::ClientContext& context)
{
    if (status.ok()) return {};
    return std::unexpected(fromGrpcStatus(status, reasonOf(context.GetServerTrailingMetadata())));
}

} // namespace cocoonbox::rpc
