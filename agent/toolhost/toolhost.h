// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/tool_server.h"

namespace cocoonbox::agent::toolhost {

// From the environment: COCOONBOX_AGENT__RUN_DIR (tools/tools.sock below it), __WORKSPACE, __SERVE_USER ("cbagent": who
// may connect). FailedPrecondition: USER_UNKNOWN.
Result<ToolhostOptions> loadToolhostOptions();

// Serves until the application quits; the exit code. main has made the QCoreApplication and installed the log.
int runToolhost(const ToolhostOptions& options);

} // namespace cocoonbox::agent::toolhost
