// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <QByteArray>
#include <QString>

namespace cocoonbox::agent::serve::loop {

// One line for people about a call: the command, the path. At most 512 bytes.
QString summaryOf(const QString& tool, const QByteArray& argumentsJson);

// How long a call may take: what the shell was given, else two minutes.
std::chrono::milliseconds limitOf(const QString& tool, const QByteArray& argumentsJson);

} // namespace cocoonbox::agent::serve::loop
