// SPDX-License-Identifier: AGPL-3.0-only
#include "common/config/paths.h"

#include <QDir>
#include <QStandardPaths>
#include <sys/stat.h>
#include <unistd.h>

namespace cocoonbox::config {

namespace {

QString under(QStandardPaths::StandardLocation location)
{
    return QStandardPaths::writableLocation(location) + QStringLiteral("/cocoonbox");
}

} // namespace

QString configDir()
{
    return under(QStandardPaths::GenericConfigLocation);
}
QString dataDir()
{
    return under(QStandardPaths::GenericDataLocation);
}
QString stateDir()
{
    return under(QStandardPaths::GenericStateLocation);
}
QString cacheDir()
{
    return under(QStandardPaths::GenericCacheLocation);
}

QString runtimeDir()
{
    // QStandardPaths would warn and make a folder of its own where the variable is unset.
    const QString given = qEnvironmentVariable("XDG_RUNTIME_DIR");
    if (!given.isEmpty()) return given + QStringLiteral("/cocoonbox");
    return QDir::tempPath() + QStringLiteral("/cocoonbox-%1").arg(::getuid());
}

Result<void> ensurePrivateDir(const QString& path)
{
    const QByteArray name = QFile::encodeName(path);
    if (const QString parent = QFileInfo(path).path(); !QDir().mkpath(parent))
        return fail(ErrorCode::Unavailable, QStringLiteral("Cannot make the folder %1.").arg(parent),
                    QStringLiteral("DIRECTORY_UNWRITABLE"));
    if (::mkdir(name.constData(), 0700) != 0 && errno != EEXIST)
        return fail(ErrorCode::Unavailable,
                    QStringLiteral("Cannot make the folder %1: %2.").arg(path, qt_error_string(errno)),
                    QStringLiteral("DIRECTORY_UNWRITABLE"));
    struct stat status{};
    if (::lstat(name.constData(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::getuid() ||
        (status.st_mode & 022) != 0)
        return fail(ErrorCode::FailedPrecondition,
                    QStringLiteral("%1 must be a folder of this user that no other can write to; run "
                                   "\"chmod 700 %1\" or choose another.")
                        .arg(path),
                    QStringLiteral("DIRECTORY_UNSAFE"));
    return {};
}

} // namespace cocoonbox::config
