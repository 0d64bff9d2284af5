// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/wires/wire.h"

namespace cocoonbox::agent::serve::wires::chat {

enum class AskUsage { No, Yes };

// The body of POST /v1/chat/completions. The same request always gives the same bytes, so that a server's prompt cache
// finds its prefix again.
QByteArray encodeRequest(const ModelRequest& request, AskUsage askUsage);

} // namespace cocoonbox::agent::serve::wires::chat
