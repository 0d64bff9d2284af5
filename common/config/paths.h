// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QString>

// Where a user's cocoonbox keeps its files (XDG Base Directory). None of these is created by asking.
namespace cocoonbox::config {

QString configDir();  // $XDG_CONFIG_HOME/cocoonbox
QString dataDir();    // $XDG_DATA_HOME/cocoonbox
QString stateDir();   // $XDG_STATE_HOME/cocoonbox
QString cacheDir();   // $XDG_CACHE_HOME/cocoonbox
QString runtimeDir(); // $XDG_RUNTIME_DIR/cocoonbox, or a folder of the user under the temporary directory

// Makes the folder and its parents, the last one with mode 0700; refuses one that another user owns or can write to.
// FailedPrecondition: DIRECTORY_UNSAFE. Unavailable: DIRECTORY_UNWRITABLE.
Result<void> ensurePrivateDir(const QString& path);

} // namespace cocoonbox::config
