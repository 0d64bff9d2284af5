// SPDX-License-Identifier: AGPL-3.0-only
#include "common/rpc/runtime.h"

#include <grpc/support/log.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <memory>
#include <QLoggingCategory>

namespace cocoonbox::rpc {

namespace {

Q_LOGGING_CATEGORY(grpcLog, "cocoonbox.rpc.grpc", QtInfoMsg)

void log(gpr_log_func_args* said)
{
    switch (said->severity) {
    case GPR_LOG_SEVERITY_DEBUG: qCDebug(grpcLog).noquote() << said->message; return;
    case GPR_LOG_SEVERITY_INFO: qCInfo(grpcLog).noquote() << said->message; return;
    case GPR_LOG_SEVERITY_ERROR: qCWarning(grpcLog).noquote() << said->message; return;
    }
}

struct Call {
    grpc::ClientContext context;
    grpc::Slice nothing{"", 0};
    grpc::ByteBuffer request{&nothing, 1}; // a buffer without a slice is no message at all
    grpc::ByteBuffer reply;
};

// A channel takes its share of the threads at its first call and gives it back when it is destroyed, which this is not.
bool holdThreads()
{
    auto* channel =
        new std::shared_ptr<grpc::Channel>(grpc::CreateChannel("unix:/dev/null", grpc::InsecureChannelCredentials()));
    auto* call = new Call;
    call->context.TryCancel();
    grpc::GenericStub(*channel).UnaryCall(&call->context, "/none", {}, &call->request, &call->reply,
                                          [call](const grpc::Status&) { delete call; });
    return true;
}

} // namespace

void prepareRuntime()
{
    [[maybe_unused]] static const bool kReady = [] {
        gpr_set_log_function(log);
        return holdThreads();
    }();
}

} // namespace cocoonbox::rpc
