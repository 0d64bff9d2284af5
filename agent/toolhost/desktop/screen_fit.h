// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

namespace cocoonbox::agent::toolhost::desktop {

// Keeps the screen's only output as large as the screen. A viewer may ask the X server's RFB module for any size; for
// one that no mode of the configuration has, the module makes the screen so large but leaves its output off, and
// programs then know no monitor. Here the size gets a mode of its own. Sleeps until the size changes; ends when the
// server is gone.
Result<void> fitOutput();

} // namespace cocoonbox::agent::toolhost::desktop
