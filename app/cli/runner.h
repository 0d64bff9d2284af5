// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/console.h"

namespace cocoonbox::app::cli {

// Reads the command line, runs the verb on the main loop, and answers the exit code. Needs a QCoreApplication.
int runCommandLine(const QStringList& words, const QProcessEnvironment& environment);

} // namespace cocoonbox::app::cli
