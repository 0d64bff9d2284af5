// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/tools/own_program.h"
#include "common/rpc/serve.h"

#include "cocoonbox/agent/v1/session.pb.h"

namespace cocoonbox::agent::serve::rpc {

using ClipboardWriter = cocoonbox::rpc::StreamWriter<v1::ClipboardChunk>;
using ClipboardStream = cocoonbox::rpc::BidiStream<v1::ClipboardChunk, v1::ClipboardWritten>;

// Session.ReadClipboard and Session.WriteClipboard for a caller that was let in; errors of session.proto.
Task<void> readClipboard(tools::ToolhostClient& toolhost, QString type, ClipboardWriter& writer, std::stop_token stop);
Task<void> writeClipboard(tools::ToolhostClient& toolhost, ClipboardStream& stream, std::stop_token stop);

} // namespace cocoonbox::agent::serve::rpc
