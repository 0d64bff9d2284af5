// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/file_words.h"

#include "agent/toolhost/own/own_io.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <unistd.h>
#include <vector>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

namespace {

constexpr qsizetype kSendBytes = 64 * 1024;
constexpr size_t kScannedMax = 100'000;
constexpr qsizetype kListBytesMax = 2 * 1024 * 1024; // of names and paths: the answer must fit into one message

int kindOf(mode_t mode)
{
    if (S_ISREG(mode)) return 1;
    if (S_ISDIR(mode)) return 2;
    return S_ISLNK(mode) ? 3 : 4;
}

QString whatItIs(mode_t mode)
{
    if (S_ISDIR(mode)) return u"a folder"_s;
    return S_ISLNK(mode) ? u"a link"_s : u"a device, a pipe or a socket"_s;
}

std::unexpected<Error> notRegular(const QString& path, const QString& what)
{
    return fail(ErrorCode::FailedPrecondition, u"%1 is %2, not a file. Name a file."_s.arg(path, what),
                u"FILE_NOT_REGULAR"_s);
}

} // namespace

Result<QString> absolutePath(const QString& workspace, const QString& path)
{
    if (path.toUtf8().size() > kPathBytesMax || path.contains(QChar(0)))
        return fail(ErrorCode::InvalidArgument, u"The path is longer than 4,096 bytes or holds a zero byte."_s,
                    u"PATH_INVALID"_s);
    return QDir::cleanPath(QDir(workspace).absoluteFilePath(path));
}

Error fileError(const QString& path, int systemError)
{
    const QString why = QString::fromLocal8Bit(std::strerror(systemError));
    Error error{ErrorCode::FailedPrecondition,
                u"%1: %2."_s.arg(path, why),
                u"FILE_UNUSABLE"_s,
                {},
                std::source_location::current()};
    if (systemError == ENOENT || systemError == ENOTDIR) {
        error.code = ErrorCode::NotFound;
        error.reason = u"FILE_UNKNOWN"_s;
        error.message = u"There is no %1 in the box."_s.arg(path);
    } else if (systemError == EACCES || systemError == EPERM || systemError == EROFS) {
        error.code = ErrorCode::PermissionDenied;
        error.reason = u"FILE_REFUSED"_s;
        error.message = u"The box's user may not use %1: %2."_s.arg(path, why);
    } else if (systemError == ENOSPC || systemError == EDQUOT) {
        error.code = ErrorCode::ResourceExhausted;
        error.reason = u"DISK_FULL"_s;
        error.message = u"The box's disk is full. Delete something in it or enlarge it."_s;
    } else if (systemError == ENAMETOOLONG || systemError == EINVAL) {
        error.code = ErrorCode::InvalidArgument;
        error.reason = u"PATH_INVALID"_s;
    }
    return error;
}

QJsonObject describeFile(const QString& path, const struct stat& status)
{
    return {{u"name"_s, path.sliced(path.lastIndexOf(u'/') + 1)},
            {u"path"_s, path},
            {u"kind"_s, kindOf(status.st_mode)},
            {u"size"_s, S_ISREG(status.st_mode) ? static_cast<qint64>(status.st_size) : 0},
            {u"modified"_s, status.st_mtim.tv_sec * 1000LL + status.st_mtim.tv_nsec / 1'000'000}};
}

Result<OpenFile> openFile(const QString& path)
{
    OpenFile file;
    file.fd = net::UniqueFd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    const int why = errno;
    if (!file.fd.isValid() && why == ELOOP) {
        const QString target = QFile::symLinkTarget(path);
        return notRegular(path, u"a link to %1"_s.arg(target));
    }
    if (!file.fd.isValid() && (why == ENXIO || why == ENODEV)) return notRegular(path, u"a pipe or a socket"_s);
    if (!file.fd.isValid()) return std::unexpected(fileError(path, why));
    struct stat status{};
    if (::fstat(file.fd.get(), &status) != 0) return std::unexpected(fileError(path, errno));
    if (!S_ISREG(status.st_mode)) return notRegular(path, whatItIs(status.st_mode));
    file.entry = describeFile(path, status);
    file.sizeBytes = status.st_size;
    return file;
}

Result<void> sendFile(const OpenFile& file, int out)
{
    QByteArray buffer(kSendBytes, Qt::Uninitialized);
    for (qint64 left = file.sizeBytes; left > 0;) {
        const ssize_t n = ::read(file.fd.get(), buffer.data(), static_cast<size_t>(std::min<qint64>(left, kSendBytes)));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return fail(ErrorCode::Aborted,
                        u"The file became shorter while it was read. Read it again when it rests."_s,
                        u"FILE_CHANGED"_s);
        if (!writeAll(out, QByteArrayView(buffer).first(n)))
            return fail(ErrorCode::Cancelled, u"Nobody reads the file any more."_s);
        left -= n;
    }
    return {};
}

namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

Result<Folder> openFolder(const QString& path)
{
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOTDIR)
        return fail(ErrorCode::FailedPrecondition, u"%1 is no folder."_s.arg(path), u"FOLDER_EXPECTED"_s);
    if (fd < 0) return std::unexpected(fileError(path, errno));
    return Folder(::fdopendir(fd));
}

struct Listed {
    QByteArray name;
    bool isFolder = false;
};

std::vector<Listed> namesIn(DIR* folder, bool* isComplete)
{
    std::vector<Listed> names;
    while (const dirent* found = ::readdir(folder)) {
        const QByteArray name(found->d_name);
        if (name == "." || name == "..") continue;
        if (names.size() >= kScannedMax) {
            *isComplete = false;
            break;
        }
        names.push_back({name, found->d_type == DT_DIR});
    }
    std::ranges::sort(names, [](const Listed& a, const Listed& b) {
        return a.isFolder != b.isFolder ? a.isFolder : a.name < b.name;
    });
    return names;
}

} // namespace

Result<QJsonObject> listFolder(const QString& path)
{
    TRY_ASSIGN(const Folder folder, openFolder(path));
    bool isComplete = true;
    const std::vector<Listed> names = namesIn(folder.get(), &isComplete);
    const QString prefix = path == u"/" ? path : path + u'/';
    QJsonArray entries;
    qsizetype bytes = 0;
    for (const Listed& listed : names) {
        struct stat status{};
        if (::fstatat(::dirfd(folder.get()), listed.name.constData(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        const QJsonObject entry = describeFile(prefix + QString::fromUtf8(listed.name), status);
        bytes += 2 * listed.name.size() + prefix.size();
        if (entries.size() >= kListedMax || bytes > kListBytesMax) {
            isComplete = false;
            break;
        }
        entries.append(entry);
    }
    return QJsonObject{{u"path"_s, path}, {u"entries"_s, entries}, {u"truncated"_s, !isComplete}};
}

} // namespace cocoonbox::agent::toolhost::own
