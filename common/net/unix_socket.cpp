// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/unix_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <QFile>
#include <QFileInfo>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::net {

namespace {

QString errnoText(int error)
{
    return QString::fromLocal8Bit(std::strerror(error));
}

std::unexpected<Error> failure(ErrorCode code, const QString& what, const QString& reason, const QString& name,
                               int error)
{
    auto result = fail(code, what, reason);
    result.error().detail = u"%1: %2"_s.arg(name, errnoText(error));
    return result;
}

// An entry of a folder, never a way out of it.
Result<QByteArray> entryName(const QString& name)
{
    if (name.isEmpty() || name.contains(u'/') || name.contains(QChar(0)) || name == "."_L1 || name == ".."_L1 ||
        name.size() > 255)
        return fail(ErrorCode::InvalidArgument, u"\"%1\" is no name of a socket."_s.arg(name),
                    u"SOCKET_NAME_INVALID"_s);
    return QFile::encodeName(name);
}

// The short address that stands for what `fd` has open, whatever the length of its path.
sockaddr_un addressOf(int fd, const QByteArray& entry = {})
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    QByteArray path = "/proc/self/fd/" + QByteArray::number(fd);
    if (!entry.isEmpty()) path += '/' + entry;
    std::memcpy(address.sun_path, path.constData(),
                std::min<size_t>(static_cast<size_t>(path.size()), sizeof address.sun_path - 1));
    return address;
}

Result<UniqueFd> newSocket()
{
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd.isValid())
        return failure(ErrorCode::ResourceExhausted, u"No more sockets can be opened."_s, u"SOCKETS_EXHAUSTED"_s, {},
                       errno);
    return fd;
}

Result<UniqueFd> openSocketEntry(int directoryFd, const QByteArray& entry, const QString& name)
{
    UniqueFd fd(::openat(directoryFd, entry.constData(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!fd.isValid())
        return failure(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable,
                       u"The socket \"%1\" is not there."_s.arg(name), u"SOCKET_MISSING"_s, name, errno);
    struct stat status{};
    if (::fstat(fd.get(), &status) != 0 || !S_ISSOCK(status.st_mode))
        return failure(ErrorCode::FailedPrecondition,
                       u"What stands in the place of the socket \"%1\" is not a socket."_s.arg(name),
                       u"SOCKET_IS_NOT_A_SOCKET"_s, name, ENOTSOCK);
    return fd;
}

// Mode and owner are set on what was bound, through its own descriptor: a name swapped in between changes nothing.
Result<void> applyPermissions(int directoryFd, const QByteArray& entry, const QString& name,
                              const ListenOptions& options)
{
    TRY_ASSIGN(const UniqueFd fd, openSocketEntry(directoryFd, entry, name));
    const QByteArray self = "/proc/self/fd/" + QByteArray::number(fd.get());
    struct stat status{};
    (void)::fstat(fd.get(), &status);
    const uid_t owner = options.owner.value_or(status.st_uid);
    const gid_t group = options.group.value_or(status.st_gid); // a set-group-id folder may have given it already
    if ((owner != status.st_uid || group != status.st_gid) && ::chown(self.constData(), owner, group) != 0)
        return failure(ErrorCode::PermissionDenied, u"The socket \"%1\" could not be given to its group."_s.arg(name),
                       u"SOCKET_OWNER_REFUSED"_s, name, errno);
    if (::chmod(self.constData(), options.mode) != 0)
        return failure(ErrorCode::PermissionDenied, u"The mode of the socket \"%1\" could not be set."_s.arg(name),
                       u"SOCKET_MODE_REFUSED"_s, name, errno);
    return {};
}

Result<void> refuseOtherKinds(int directoryFd, const QByteArray& entry, const QString& name)
{
    struct stat status{};
    if (::fstatat(directoryFd, entry.constData(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISSOCK(status.st_mode))
        return failure(ErrorCode::AlreadyExists,
                       u"\"%1\" is not a socket, so it is not replaced. Move it away first."_s.arg(name),
                       u"SOCKET_PATH_TAKEN"_s, name, EEXIST);
    return {};
}

} // namespace

Result<UniqueFd> openDirectory(const QString& path)
{
    UniqueFd fd(::open(QFile::encodeName(path).constData(), O_PATH | O_NOFOLLOW | O_DIRECTORY | O_CLOEXEC));
    if (!fd.isValid())
        return failure(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::FailedPrecondition,
                       u"The folder of a socket is missing or is not a folder."_s, u"SOCKET_FOLDER_MISSING"_s, path,
                       errno);
    return fd;
}

Result<UniqueFd> connectUnixIn(int directoryFd, const QString& name)
{
    TRY_ASSIGN(const QByteArray entry, entryName(name));
    TRY_ASSIGN(const UniqueFd target, openSocketEntry(directoryFd, entry, name));
    TRY_ASSIGN(UniqueFd fd, newSocket());
    const sockaddr_un address = addressOf(target.get());
    while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == EINTR) continue;
        if (errno == EAGAIN)
            return failure(ErrorCode::Unavailable, u"The listener of the socket \"%1\" is busy. Try again."_s.arg(name),
                           u"SOCKET_BUSY"_s, name, errno);
        if (errno == EACCES || errno == EPERM)
            return failure(ErrorCode::PermissionDenied,
                           u"The socket \"%1\" may not be used by this account."_s.arg(name), u"SOCKET_FORBIDDEN"_s,
                           name, errno);
        return failure(ErrorCode::Unavailable, u"Nobody listens on the socket \"%1\" now. Try again."_s.arg(name),
                       u"SOCKET_REFUSED"_s, name, errno);
    }
    return fd;
}

Result<UniqueFd> connectUnixIn(const QString& directory, const QString& name)
{
    TRY_ASSIGN(const UniqueFd fd, openDirectory(directory));
    return connectUnixIn(fd.get(), name);
}

Result<UniqueFd> connectUnix(const QString& path)
{
    const QFileInfo split(path);
    return connectUnixIn(split.path(), split.fileName());
}

Result<UniqueFd> listenUnixIn(int directoryFd, const QString& name, const ListenOptions& options)
{
    TRY_ASSIGN(const QByteArray entry, entryName(name));
    TRY_VOID(refuseOtherKinds(directoryFd, entry, name));
    TRY_ASSIGN(UniqueFd fd, newSocket());
    const QByteArray temporary = '.' + QByteArray::number(::getpid()) + '-' + QByteArray::number(fd.get()) + ".sock";
    (void)::unlinkat(directoryFd, temporary.constData(), 0);
    const sockaddr_un address = addressOf(directoryFd, temporary);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return failure(ErrorCode::Unavailable, u"The socket \"%1\" could not be made."_s.arg(name),
                       u"SOCKET_BIND_FAILED"_s, name, errno);
    Result<void> ready = applyPermissions(directoryFd, temporary, name, options);
    if (ready && (::listen(fd.get(), options.backlog) != 0 ||
                  ::renameat(directoryFd, temporary.constData(), directoryFd, entry.constData()) != 0))
        ready = failure(ErrorCode::Unavailable, u"The socket \"%1\" could not be put in its place."_s.arg(name),
                        u"SOCKET_BIND_FAILED"_s, name, errno);
    if (!ready) {
        (void)::unlinkat(directoryFd, temporary.constData(), 0);
        return std::unexpected(ready.error());
    }
    return fd;
}

Result<UniqueFd> listenUnix(const QString& path, const ListenOptions& options)
{
    const QFileInfo split(path);
    TRY_ASSIGN(const UniqueFd directory, openDirectory(split.path()));
    return listenUnixIn(directory.get(), split.fileName(), options);
}

Result<UniqueFd> acceptFrom(int listener)
{
    for (;;) {
        UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (fd.isValid()) return fd;
        switch (errno) {
        case EINTR:
        case ECONNABORTED:
        case EPROTO: continue;
        case EAGAIN: return fd;
        default:
            return failure(ErrorCode::ResourceExhausted, u"A connection could not be taken."_s, u"ACCEPT_FAILED"_s, {},
                           errno);
        }
    }
}

Result<PeerCredentials> peerCredentials(int fd)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
        return failure(ErrorCode::Internal, u"The other end of a socket could not be told."_s, u"PEER_UNKNOWN"_s, {},
                       errno);
    return PeerCredentials{peer.pid, peer.uid, peer.gid};
}

} // namespace cocoonbox::net
