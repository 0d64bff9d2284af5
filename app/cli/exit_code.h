// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/error.h"

namespace cocoonbox::app::cli {

// What a script sees. `exec` answers with the program's own code instead, and kTransport when it never got one.
enum ExitCode : int {
    kOk = 0,
    kFailed = 1,
    kUsage = 2,
    kPartial = 3,
    kSignInNeeded = 4,
    kNotFound = 5,
    kConflict = 6, // something else goes on, or is in the way
    kTimeout = 7,
    kPending = 8, // it waits for an answer of yours
    kRefused = 9, // by policy
    kInterrupted = 130,
    kTerminated = 143,
    kTransport = 255,
};

int exitCodeOf(const Error& error);
// What to do about it, as a line to type where there is one; empty when the message says it all.
QString hintFor(const Error& error);

} // namespace cocoonbox::app::cli
