// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

namespace cocoonbox::rpc {

// Readies gRPC for this process; whoever makes a channel or a server calls it, all but the first call do nothing.
// gRPC's own words go through the process's log (category cocoonbox.rpc.grpc, level by GRPC_VERBOSITY).
// The threads of its callback interface are kept until the process ends: gRPC 1.51 ends them with the last channel or
// server, and now and then aborts as it does (grpc_cq_internal_unref, one end in 150 on a loaded machine).
void prepareRuntime();

} // namespace cocoonbox::rpc
