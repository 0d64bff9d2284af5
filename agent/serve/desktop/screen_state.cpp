// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/desktop/screen_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::desktop {

namespace {

constexpr int kWindowsMax = 64;
constexpr int kTitleCharsMax = 80;
constexpr int kNamedMax = 8; // windows of each kind of change
constexpr int kFilesMax = 20;
constexpr int kPathCharsMax = 200;

// Titles and names come from programs and web pages: one line, quoted, short.
QString quoted(const QString& text, int charsMax)
{
    QString line = text.simplified();
    if (line.size() > charsMax) line = line.left(charsMax) + u'…';
    return u'“' + line.replace(u'“', u'"').replace(u'”', u'"') + u'”';
}

void addLine(QStringList& lines, const QString& what, const QStringList& names)
{
    if (names.isEmpty()) return;
    QString line = u"- %1: %2"_s.arg(what, names.first(std::min<qsizetype>(names.size(), kNamedMax)).join(u", "));
    if (names.size() > kNamedMax) line += u" and %1 more"_s.arg(names.size() - kNamedMax);
    lines.append(line);
}

void addWindows(QStringList& lines, const ScreenState& before, const ScreenState& after)
{
    QStringList opened;
    QStringList closed;
    QStringList renamed;
    for (const auto& [window, title] : after.windows.asKeyValueRange()) {
        if (!before.windows.contains(window))
            opened.append(quoted(title, kTitleCharsMax));
        else if (before.windows.value(window) != title)
            renamed.append(quoted(before.windows.value(window), kTitleCharsMax) + u" is now "_s +
                           quoted(title, kTitleCharsMax));
    }
    for (const auto& [window, title] : before.windows.asKeyValueRange())
        if (!after.windows.contains(window)) closed.append(quoted(title, kTitleCharsMax));
    addLine(lines, u"Windows opened"_s, opened);
    addLine(lines, u"Windows closed"_s, closed);
    addLine(lines, u"Titles changed"_s, renamed);
    if (after.focus == before.focus) return;
    lines.append(after.windows.contains(after.focus)
                     ? u"- The focus is on %1"_s.arg(quoted(after.windows.value(after.focus), kTitleCharsMax))
                     : u"- No window has the focus"_s);
}

void addFiles(QStringList& lines, const FileChanges& changes)
{
    QStringList added;
    QStringList changed;
    for (const FileChange& file : changes.files)
        (file.isNew ? added : changed).append(quoted(file.path, kPathCharsMax));
    addLine(lines, u"Files added under /workspace"_s, added);
    addLine(lines, u"Files changed under /workspace"_s, changed);
    if (changes.more) lines.append(u"- There are more files added or changed; list the folder"_s);
}

} // namespace

ScreenState parseScreenState(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    ScreenState state;
    state.isKnown = object.contains("windows"_L1);
    for (const QJsonValue& window : object.value("windows"_L1).toArray())
        if (state.windows.size() < kWindowsMax)
            state.windows.insert(window.toObject().value("id"_L1).toInteger(),
                                 window.toObject().value("title"_L1).toString().left(2 * kTitleCharsMax));
    state.focus = object.value("focus"_L1).toInteger();
    state.clipboard = object.value("clipboard"_L1).toString().left(64);
    return state;
}

FileChanges parseFileChanges(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    FileChanges changes;
    for (const QJsonValue& file : object.value("files"_L1).toArray())
        if (changes.files.size() < kFilesMax)
            changes.files.append({file.toObject().value("path"_L1).toString().left(2 * kPathCharsMax),
                                  file.toObject().value("new"_L1).toBool()});
    changes.more = object.value("more"_L1).toBool();
    return changes;
}

QString describeHandBack(const QString& who, qint64 seconds, const ScreenState& before, const ScreenState& after,
                         const FileChanges& files)
{
    QStringList lines;
    // A state that could not be had is no change.
    if (before.isKnown && after.isKnown) {
        addWindows(lines, before, after);
        if (before.clipboard != after.clipboard) lines.append(u"- The clipboard was changed"_s);
    }
    addFiles(lines, files);
    if (lines.isEmpty()) return {};
    return u"%1 held the screen for %2 s and handed it back. What is different since then:\n"_s.arg(quoted(who, 64))
               .arg(seconds) +
           lines.join(u'\n');
}

} // namespace cocoonbox::agent::serve::desktop
