// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QByteArray>
#include <QString>

namespace cocoonbox::agent::toolhost::own {

inline constexpr qsizetype kNameBytesMax = 255; // of the file system

// A name for a file that somebody calls `wanted`: the last part of a path, composed (NFC), without control, format and
// path characters, leading dots and blanks at its ends; at most kNameBytesMax bytes, cut before its extension.
// InvalidArgument: NAME_INVALID when nothing is left.
Result<QString> safeName(const QString& wanted);

// "name.ext" for 1, "name (2).ext" for 2 and so on, within kNameBytesMax. `name` is a safe one. ".tar.gz" and its like
// count as one extension.
QString numberedName(const QString& name, int number);

} // namespace cocoonbox::agent::toolhost::own
