// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/file_words.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fts.h>
#include <memory>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <vector>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

namespace {

constexpr qint64 kLookMs = 500;
constexpr size_t kFoundMax = 10'000;

struct Found {
    QByteArray path; // below the folder
    qint64 changedMs = 0;
    bool isNew = false;
};

struct CloseTree {
    void operator()(FTS* tree) const { ::fts_close(tree); }
};

qint64 milliseconds(const statx_timestamp& time)
{
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
}

// Nothing when it is older, or of no interest.
std::optional<Found> look(const FTSENT& entry, qsizetype prefix, qint64 sinceMs)
{
    struct statx status{};
    if (::statx(AT_FDCWD, entry.fts_accpath, AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_MTIME | STATX_CTIME, &status) !=
        0)
        return std::nullopt;
    const qint64 born = (status.stx_mask & STATX_BTIME) ? milliseconds(status.stx_btime) : 0;
    const qint64 changed = std::max(milliseconds(status.stx_mtime), born);
    // A file that was moved or unpacked here has an old time, but its place in the folder is new.
    const bool isNew = born >= sinceMs;
    if (!isNew && changed < sinceMs) return std::nullopt;
    return Found{QByteArray(entry.fts_path).sliced(prefix), changed, isNew};
}

} // namespace

QJsonObject recentFiles(const QString& folder, qint64 sinceMs)
{
    QElapsedTimer elapsed;
    elapsed.start();
    QByteArray root = QFile::encodeName(folder);
    char* roots[] = {root.data(), nullptr};
    const std::unique_ptr<FTS, CloseTree> tree(
        ::fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV | FTS_NOSTAT, nullptr));
    std::vector<Found> found;
    bool more = false;
    while (FTSENT* entry = tree ? ::fts_read(tree.get()) : nullptr) {
        if (elapsed.elapsed() > kLookMs || found.size() >= kFoundMax) {
            more = true;
            break;
        }
        const bool isHidden = entry->fts_level > 0 && entry->fts_name[0] == '.';
        if (isHidden || (entry->fts_info == FTS_D && qstrcmp(entry->fts_name, "node_modules") == 0))
            (void)::fts_set(tree.get(), entry, FTS_SKIP);
        const bool isFile = entry->fts_info == FTS_NSOK || entry->fts_info == FTS_F;
        if (isHidden || !isFile) continue;
        if (auto recent = look(*entry, root.size() + 1, sinceMs)) found.push_back(*std::move(recent));
    }
    std::ranges::sort(found, std::ranges::greater(), &Found::changedMs);
    QJsonArray files;
    for (const Found& file : found) {
        if (files.size() >= kRecentMax) {
            more = true;
            break;
        }
        files.append(QJsonObject{{u"path"_s, QString::fromUtf8(file.path)}, {u"new"_s, file.isNew}});
    }
    return {{u"files"_s, files}, {u"more"_s, more}};
}

} // namespace cocoonbox::agent::toolhost::own
