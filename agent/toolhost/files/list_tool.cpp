// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/arguments.h"
#include "agent/toolhost/files/file_tools.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <QFile>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::files {

namespace {

struct Entry {
    QByteArray name;
    bool isFolder = false;
};

struct FolderCloser {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, FolderCloser>;

Result<Folder> openFolder(const QString& path)
{
    const int fd = ::open(QFile::encodeName(path).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        const QString reason = QString::fromLocal8Bit(std::strerror(errno));
        return fail(ErrorCode::FailedPrecondition, errno == ENOTDIR ? u"%1 is a file. Use read."_s.arg(path)
                                                                    : u"%1 cannot be listed: %2."_s.arg(path, reason));
    }
    return Folder(::fdopendir(fd));
}

// A name may hold anything but a slash: what would break the list is shown as a question mark.
QString printable(QByteArrayView bytes)
{
    QString text = QString::fromUtf8(bytes);
    for (QChar& c : text)
        if (!c.isPrint() && !c.isSurrogate()) c = u'?';
    return text;
}

QString describe(int folder, const Entry& entry)
{
    struct stat status{};
    if (::fstatat(folder, entry.name.constData(), &status, AT_SYMLINK_NOFOLLOW) != 0)
        return u"gone  %1"_s.arg(printable(entry.name));
    const QString name = printable(entry.name);
    if (S_ISDIR(status.st_mode)) return u"folder           - %1/"_s.arg(name);
    if (S_ISREG(status.st_mode)) return u"file  %1 %2"_s.arg(status.st_size, 12).arg(name);
    if (!S_ISLNK(status.st_mode)) return u"other            - %1"_s.arg(name);
    char target[1024];
    const ssize_t n = ::readlinkat(folder, entry.name.constData(), target, sizeof target);
    return u"link             - %1 -> %2"_s.arg(name, printable(QByteArrayView(target, std::max<ssize_t>(n, 0))));
}

Result<QString> listFolder(const QString& path)
{
    TRY_ASSIGN(const Folder folder, openFolder(path));
    std::vector<Entry> entries;
    bool isComplete = true;
    while (const dirent* found = ::readdir(folder.get())) {
        const QByteArray name(found->d_name);
        if (name == "." || name == "..") continue;
        if (entries.size() >= static_cast<size_t>(kListScanMax)) {
            isComplete = false;
            break;
        }
        entries.push_back({name, found->d_type == DT_DIR});
    }
    if (entries.empty()) return u"[%1 is empty.]"_s.arg(path);
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
        return a.isFolder != b.isFolder ? a.isFolder : a.name < b.name;
    });
    QByteArray out;
    size_t shown = 0;
    for (; shown < entries.size() && shown < static_cast<size_t>(kListEntriesMax); ++shown) {
        const QByteArray row = describe(::dirfd(folder.get()), entries[shown]).toUtf8() + '\n';
        if (out.size() + row.size() > kReadBytesMax) break;
        out += row;
    }
    if (shown < entries.size())
        out += u"[%1%2 entries, %3 are shown. Use the shell to see others.]"_s
                   .arg(isComplete ? QString() : u"more than "_s)
                   .arg(entries.size())
                   .arg(shown)
                   .toUtf8();
    return QString::fromUtf8(out);
}

} // namespace

QCoro::Task<ToolResult> ListTool::run(ToolCall call)
{
    Arguments arguments(call.arguments);
    const QString path = arguments.text("path", m_workspace.root());
    if (const QString problem = arguments.problem(); !problem.isEmpty()) co_return ToolResult::failure(problem);
    const Result<QString> absolute = m_workspace.resolve(path);
    if (!absolute) co_return ToolResult::failure(absolute.error().message);
    const Result<QString> text = listFolder(*absolute);
    co_return text ? ToolResult{*text} : ToolResult::failure(text.error().message);
}

} // namespace cocoonbox::agent::toolhost::files
