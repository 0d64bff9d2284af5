// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <optional>
#include <QByteArray>

namespace cocoonbox::app::client {

// A small file only its owner can read. Written whole or not at all, mode 0600 from the first byte on.
Result<void> writePrivateFile(const QString& path, const QByteArray& content);
// Nothing when there is none. PermissionDenied FILE_EXPOSED when others can read it: its secret is no longer one.
Result<std::optional<QByteArray>> readPrivateFile(const QString& path);

} // namespace cocoonbox::app::client
