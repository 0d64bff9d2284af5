// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/output_keeper.h"

#include <cerrno>
#include <fcntl.h>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <unistd.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::shell {

namespace {

bool isContinuation(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

} // namespace

void OutputKeeper::add(QByteArrayView bytes)
{
    m_total += bytes.size();
    const qsizetype room = std::min(bytes.size(), kHeadBytes + kTailBytes - m_head.size() - m_tail.size());
    if (!m_isSpilling && bytes.size() <= room) {
        const qsizetype head = std::min(bytes.size(), kHeadBytes - m_head.size());
        m_head += bytes.first(head);
        m_tail += bytes.sliced(head);
        return;
    }
    if (!m_isSpilling) {
        openFile();
        writeFile(m_head);
        writeFile(m_tail);
        const qsizetype head = std::min(bytes.size(), kHeadBytes - m_head.size());
        m_head += bytes.first(head);
        writeFile(bytes.first(head));
        bytes = bytes.sliced(head);
    }
    writeFile(bytes);
    if (bytes.size() >= kTailBytes)
        m_tail = bytes.last(kTailBytes).toByteArray();
    else
        m_tail += bytes;
    // Trimmed rarely, so that a byte is not moved once for each line that follows it.
    if (m_tail.size() > 2 * kTailBytes) m_tail = m_tail.last(kTailBytes);
}

QString OutputKeeper::text() const
{
    if (!m_isSpilling) return QString::fromUtf8(m_head + m_tail);
    QByteArrayView head = m_head;
    while (!head.isEmpty() && isContinuation(head.last(1)[0]))
        head.chop(1);
    if (!head.isEmpty() && static_cast<unsigned char>(head.last(1)[0]) >= 0xc0) head.chop(1);
    QByteArrayView tail = QByteArrayView(m_tail).last(std::min(m_tail.size(), kTailBytes));
    while (!tail.isEmpty() && isContinuation(tail[0]))
        tail = tail.sliced(1);
    QString notice = u"\n[… %1 bytes are left out here"_s.arg(m_total - head.size() - tail.size());
    if (!m_path.isEmpty())
        notice += m_fileBytes < m_total
                      ? u"; the first %1 MiB of the output are in %2"_s.arg(kFileBytesMax >> 20).arg(m_path)
                      : u"; the whole output is in %1"_s.arg(m_path);
    return QString::fromUtf8(head) + notice + u" …]\n"_s + QString::fromUtf8(tail);
}

void OutputKeeper::openFile()
{
    m_isSpilling = true;
    QDir folder(m_folder);
    if (!folder.mkpath(u"."_s)) return;
    const QStringList old = folder.entryList({u"*.txt"_s}, QDir::Files, QDir::Name);
    for (qsizetype i = 0; i + kFilesKept <= old.size(); ++i)
        folder.remove(old.at(i));
    const QString path =
        folder.filePath(QDateTime::currentDateTimeUtc().toString(u"yyyyMMdd-HHmmss-zzz"_s) + u".txt"_s);
    m_file.reset(
        ::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (m_file.isValid()) m_path = path;
}

void OutputKeeper::writeFile(QByteArrayView bytes)
{
    bytes = bytes.first(std::min<qint64>(bytes.size(), kFileBytesMax - m_fileBytes));
    while (m_file.isValid() && !bytes.isEmpty()) {
        const ssize_t n = ::write(m_file.get(), bytes.data(), static_cast<size_t>(bytes.size()));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return m_file.reset(); // the disk is full: what is there stays
        m_fileBytes += n;
        bytes = bytes.sliced(n);
    }
}

} // namespace cocoonbox::agent::toolhost::shell
