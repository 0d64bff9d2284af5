// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

namespace cocoonbox::agent::serve::desktop {

// What a person can have changed on the screen, as far as it is told in words.
struct ScreenState {
    QMap<qint64, QString> windows; // titles, by the window's number
    qint64 focus = 0;
    QString clipboard; // a token of the copy
    bool isKnown = false;
};
// Of the program's `desktop state`; bounded.
ScreenState parseScreenState(const QByteArray& json);

struct FileChange {
    QString path;
    bool isNew = false;
};
struct FileChanges {
    QList<FileChange> files;
    bool more = false;
};
FileChanges parseFileChanges(const QByteArray& json);

// What is different, as sentences for agents and people; empty: nothing. `who` held the screen for `seconds`.
QString describeHandBack(const QString& who, qint64 seconds, const ScreenState& before, const ScreenState& after,
                         const FileChanges& files);

} // namespace cocoonbox::agent::serve::desktop
