// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <functional>
#include <QJsonObject>
#include <QString>
#include <sys/stat.h>

// What the words `files …` of port/own_program.h do. They run as `user` with that user's rights, so a path is what the
// user could open. Blocking.
namespace cocoonbox::agent::toolhost::own {

class FramedInput;

inline constexpr qint64 kFreeBytesMin = 32 * 1024 * 1024; // a box with a full disk cannot even keep its transcript
inline constexpr qsizetype kPathBytesMax = 4096;
inline constexpr int kListedMax = 1000;
inline constexpr int kRecentMax = 20;

// Absolute and clean; relative ones start at `workspace`. InvalidArgument: PATH_INVALID.
Result<QString> absolutePath(const QString& workspace, const QString& path);
// As FileEntry of files.proto.
QJsonObject describeFile(const QString& path, const struct stat& status);
// The system's reason for a failed call on `path`, as one of the reasons of files.proto.
Error fileError(const QString& path, int systemError);

struct Receiving {
    QString name;
    QString folder;
    qint64 sizeBytes = -1; // -1: not known
    std::function<void(qint64)> onStored;
};
// Writes to a file without a name (where the file system has none such: to a hidden one) and gives it its name when it
// is whole and on the disk. Never overwrites.
Result<QJsonObject> receiveFile(FramedInput& input, const Receiving& receiving);

struct OpenFile {
    net::UniqueFd fd;
    QJsonObject entry;
    qint64 sizeBytes = 0;
};
// A regular file; a link is not followed, for it may lead elsewhere than its name says.
Result<OpenFile> openFile(const QString& path);
// Exactly the size that it had when it was opened. Aborted: FILE_CHANGED.
Result<void> sendFile(const OpenFile& file, int out);

Result<QJsonObject> listFolder(const QString& path);

// Files below `folder` that were made or written at or after `sinceMs`, newest first. Hidden folders are left out; a
// large tree is looked at for half a second.
QJsonObject recentFiles(const QString& folder, qint64 sinceMs);

} // namespace cocoonbox::agent::toolhost::own
