// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QStringList>

namespace cocoonbox::agent::toolhost::desktop {

// What the words `desktop …` of port/own_program.h do, without the first of them. Standard input and output are as
// written there.
Result<void> runDesktop(const QStringList& words);

} // namespace cocoonbox::agent::toolhost::desktop
