// SPDX-License-Identifier: AGPL-3.0-only
// Transcript as a value: however entries and drafts come, the state is the same.
#include "app/client/transcript.h"

#include <algorithm>
#include <QRandomGenerator>
#include <QTest>

using namespace cocoonbox::app::client;
using namespace Qt::StringLiterals;

namespace {

Entry entry(qint64 seq, const QString& text = u"x"_s)
{
    return {seq, u"agt_1"_s, u"turn_1"_s, EntryKind::Reply, text, {}, seq};
}

} // namespace

class TestTranscript final : public QObject {
    Q_OBJECT
private slots:
    void ordersEntriesHoweverTheyCome()
    {
        QList<Entry> all;
        for (int i = 1; i <= 100; ++i)
            all.append(entry(i, QString::number(i)));
        QRandomGenerator random(7);
        for (int round = 0; round < 20; ++round) {
            QList<Entry> mixed = all + all;
            std::shuffle(mixed.begin(), mixed.end(), random);
            Transcript transcript;
            int added = 0;
            for (const Entry& e : std::as_const(mixed))
                if (const auto change = transcript.put(e)) added += change->added;
            QCOMPARE(transcript.entries(), all);
            QCOMPARE(added, 100);
        }
    }

    void sayWhichEntryChanged()
    {
        Transcript transcript;
        transcript.put(entry(1));
        transcript.put(entry(2));
        const auto change = transcript.put(entry(1, u"more"_s));
        QVERIFY(change && !change->added && change->index == 0);
        QVERIFY(!transcript.put(entry(1, u"more"_s)));
    }

    void keepsTheNewestAtTheLimit()
    {
        Transcript transcript;
        for (int i = 1; i <= kTranscriptEntriesMax; ++i)
            transcript.put(entry(i));
        QVERIFY(!transcript.cutToLimit());
        transcript.put(entry(kTranscriptEntriesMax + 1));
        QVERIFY(transcript.cutToLimit());
        QVERIFY(transcript.isCut());
        QVERIFY(transcript.entries().size() <= kTranscriptEntriesMax);
        QCOMPARE(transcript.lastSeq(), kTranscriptEntriesMax + 1);
        QVERIFY(!transcript.put(entry(1))); // what was dropped does not come back
    }

    void boundsTheTextOfAllEntries()
    {
        Transcript transcript;
        for (int i = 1; i <= 20; ++i) {
            transcript.put(entry(i, QString(3 * 1024 * 1024, u'x')));
            transcript.cutToLimit();
        }
        qsizetype units = 0;
        for (const Entry& e : transcript.entries())
            units += e.text.size();
        QVERIFY(units <= kTranscriptUnitsMax);
        QVERIFY(transcript.entries().size() > 5);
        QCOMPARE(transcript.lastSeq(), 20);
        transcript.put(entry(21, QString(kTranscriptUnitsMax + 1, u'x')));
        transcript.cutToLimit();
        QCOMPARE(transcript.entries().size(), 1); // the newest stays, however long
    }

    void continuesDraftsAndRepairsThem()
    {
        Transcript transcript;
        QVERIFY(transcript.continueDraft(u"t"_s, 0, u"Hello "_s));
        QVERIFY(transcript.continueDraft(u"t"_s, 6, u"world"_s));
        QCOMPARE(transcript.draft().text, u"Hello world"_s);
        QVERIFY(transcript.continueDraft(u"t"_s, 6, u"w🙂"_s)); // said again
        QCOMPARE(transcript.draft().text, u"Hello w🙂"_s);
        QVERIFY(!transcript.continueDraft(u"t"_s, 100, u"gap"_s));
        QVERIFY(transcript.draft().isEmpty());
        QVERIFY(!transcript.continueDraft(u"t"_s, 103, u"still a gap"_s));
        QVERIFY(transcript.continueDraft(u"t"_s, 0, u"anew"_s));
        QVERIFY(!transcript.continueDraft(u"other"_s, 4, u"of another turn"_s));
    }

    void boundsDrafts()
    {
        Transcript transcript;
        QVERIFY(transcript.continueDraft(u"t"_s, 0, QString(1024 * 1024, u'x')));
        QVERIFY(!transcript.continueDraft(u"t"_s, 1024 * 1024, u"x"_s));
    }
};

QTEST_GUILESS_MAIN(TestTranscript)
#include "tst_transcript.moc"
