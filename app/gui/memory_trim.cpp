// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/memory_trim.h"

#include <optional>
#include <QFile>
#include <QQmlEngine>
#include <QQuickWindow>
#include <QTimer>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#endif

namespace cocoonbox::app::gui {

namespace {

using namespace std::chrono_literals;

constexpr auto kSettleTime = 3s;
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

void trim(QQmlEngine* engine)
{
    engine->trimComponentCache();
    engine->collectGarbage();
#ifdef __GLIBC__
    malloc_trim(0);
    QFile smaps(QStringLiteral("/proc/self/smaps"));
    if (!smaps.open(QIODevice::ReadOnly)) return;
    for (const AddressRange& range : cleanMappings(smaps.readAll()))
        madvise(reinterpret_cast<void*>(range.from), range.to - range.from, MADV_DONTNEED);
#endif
}

} // namespace

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

void limitHeaps()
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, kHeapsMax);
#endif
}

void trimMemoryWhenSettled(QQuickWindow* window, QQmlEngine* engine)
{
    QTimer::singleShot(kSettleTime, engine, [engine] { trim(engine); });
    QObject::connect(window, &QWindow::visibilityChanged, engine, [engine](QWindow::Visibility visibility) {
        if (visibility == QWindow::Minimized) trim(engine);
    });
}

} // namespace cocoonbox::app::gui
