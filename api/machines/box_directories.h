// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"

namespace cocoonbox::api::machines {

// What the host keeps of a box for its machine, under <data-dir>/boxes/<box_id>:
//
//   run/identity/   0755  the identity file                    the box sees it read-only
//   run/agent/      0770  agent.sock, which the box makes      the box writes: hostile
//   run/screen/     0770  rfb.sock, which the box makes        the box writes: hostile
//   run/door/       0750  the listeners of the host, group 990 the box sees it read-only
//   meta.json       0600  small values kept with the machine
//
// The box's own directory is 0700, so that no other account of the host gets at what a box writes. In a rootless
// backend the group of run/door stays the host user's own, which is root's in the box. Every box id is checked before
// it becomes part of a path. Calls take a few file operations and are made on the domain thread.
class BoxDirectories final {
public:
    // Makes <data-dir>/boxes when it is missing. FailedPrecondition DATA_DIR_UNUSABLE.
    static Result<BoxDirectories> open(const QString& dataDirectory);

    // The directory without links in its path.
    const QString& dataDirectory() const { return m_dataDirectory; }
    QString box(const QString& boxId) const;
    QString channel(const QString& boxId, Channel channel) const;
    QString identity(const QString& boxId) const;
    QString door(const QString& boxId) const;

    // For a new machine: makes what is missing, leaves the directories that are there, forgets an earlier machine's
    // meta. InvalidArgument BOX_ID_INVALID, ResourceExhausted DISK_FULL.
    Result<void> prepare(const QString& boxId) const;

    // Replaces the file in one step. It need not survive a crash of the host: each wake delivers anew.
    Result<void> writeIdentity(const Identity& identity) const;

    // Empty when nothing was ever set; DataLoss META_DAMAGED when the file cannot be read.
    Result<QHash<QString, QString>> meta(const QString& boxId) const;
    Result<void> setMeta(const QString& boxId, const QString& key, const QString& value) const;

private:
    explicit BoxDirectories(QString dataDirectory) : m_dataDirectory(std::move(dataDirectory)) {}

    QString m_dataDirectory;
};

Result<void> checkBoxId(const QString& boxId);
Result<void> checkIdentity(const Identity& identity, const QString& boxId);

} // namespace cocoonbox::api::machines
