// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/cli/command.h"

namespace cocoonbox::app::cli {

// Waits for the operation with its phases as progress; `doing` begins the line: "Waking main".
Task<void> waitForOperation(Call call, QString operationId, QString doing);

inline OptionSpec noWaitOption()
{
    return {QStringLiteral("no-wait"), {}, {}, QStringLiteral("do not wait until it is done")};
}
inline OptionSpec waitOption()
{
    return {QStringLiteral("wait"), {}, {}, QStringLiteral("wait until it is done (the default)")};
}

} // namespace cocoonbox::app::cli
