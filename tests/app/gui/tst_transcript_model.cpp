// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/transcript_model.h"
#include "tests/app/gui/fake_links.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::EntryKind;
using client::ToolState;

namespace {

const QString kAgent = QStringLiteral("agt_1");

client::Transcript transcriptOf(const QList<client::Entry>& entries)
{
    client::Transcript transcript;
    for (const client::Entry& entry : entries)
        transcript.put(entry);
    return transcript;
}

QVariant field(const TranscriptModel& model, int row, int role)
{
    return model.data(model.index(row), role);
}

} // namespace

class TestTranscriptModel : public QObject {
    Q_OBJECT
private slots:
    void entriesAreRowsInOrder()
    {
        TranscriptModel model;
        const QAbstractItemModelTester tester(&model);
        model.setTranscript(transcriptOf({makeEntry(kAgent, 1, EntryKind::Prompt, QStringLiteral("hi")),
                                          makeToolCall(kAgent, 2, QStringLiteral("shell"), QStringLiteral("ls"),
                                                       ToolState::Done, QStringLiteral("a b")),
                                          makeEntry(kAgent, 3, EntryKind::Reply, QStringLiteral("done"))}));

        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(field(model, 0, TranscriptModel::KindRole).value<TranscriptModel::Kind>(),
                 TranscriptModel::Kind::Prompt);
        QCOMPARE(field(model, 1, TranscriptModel::SummaryRole).toString(), QStringLiteral("ls"));
        QCOMPARE(field(model, 1, TranscriptModel::ArgumentsRole).toString(), QStringLiteral("command: ls"));
        QCOMPARE(field(model, 1, TranscriptModel::OutputRole).toString(), QStringLiteral("a b"));
        QCOMPARE(field(model, 1, TranscriptModel::ToolStateRole).value<TranscriptModel::Tool>(),
                 TranscriptModel::Tool::Done);
        QCOMPARE(field(model, 1, TranscriptModel::DurationRole).toString(), QStringLiteral("1.4 s"));
        QCOMPARE(field(model, 2, TranscriptModel::TextRole).toString(), QStringLiteral("done"));
    }

    void toolCallThatEndsChangesItsRow()
    {
        TranscriptModel model;
        const QAbstractItemModelTester tester(&model);
        client::Transcript transcript = transcriptOf(
            {makeToolCall(kAgent, 1, QStringLiteral("shell"), QStringLiteral("ls"), ToolState::Running, {})});
        model.setTranscript(transcript);
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);

        transcript.put(makeToolCall(kAgent, 1, QStringLiteral("shell"), QStringLiteral("ls"), ToolState::Failed,
                                    QStringLiteral("no")));
        model.changeEntry(transcript, 0);

        QCOMPARE(changed.size(), 1);
        QCOMPARE(field(model, 0, TranscriptModel::ToolStateRole).value<TranscriptModel::Tool>(),
                 TranscriptModel::Tool::Failed);
    }

    void draftGrowsInOneRowAndBecomesTheReply()
    {
        TranscriptModel model;
        const QAbstractItemModelTester tester(&model);
        client::Transcript transcript = transcriptOf({makeEntry(kAgent, 1, EntryKind::Prompt, QStringLiteral("hi"))});
        model.setTranscript(transcript);

        model.setDraft({QStringLiteral("t"), QStringLiteral("Hel")});
        QCOMPARE(model.rowCount(), 2);
        QVERIFY(field(model, 1, TranscriptModel::IsDraftRole).toBool());
        model.setDraft({QStringLiteral("t"), QStringLiteral("Hello")});
        QTRY_COMPARE(field(model, 1, TranscriptModel::TextRole).toString(), QStringLiteral("Hello"));

        transcript.put(makeEntry(kAgent, 2, EntryKind::Reply, QStringLiteral("Hello you")));
        model.addEntry(transcript, 1);

        QCOMPARE(model.rowCount(), 2);
        QVERIFY(!field(model, 1, TranscriptModel::IsDraftRole).toBool());
        QCOMPARE(field(model, 1, TranscriptModel::TextRole).toString(), QStringLiteral("Hello you"));
    }

    void manyTokensChangeTheRowFewTimes()
    {
        TranscriptModel model;
        model.setDraft({QStringLiteral("t"), QStringLiteral("a")});
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);

        for (int i = 0; i < 500; ++i)
            model.setDraft({QStringLiteral("t"), QString(i + 2, u'a')});

        QTRY_COMPARE(field(model, 0, TranscriptModel::TextRole).toString().size(), qsizetype(501));
        QVERIFY2(changed.size() <= 2, qPrintable(QString::number(changed.size())));
    }

    void unfoldedCallsStayUnfoldedWhenTheTranscriptComesAnew()
    {
        TranscriptModel model;
        const QList<client::Entry> entries{
            makeToolCall(kAgent, 7, QStringLiteral("ls"), QStringLiteral("/"), ToolState::Done, {})};
        model.setTranscript(transcriptOf(entries));
        model.toggleFold(0);

        model.setTranscript(transcriptOf(entries));

        QVERIFY(field(model, 0, TranscriptModel::UnfoldedRole).toBool());
        model.toggleFold(0);
        QVERIFY(!field(model, 0, TranscriptModel::UnfoldedRole).toBool());
        model.toggleFold(5);
        model.toggleFold(-1);
    }

    void aCutTranscriptIsReadAnew()
    {
        TranscriptModel model;
        const QAbstractItemModelTester tester(&model);
        model.setTranscript(transcriptOf({makeEntry(kAgent, 1, EntryKind::Prompt, QStringLiteral("1")),
                                          makeEntry(kAgent, 2, EntryKind::Reply, QStringLiteral("2"))}));

        model.addEntry(transcriptOf({makeEntry(kAgent, 2, EntryKind::Reply, QStringLiteral("2")),
                                     makeEntry(kAgent, 3, EntryKind::Reply, QStringLiteral("3"))}),
                       1);

        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(field(model, 1, TranscriptModel::TextRole).toString(), QStringLiteral("3"));
    }

    void argumentsAreLinesOrJson_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("text");
        QTest::newRow("flat") << QStringLiteral(R"({"path":"/a","limit":5})") << QStringLiteral("limit: 5\npath: /a");
        QTest::newRow("nested") << QStringLiteral(R"({"a":{"b":1}})")
                                << QStringLiteral("{\n    \"a\": {\n        \"b\": 1\n    }\n}");
        QTest::newRow("not json") << QStringLiteral("{oops") << QStringLiteral("{oops");
        QTest::newRow("empty") << QString() << QString();
    }
    void argumentsAreLinesOrJson()
    {
        QFETCH(QString, json);
        QFETCH(QString, text);
        QCOMPARE(argumentsText(json), text);
    }
};

QTEST_GUILESS_MAIN(TestTranscriptModel)
#include "tst_transcript_model.moc"
