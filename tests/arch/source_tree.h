// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QDirIterator>
#include <QFile>
#include <QStringList>

namespace cocoonbox::arch {

inline const QString kRoot = QStringLiteral(COCOONBOX_SOURCE_DIR "/");

// Hand-written sources below `folders`, as paths from the root of the tree, sorted.
inline QStringList sources(const QStringList& folders, const QStringList& patterns)
{
    QStringList found;
    for (const QString& folder : folders) {
        QDirIterator files(kRoot + folder, patterns, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            found << files.next().mid(kRoot.size());
    }
    found.sort();
    return found;
}

inline QStringList linesOf(const QString& path)
{
    QFile file(kRoot + path);
    if (!file.open(QIODevice::ReadOnly)) return {};
    QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
    if (!lines.isEmpty() && lines.last().isEmpty()) lines.removeLast();
    return lines;
}

} // namespace cocoonbox::arch
