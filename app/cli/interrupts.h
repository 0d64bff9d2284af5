// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <functional>

namespace cocoonbox::app::cli {

// Calls `handler` on the main loop for SIGINT, SIGTERM, SIGHUP and SIGWINCH, instead of their usual effect. One at a
// time; a later call replaces the handler.
void onSignals(std::function<void(int)> handler);

} // namespace cocoonbox::app::cli
