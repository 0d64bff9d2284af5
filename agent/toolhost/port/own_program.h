// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// What serve asks of toolhost's own program (ExecStart with `own`): short programs that run as `user` beside toolhost,
// so that a slow disk or a stubborn X client holds up nobody else. Each reads frames from stdin where it takes a
// content, writes its answer to stdout, and fails with exit code 1 and one line of `failureLine` on stderr.
//
//   files put NAME FOLDER SIZE   frames in; "N\n" so far now and then, then one line of JSON: the file
//   files get PATH               one line of JSON: the file; then its bytes
//   files list PATH              JSON: path, entries, truncated
//   files since MS               JSON: files that were added or changed in the workspace since then, more
//   desktop type                 frames in: UTF-8 text for the window with the focus
//   desktop type-keys TEXT       types as a person does: newlines are Return, tabs Tab; SIGHUP stops between two keys
//   desktop copy TYPE            frames in: the clipboard's new content
//   desktop paste [TYPE]         one line of JSON: type, size; then the bytes
//   desktop watch                lines of JSON: what the clipboard holds, at once and after each change; does not end
//   desktop state                JSON: windows, focus, clipboard
//   desktop fit                  a service of the box: keeps the screen's output as large as the screen; does not end
//
// A frame is a length (u32, little endian) and so many bytes; an empty one says that the content is whole. An input
// that ends without it was broken off, whatever closed it.

#include "common/base/result.h"

#include <QByteArray>

namespace cocoonbox::agent::toolhost::port {

inline constexpr qsizetype kInputFrameBytesMax = 64 * 1024;

QByteArray inputFrame(QByteArrayView bytes);

// One line of JSON and its line end.
QByteArray failureLine(const Error& error);
// What a program that ended with `exitCode` said on stderr; Internal: PROGRAM_FAILED when it said nothing of ours.
Error failureFrom(QByteArrayView said, int exitCode);

} // namespace cocoonbox::agent::toolhost::port
