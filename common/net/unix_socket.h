// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"
#include "common/net/unique_fd.h"

#include <optional>
#include <sys/types.h>

// Unix sockets in folders that the other side may write to. The folder is opened O_PATH|O_NOFOLLOW|O_DIRECTORY, the
// entry O_PATH|O_NOFOLLOW, what was opened is checked to be a socket, and the connection goes through
// /proc/self/fd/N: nothing that is swapped in afterwards is followed. Paths may be longer than sockaddr_un's 107 bytes.
namespace cocoonbox::net {

// Opens a folder for connectUnixIn and listenUnixIn. The last component may not be a link.
Result<UniqueFd> openDirectory(const QString& path);

// A connected, non-blocking, close-on-exec socket. Never waits. NotFound: SOCKET_MISSING. FailedPrecondition:
// SOCKET_IS_NOT_A_SOCKET (a link, a FIFO, a file…). Unavailable: SOCKET_REFUSED (nobody listens), SOCKET_BUSY (the
// listener's queue is full), both worth another try.
Result<UniqueFd> connectUnixIn(int directoryFd, const QString& name);
Result<UniqueFd> connectUnixIn(const QString& directory, const QString& name);
Result<UniqueFd> connectUnix(const QString& path);

struct ListenOptions {
    mode_t mode = 0600;
    std::optional<uid_t> owner;
    std::optional<gid_t> group;
    int backlog = 128;
};

// A listening, non-blocking socket at folder/name. A socket left by an earlier process is replaced in one step
// (rename), so clients see the old one or the new one; anything else in its place is AlreadyExists: SOCKET_PATH_TAKEN.
Result<UniqueFd> listenUnixIn(int directoryFd, const QString& name, const ListenOptions& options = {});
Result<UniqueFd> listenUnix(const QString& path, const ListenOptions& options = {});

// The next connection, non-blocking and close-on-exec; an invalid fd when none waits.
Result<UniqueFd> acceptFrom(int listener);

struct PeerCredentials {
    pid_t pid = 0;
    uid_t uid = 0;
    gid_t gid = 0;
};
// Who was at the other end when it connected (SO_PEERCRED).
Result<PeerCredentials> peerCredentials(int fd);

} // namespace cocoonbox::net
