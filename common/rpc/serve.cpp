// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/serve.h"

namespace cocoonbox::rpc {

RequestContext makeRequestContext(const grpc::CallbackServerContext& context, std::stop_token stop)
{
    RequestContext request;
    for (const auto& [key, value] : context.client_metadata())
        request.metadata.insert(QByteArray(key.data(), static_cast<qsizetype>(key.size())),
                                QByteArray(value.data(), static_cast<qsizetype>(value.size())));
    request.deadline = context.deadline();
    request.stop = std::move(stop);
    return request;
}

grpc::Status finalStatus(grpc::CallbackServerContext& context, const Result<void>& result)
{
    if (result) return grpc::Status::OK;
    if (!result.error().reason.isEmpty()) context.AddTrailingMetadata(kReasonKey, result.error().reason.toStdString());
    return toGrpcStatus(result.error());
}

} // namespace cocoonbox::rpc
