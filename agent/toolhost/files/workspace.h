// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <QByteArray>
#include <QString>

namespace cocoonbox::agent::toolhost::files {

// Where relative paths start, and what the file tools hold in common. The tools run as `user` and reach what `user`
// may; a link is followed for reading, but a write through a link out of the workspace is refused: the model asked for
// one file and would change another.
class Workspace {
public:
    explicit Workspace(QString root) : m_root(std::move(root)) {}

    const QString& root() const { return m_root; }
    // Absolute and clean ("~" is the home folder). InvalidArgument: empty, too long, or with a zero byte.
    Result<QString> resolve(const QString& path) const;
    // The file that a write to `path` changes: links resolved. FailedPrecondition when it is a folder or a device, or a
    // link that leads out of the workspace.
    Result<QString> writeTarget(const QString& path) const;

private:
    QString m_root;
};

// Opens a regular file without waiting (a FIFO is refused, not read) and gives its size.
struct OpenedFile {
    net::UniqueFd fd;
    qint64 size = 0;
    mode_t mode = 0;
};
Result<OpenedFile> openRegular(const QString& path);
Result<QByteArray> readWhole(const QString& path, qint64 bytesMax);
// Replaces the file in one step; keeps the mode of the one that was there. Missing folders are made.
Result<void> replaceFile(const QString& path, const QByteArray& content);
// A NUL among the first bytes: not text.
bool looksBinary(QByteArrayView head);

} // namespace cocoonbox::agent::toolhost::files
