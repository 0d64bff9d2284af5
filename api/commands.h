// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QStringList>

namespace cocoonbox::api {

// Runs one command line (without the program's name) to its end and answers the exit code: 0, 1 failed, 2 wrong usage.
// Results go to stdout, talk to stderr.
int runCommand(const QStringList& arguments);

} // namespace cocoonbox::api
