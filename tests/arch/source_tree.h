// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
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

// The lines of `paths` that `line` matches, as "path: line"; paths that `exempt` matches are passed over.
inline QStringList offences(const QStringList& paths, const QRegularExpression& line,
                            const QRegularExpression& exempt = QRegularExpression(QStringLiteral("(?!)")))
{
    QStringList found;
    for (const QString& path : paths) {
        if (exempt.match(path).hasMatch()) continue;
        for (const QString& text : linesOf(path))
            if (line.match(text).hasMatch()) found << path + QStringLiteral(": ") + text.trimmed();
    }
    return found;
}

} // namespace cocoonbox::arch
