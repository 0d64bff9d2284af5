// SPDX-License-Identifier: AGPL-3.0-only
#include "common/memory/memory.h"

#include <QFile>
#include <QTest>
#include <sys/mman.h>

using namespace cocoonbox::memory;

namespace {

int residentPages(const void* from)
{
    QFile smaps(QStringLiteral("/proc/self/smaps"));
    if (!smaps.open(QIODevice::ReadOnly)) return -1;
    const QByteArray start = QByteArray::number(reinterpret_cast<quintptr>(from), 16) + '-';
    bool ours = false;
    for (const QByteArray& line : smaps.readAll().split('\n')) {
        if (line.startsWith(start)) ours = true;
        if (ours && line.startsWith("Rss:")) return line.simplified().split(' ').value(1).toInt() / 4;
    }
    return -1;
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT
private slots:
    void onlyCleanFilePagesAreGivenBack()
    {
        const QByteArray smaps =
            "1000-3000 r-xp 00000000 fe:01 12    /usr/lib/a.so\nRss: 8 kB\nAnonymous:             0 kB\n"
            "3000-4000 r--p 00002000 fe:01 12    /usr/lib/a.so\nAnonymous:             4 kB\n"
            "4000-5000 rw-p 00003000 fe:01 12    /usr/lib/a.so\nAnonymous:             0 kB\n"
            "5000-6000 rw-p 00000000 00:00 0     [heap]\nAnonymous:             0 kB\n"
            "6000-7000 r--p 00000000 00:00 0\nAnonymous:             0 kB\n"
            "7000-8000 r--s 00000000 00:01 9     /memfd:x (deleted)\nAnonymous:             0 kB\n"
            "8000-9000 r--p 00000000 fe:01 13    /usr/share/fonts/Inter.otf\nAnonymous:             0 kB\n";
        QCOMPARE(cleanMappings(smaps), (QList<AddressRange>{{0x1000, 0x3000}, {0x8000, 0x9000}}));
        QVERIFY(cleanMappings("nonsense\n-\n12-zz r--p\n").isEmpty());
    }

    void whatIsGivenBackIsThereWhenItIsReadAgain()
    {
        QFile file(QCoreApplication::applicationFilePath());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto bytes = static_cast<size_t>(file.size());
        auto* mapped = static_cast<const char*>(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.handle(), 0));
        QVERIFY(mapped != MAP_FAILED);
        const auto all = QByteArray::fromRawData(mapped, static_cast<qsizetype>(bytes));
        const size_t before = qHash(all);
        QVERIFY(residentPages(mapped) > 10);

        giveBack();

        QCOMPARE(residentPages(mapped), 0);
        QCOMPARE(qHash(all), before);
        munmap(const_cast<char*>(mapped), bytes);
    }
};

QTEST_GUILESS_MAIN(TestMemory)
#include "tst_memory.moc"
