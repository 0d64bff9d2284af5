// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/own/file_name.h"
#include "agent/toolhost/own/file_words.h"
#include "agent/toolhost/own/own_io.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <QDir>
#include <QFile>
#include <sys/statvfs.h>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::own {

namespace {

constexpr int kNumbersMax = 10'000;
constexpr qint64 kCheckEveryBytes = 8 * 1024 * 1024; // how much is written between looks at the free space
constexpr qint64 kSayEveryBytes = 1024 * 1024;

std::unexpected<Error> diskFull()
{
    return fail(ErrorCode::ResourceExhausted,
                u"The box's disk is full. Delete something in it or enlarge it, then send the file again."_s,
                u"DISK_FULL"_s);
}

// What a signal must take away: the name of a file that is not whole. In memory that a signal handler may read.
char g_partial[kPathBytesMax + 64];

void onEnd(int number)
{
    if (g_partial[0] != '\0') (void)::unlink(g_partial);
    ::_exit(128 + number);
}

// A file being written in a folder; nothing of it stays unless `name` succeeds.
class Partial {
public:
    static Result<Partial> make(const QString& folder)
    {
        Partial partial;
        partial.m_folder =
            net::UniqueFd(::open(QFile::encodeName(folder).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!partial.m_folder.isValid()) return std::unexpected(fileError(folder, errno));
        partial.m_fd = net::UniqueFd(::openat(partial.m_folder.get(), ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644));
        if (partial.m_fd.isValid()) return partial;
        if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return std::unexpected(fileError(folder, errno));
        const QByteArray path = QFile::encodeName(folder) + "/.upload-" + QByteArray::number(::getpid());
        std::strncpy(g_partial, path.constData(), sizeof g_partial - 1);
        for (const int number : {SIGHUP, SIGINT, SIGTERM})
            (void)::signal(number, onEnd);
        partial.m_fd = net::UniqueFd(::open(g_partial, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644));
        if (!partial.m_fd.isValid()) return std::unexpected(fileError(folder, errno));
        partial.m_path = path;
        return partial;
    }
    Partial(Partial&&) = default;
    ~Partial()
    {
        if (!m_path.isEmpty()) (void)::unlink(m_path.constData());
    }

    int fd() const { return m_fd.get(); }

    // The name it got in the end.
    Result<QString> name(const QString& wanted)
    {
        const QByteArray source = m_path.isEmpty() ? "/proc/self/fd/" + QByteArray::number(m_fd.get()) : m_path;
        for (int number = 1; number <= kNumbersMax; ++number) {
            const QString name = numberedName(wanted, number);
            if (::linkat(AT_FDCWD, source.constData(), m_folder.get(), QFile::encodeName(name).constData(),
                         m_path.isEmpty() ? AT_SYMLINK_FOLLOW : 0) == 0)
                return name;
            if (errno != EEXIST) return std::unexpected(fileError(name, errno));
        }
        return fail(ErrorCode::AlreadyExists, u"There are %1 files of this name already."_s.arg(kNumbersMax),
                    u"NAME_TAKEN"_s);
    }

private:
    Partial() = default;

    net::UniqueFd m_folder;
    net::UniqueFd m_fd;
    QByteArray m_path; // empty: it has no name yet
};

Result<void> checkFree(int fd, qint64 needed)
{
    struct statvfs disk{};
    if (::fstatvfs(fd, &disk) != 0) return {};
    const qint64 free = static_cast<qint64>(disk.f_bavail) * static_cast<qint64>(disk.f_frsize);
    if (free < needed + kFreeBytesMin) return diskFull();
    return {};
}

Result<void> store(int fd, QByteArrayView bytes, const QString& name)
{
    if (writeAll(fd, bytes)) return {};
    if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return diskFull();
    return std::unexpected(fileError(name, errno));
}

Result<qint64> storeAll(FramedInput& input, int fd, const Receiving& receiving)
{
    qint64 stored = 0;
    qint64 checkAt = 0;
    qint64 sayAt = kSayEveryBytes;
    for (;;) {
        TRY_ASSIGN(const QByteArray bytes, input.next());
        if (bytes.isEmpty()) return stored;
        if (stored + bytes.size() > checkAt) {
            TRY_VOID(checkFree(fd, kCheckEveryBytes));
            checkAt = stored + kCheckEveryBytes;
        }
        TRY_VOID(store(fd, bytes, receiving.name));
        stored += bytes.size();
        if (stored < sayAt || !receiving.onStored) continue;
        receiving.onStored(stored);
        sayAt = stored + kSayEveryBytes;
    }
}

} // namespace

Result<QJsonObject> receiveFile(FramedInput& input, const Receiving& receiving)
{
    TRY_ASSIGN(const QString wanted, safeName(receiving.name));
    if (!QDir().mkpath(receiving.folder)) return std::unexpected(fileError(receiving.folder, errno));
    TRY_ASSIGN(Partial partial, Partial::make(receiving.folder));
    if (receiving.sizeBytes > 0) {
        TRY_VOID(checkFree(partial.fd(), receiving.sizeBytes));
    }
    TRY_ASSIGN(const qint64 stored, storeAll(input, partial.fd(), receiving));
    if (receiving.sizeBytes >= 0 && stored != receiving.sizeBytes)
        return fail(
            ErrorCode::InvalidArgument,
            u"The file was said to have %1 bytes, and %2 came. Send it again."_s.arg(receiving.sizeBytes).arg(stored),
            u"UPLOAD_SIZE"_s);
    if (::fsync(partial.fd()) != 0 && (errno == ENOSPC || errno == EDQUOT)) return diskFull();
    TRY_ASSIGN(const QString name, partial.name(wanted));
    struct stat status{};
    (void)::fstat(partial.fd(), &status);
    return describeFile(receiving.folder + u'/' + name, status);
}

} // namespace cocoonbox::agent::toolhost::own
