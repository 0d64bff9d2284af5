// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <chrono>
#include <functional>

class QQuickWindow;

namespace cocoonbox::app::gui {

// Saves a PNG of the window's own contents after `delay`, for bug reports and tests; then calls `done`. An existing
// file is replaced. Reasons: GRAB_EMPTY (the window is not shown), GRAB_NOT_WRITTEN.
void grabWindowLater(QQuickWindow* window, const QString& file, std::chrono::milliseconds delay,
                     std::function<void(Result<void>)> done);

} // namespace cocoonbox::app::gui
