// SPDX-License-Identifier: AGPL-3.0-only
// The pure parts of app/rfb: damage, clipboard packing, sizes.
#include "app/rfb/clipboard.h"
#include "app/rfb/damage.h"
#include "app/rfb/protocol.h"

#include <QRandomGenerator>
#include <QRegion>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::rfb;
using namespace Qt::StringLiterals;

class TestRfbParts final : public QObject {
    Q_OBJECT
private slots:
    void damageJoinsWhatTouchesInALine()
    {
        Damage damage;
        for (int x = 0; x < 640; x += 64)
            damage.add({x, 0, 64, 16});
        QCOMPARE(damage.take(), QList<QRect>{QRect(0, 0, 640, 16)});
        QVERIFY(damage.isEmpty());
    }

    void damageCoversAllAndStaysBounded()
    {
        QRandomGenerator random(4711);
        for (int round = 0; round < 50; ++round) {
            Damage damage;
            QRegion all;
            for (int i = 0; i < 300; ++i) {
                const QRect rect(random.bounded(1000), random.bounded(700), 1 + random.bounded(60),
                                 1 + random.bounded(60));
                damage.add(rect);
                all += rect;
            }
            QRegion kept;
            const QList<QRect> rects = damage.take();
            QVERIFY(rects.size() <= kDamageRectsMax);
            for (const QRect& rect : rects)
                kept += rect;
            QVERIFY((all - kept).isEmpty());
        }
    }

    void damageKeepsFarThingsApart()
    {
        Damage damage;
        damage.add({0, 0, 10, 10});
        damage.add({1000, 700, 10, 10});
        QCOMPARE(damage.take().size(), 2);
    }

    void clipboardTextSurvivesPacking()
    {
        for (const QByteArray& text :
             {QByteArray(), QByteArray("a"), QByteArray(1 << 20, 'x'), u"grüße 世界 🙂"_s.toUtf8()})
            QCOMPARE(*unpackClipboardText(packClipboardText(text)), text);
    }

    void clipboardIsCutBetweenCharacters()
    {
        Clipboard clipboard;
        QVERIFY(clipboard.onExtended(QByteArray("\x1f\0\0\x01\0\x10\0\0", 8)));
        clipboard.offer(QString(400'000, u'世')); // 1.2 MB of UTF-8
        const auto reaction = clipboard.onExtended(QByteArray("\x02\0\0\x01", 4));
        QVERIFY(reaction);
        const auto text = unpackClipboardText(reaction->send.sliced(12));
        QVERIFY(text);
        QVERIFY(text->size() <= kClipboardBytesMax && text->size() > kClipboardBytesMax - 3);
        QVERIFY(!QString::fromUtf8(*text).contains(QChar::ReplacementCharacter));
    }

    void desktopSizesAreBounded()
    {
        QVERIFY(checkDesktopSize(1280, 800));
        QVERIFY(checkDesktopSize(16384, 4096));
        QVERIFY(!checkDesktopSize(16384, 4097));
        QVERIFY(!checkDesktopSize(16385, 1));
        QVERIFY(!checkDesktopSize(0, 1));
    }
};

QTEST_GUILESS_MAIN(TestRfbParts)
#include "tst_rfb_parts.moc"
