// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

namespace cocoonbox::rpc {

// gRPC 1.51 ends the threads of its callback interface with the last channel or server of the process, and now and then
// aborts as it does (grpc_cq_internal_unref, one end in 150 on a loaded machine). This keeps them until the process
// ends. Whoever makes a channel or a server calls it; all but the first call do nothing.
void keepCallbackThreads();

} // namespace cocoonbox::rpc
