// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/private_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <QFile>
#include <QFileInfo>
#include <sys/stat.h>
#include <unistd.h>

namespace cocoonbox::app::client {

namespace {

constexpr qint64 kBytesMax = 64 * 1024;

auto unwritable(const QString& path, int problem)
{
    return fail(ErrorCode::Unavailable,
                QStringLiteral("%1 cannot be written (%2).").arg(path, QString::fromLocal8Bit(strerror(problem))),
                QStringLiteral("FILE_UNWRITABLE"));
}

int writeAll(int fd, const QByteArray& content)
{
    qsizetype done = 0;
    while (done < content.size()) {
        const ssize_t part = ::write(fd, content.constData() + done, static_cast<size_t>(content.size() - done));
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return errno;
        done += part;
    }
    return ::fsync(fd) == 0 ? 0 : errno;
}

} // namespace

Result<void> writePrivateFile(const QString& path, const QByteArray& content)
{
    const QByteArray finalPath = QFile::encodeName(path);
    const QByteArray draftPath = finalPath + ".new-" + QByteArray::number(getpid());
    ::unlink(draftPath.constData());
    const int fd = ::open(draftPath.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return unwritable(path, errno);
    int problem = writeAll(fd, content);
    ::close(fd);
    if (problem == 0 && ::rename(draftPath.constData(), finalPath.constData()) != 0) problem = errno;
    if (problem == 0) return {};
    ::unlink(draftPath.constData());
    return unwritable(path, problem);
}

Result<std::optional<QByteArray>> readPrivateFile(const QString& path)
{
    QFile file(path);
    if (!file.exists()) return std::nullopt;
    if (!file.open(QIODevice::ReadOnly))
        return fail(ErrorCode::PermissionDenied, QStringLiteral("%1 cannot be read.").arg(path),
                    QStringLiteral("FILE_UNREADABLE"));
    struct stat status{};
    if (::fstat(file.handle(), &status) != 0 || (status.st_mode & 077) != 0)
        return fail(
            ErrorCode::PermissionDenied,
            QStringLiteral("%1 can be read by others; run \"chmod 600 %1\" and sign in with a new token.").arg(path),
            QStringLiteral("FILE_EXPOSED"));
    return file.read(kBytesMax);
}

} // namespace cocoonbox::app::client
