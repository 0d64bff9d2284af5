// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/files/workspace.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

namespace {

QString systemReason()
{
    return QString::fromLocal8Bit(std::strerror(errno));
}

ErrorCode codeOf(int error)
{
    if (error == ENOENT || error == ENOTDIR) return ErrorCode::NotFound;
    return error == EACCES || error == EPERM ? ErrorCode::PermissionDenied : ErrorCode::FailedPrecondition;
}

} // namespace

Result<QString> Workspace::resolve(const QString& path) const
{
    if (path.isEmpty() || path.size() > 4096 || path.contains(QChar(0)))
        return fail(ErrorCode::InvalidArgument, u"The path is empty, too long, or holds a zero byte."_s);
    if (path == "~"_L1 || path.startsWith("~/"_L1)) return QDir::cleanPath(QDir::homePath() + path.sliced(1));
    return QDir::cleanPath(QDir(m_root).absoluteFilePath(path));
}

Result<QString> Workspace::writeTarget(const QString& path) const
{
    TRY_ASSIGN(const QString absolute, resolve(path));
    struct stat status{};
    if (::lstat(QFile::encodeName(absolute).constData(), &status) != 0) return absolute;
    if (S_ISDIR(status.st_mode)) return fail(ErrorCode::FailedPrecondition, u"%1 is a folder."_s.arg(absolute));
    if (S_ISREG(status.st_mode)) return absolute;
    if (!S_ISLNK(status.st_mode))
        return fail(ErrorCode::FailedPrecondition, u"%1 is a device, a pipe or a socket, not a file."_s.arg(absolute));
    const QString target = QFileInfo(absolute).canonicalFilePath();
    if (target.isEmpty())
        return fail(ErrorCode::FailedPrecondition,
                    u"%1 is a link that leads nowhere. Remove it first."_s.arg(absolute));
    const QString root = QFileInfo(m_root).canonicalFilePath();
    if (absolute.startsWith(m_root + u'/') && !target.startsWith(root + u'/'))
        return fail(
            ErrorCode::FailedPrecondition,
            u"%1 is a link to %2, outside the workspace. Name that file itself if you mean it, or remove the link."_s
                .arg(absolute, target));
    return writeTarget(target);
}

Result<OpenedFile> openRegular(const QString& path)
{
    OpenedFile file;
    file.fd = net::UniqueFd(::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (!file.fd.isValid()) return fail(codeOf(errno), u"%1 cannot be opened: %2."_s.arg(path, systemReason()));
    struct stat status{};
    (void)::fstat(file.fd.get(), &status);
    if (S_ISDIR(status.st_mode)) return fail(ErrorCode::FailedPrecondition, u"%1 is a folder. Use ls."_s.arg(path));
    if (!S_ISREG(status.st_mode))
        return fail(ErrorCode::FailedPrecondition, u"%1 is a device, a pipe or a socket, not a file."_s.arg(path));
    file.size = status.st_size;
    file.mode = status.st_mode & 07777;
    return file;
}

Result<QByteArray> readWhole(const QString& path, qint64 bytesMax)
{
    TRY_ASSIGN(const OpenedFile file, openRegular(path));
    QByteArray content;
    char buffer[64 * 1024];
    for (;;) {
        const ssize_t n = ::read(file.fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(ErrorCode::FailedPrecondition, u"%1 cannot be read: %2."_s.arg(path, systemReason()));
        if (n == 0) return content;
        content.append(buffer, n);
        if (content.size() > bytesMax)
            return fail(
                ErrorCode::ResourceExhausted,
                u"%1 is larger than %2 MiB. Change it with a command in the shell."_s.arg(path).arg(bytesMax >> 20));
    }
}

Result<void> replaceFile(const QString& path, const QByteArray& content)
{
    const QFileInfo where(path);
    if (!QDir().mkpath(where.path()))
        return fail(codeOf(errno), u"The folder %1 cannot be made: %2."_s.arg(where.path(), systemReason()));
    struct stat before{};
    const QByteArray target = QFile::encodeName(path);
    const bool isThere = ::lstat(target.constData(), &before) == 0 && S_ISREG(before.st_mode);
    if (isThere && ::access(target.constData(), W_OK) != 0)
        return fail(ErrorCode::PermissionDenied, u"%1 may not be written: %2."_s.arg(path, systemReason()));
    QByteArray temporary = QFile::encodeName(where.path() + u"/.cocoonbox-write-XXXXXX"_s);
    const net::UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!fd.isValid()) return fail(codeOf(errno), u"%1 cannot be written: %2."_s.arg(path, systemReason()));
    const mode_t mask = ::umask(0);
    (void)::umask(mask);
    bool isWritten = ::fchmod(fd.get(), isThere ? before.st_mode & 07777 : 0666 & ~mask) == 0;
    for (qsizetype at = 0; isWritten && at < content.size();) {
        const ssize_t n = ::write(fd.get(), content.constData() + at, static_cast<size_t>(content.size() - at));
        if (n > 0)
            at += n;
        else
            isWritten = n < 0 && errno == EINTR;
    }
    if (isWritten && ::rename(temporary.constData(), target.constData()) == 0) return {};
    const QString reason = systemReason();
    (void)::unlink(temporary.constData());
    return fail(ErrorCode::FailedPrecondition, u"%1 cannot be written: %2. It is as it was."_s.arg(path, reason));
}

bool looksBinary(QByteArrayView head)
{
    return head.first(std::min<qsizetype>(head.size(), 8192)).contains('\0');
}

} // namespace cocoonbox::agent::toolhost::files
