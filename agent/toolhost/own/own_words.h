// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QStringList>

namespace cocoonbox::agent::toolhost::own {

inline const QStringList kOwnWords{QStringLiteral("files"), QStringLiteral("desktop")};

// `cocoonbox-agent files|desktop …`, as port/own_program.h says; the exit code. The workspace is where it is started.
int runOwn(const QStringList& words);

} // namespace cocoonbox::agent::toolhost::own
