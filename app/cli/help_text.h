// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/command.h"

namespace cocoonbox::app::cli {

QString overview(const Console& console);
QString helpOf(const Command& command, const Console& console);

} // namespace cocoonbox::app::cli
