// SPDX-License-Identifier: AGPL-3.0-only
#include "common/memory/memory.h"

#include <optional>
#include <QFile>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace cocoonbox::memory {

namespace {

constexpr int kHeapsMax = 2;

// "55d0c0a00000-55d0c0a21000 r--p 00000000 fe:01 1234   /usr/lib/x.so"
struct Head {
    AddressRange range;
    bool droppable = false;
};

std::optional<Head> headOf(const QByteArray& line)
{
    const QList<QByteArray> words = line.simplified().split(' ');
    const qsizetype dash = words.first().indexOf('-');
    if (dash <= 0 || words.size() < 5) return std::nullopt;
    bool okFrom = false;
    bool okTo = false;
    const quintptr from = words.first().first(dash).toULongLong(&okFrom, 16);
    const quintptr to = words.first().sliced(dash + 1).toULongLong(&okTo, 16);
    if (!okFrom || !okTo) return std::nullopt;
    const bool file = words.size() >= 6 && words.at(5).startsWith('/') && !words.at(5).startsWith("/dev/") &&
                      !words.at(5).startsWith("/memfd:") && !line.endsWith("(deleted)");
    return Head{{from, to}, file && words.at(1).startsWith('r') && words.at(1).at(1) == '-'};
}

} // namespace

void limitHeaps()
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, kHeapsMax);
#endif
}

void giveBack()
{
#ifdef __GLIBC__
    malloc_trim(0);
    QFile smaps(QStringLiteral("/proc/self/smaps"));
    if (!smaps.open(QIODevice::ReadOnly)) return;
    for (const AddressRange& range : cleanMappings(smaps.readAll()))
        madvise(reinterpret_cast<void*>(range.from), range.to - range.from, MADV_DONTNEED);
#endif
}

QList<AddressRange> cleanMappings(const QByteArray& smaps)
{
    QList<AddressRange> ranges;
    std::optional<Head> head;
    for (const QByteArray& line : smaps.split('\n')) {
        if (const auto next = headOf(line)) {
            head = next;
            continue;
        }
        if (!line.startsWith("Anonymous:") || !head) continue;
        if (head->droppable && line.simplified().split(' ').value(1) == "0") ranges.append(head->range);
        head.reset();
    }
    return ranges;
}

} // namespace cocoonbox::memory
