// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/file_list.h"
#include "app/gui/transfer_list.h"
#include "tests/app/gui/fake_links.h"

#include <QAbstractItemModelTester>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using State = TransferList::State;

class TestTransferList : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QUrl file(const QString& name, const QByteArray& bytes)
    {
        QFile out(m_folder.filePath(name));
        if (!out.open(QIODevice::WriteOnly)) qFatal("no file");
        out.write(bytes);
        return QUrl::fromLocalFile(out.fileName());
    }
    static State stateOf(const TransferList& list, int row)
    {
        return list.index(row).data(TransferList::StateRole).value<State>();
    }
    static QString wordsOf(const TransferList& list, int row)
    {
        return list.index(row).data(TransferList::TextRole).toString();
    }

private slots:
    void aDroppedFileIsStoredAndSaysWhere()
    {
        FakeBoxLink link;
        TransferList list;
        const QAbstractItemModelTester tester(&list);
        list.setLink(&link);
        list.upload({file(QStringLiteral("grüße.txt"), "hello")});
        QTRY_COMPARE(stateOf(list, 0), State::Done);
        QCOMPARE(link.files.value(QStringLiteral("/workspace/Uploads/grüße.txt")), QByteArray("hello"));
        QCOMPARE(wordsOf(list, 0), QStringLiteral("Stored as /workspace/Uploads/grüße.txt"));
    }

    void progressIsTold()
    {
        FakeBoxLink link;
        link.slow = true;
        TransferList list;
        list.setLink(&link);
        list.upload({file(QStringLiteral("half"), QByteArray(2000, 'x'))});
        QTRY_COMPARE(stateOf(list, 0), State::Running);
        QCOMPARE(list.index(0).data(TransferList::PartRole).toDouble(), 0.5);
        link.goOn();
        QTRY_COMPARE(stateOf(list, 0), State::Done);
        QCOMPARE(list.index(0).data(TransferList::PartRole).toDouble(), 1.0);
    }

    void fewMoveAtATimeAndTheRestWaits()
    {
        FakeBoxLink link;
        link.slow = true;
        TransferList list;
        list.setLink(&link);
        list.upload({file(QStringLiteral("a"), "a"), file(QStringLiteral("b"), "b"), file(QStringLiteral("c"), "c")});
        QTRY_COMPARE(stateOf(list, 1), State::Running);
        QCOMPARE(stateOf(list, 2), State::Waiting);
        link.goOn();
        QTRY_COMPARE(stateOf(list, 2), State::Done);
        QCOMPARE(link.files.size(), qsizetype(3));
    }

    void oneThatIsRemovedStopsAndMakesWay()
    {
        FakeBoxLink link;
        link.slow = true;
        TransferList list;
        const QAbstractItemModelTester tester(&list);
        list.setLink(&link);
        list.upload({file(QStringLiteral("a"), "a"), file(QStringLiteral("b"), "b"), file(QStringLiteral("c"), "c")});
        QTRY_COMPARE(stateOf(list, 1), State::Running);
        list.remove(0);
        QTRY_COMPARE(link.stopped, QStringList{QStringLiteral("a")});
        QCOMPARE(list.count(), 2);
        QCOMPARE(stateOf(list, 1), State::Running);
        link.goOn();
        QTRY_COMPARE(stateOf(list, 1), State::Done);
        QVERIFY(!link.files.contains(QStringLiteral("/workspace/Uploads/a")));
    }

    void whatCannotBeSentSaysWhy_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("word");
        QTest::newRow("folder") << m_folder.path() << QStringLiteral("folder");
        QTest::newRow("missing") << m_folder.filePath(QStringLiteral("missing")) << QStringLiteral("no such file");
        QTest::newRow("device") << QStringLiteral("/dev/null") << QStringLiteral("device");
    }
    void whatCannotBeSentSaysWhy()
    {
        QFETCH(QString, path);
        QFETCH(QString, word);
        FakeBoxLink link;
        TransferList list;
        list.setLink(&link);
        list.upload({QUrl::fromLocalFile(path)});
        QTRY_COMPARE(stateOf(list, 0), State::Failed);
        QVERIFY2(wordsOf(list, 0).contains(word), qPrintable(wordsOf(list, 0)));
    }

    void anErrorOfTheBoxIsSaid()
    {
        FakeBoxLink link;
        link.nextError = Error{ErrorCode::ResourceExhausted, QStringLiteral("The box's disk is full."), {}, {}, {}};
        TransferList list;
        list.setLink(&link);
        list.upload({file(QStringLiteral("a"), "a")});
        QTRY_COMPARE(stateOf(list, 0), State::Failed);
        QCOMPARE(wordsOf(list, 0), QStringLiteral("The box's disk is full."));
    }

    void aSavedFileIsWholeOrNotThere()
    {
        FakeBoxLink link;
        link.files.insert(QStringLiteral("/workspace/a.txt"), "new content");
        link.slow = true;
        TransferList list;
        list.setLink(&link);
        const QUrl target = file(QStringLiteral("kept.txt"), "old");
        const auto content = [&target] {
            QFile saved(target.toLocalFile());
            return saved.open(QIODevice::ReadOnly) ? saved.readAll() : QByteArray();
        };
        list.save(QStringLiteral("/workspace/a.txt"), target);
        QTRY_COMPARE(stateOf(list, 0), State::Running);
        QCOMPARE(content(), QByteArray("old"));
        list.remove(0);
        QTRY_COMPARE(link.stopped.size(), qsizetype(1));
        QCOMPARE(content(), QByteArray("old"));

        link.goOn();
        list.save(QStringLiteral("/workspace/a.txt"), target);
        QTRY_COMPARE(stateOf(list, 0), State::Done);
        QCOMPARE(content(), QByteArray("new content"));
        list.save(QStringLiteral("/workspace/a.txt"), QUrl::fromLocalFile(QStringLiteral("/no such folder/a.txt")));
        QTRY_COMPARE(stateOf(list, 0), State::Failed);
        QVERIFY2(wordsOf(list, 0).contains(QStringLiteral("/no such folder/a.txt")), qPrintable(wordsOf(list, 0)));
    }

    void theNextFileIsSavedWhereTheLastOneWas()
    {
        FakeBoxLink link;
        TransferList list;
        list.setLink(&link);
        const QString downloads = QStandardPaths::writableLocation(QStandardPaths::DownloadLocation);
        QCOMPARE(list.suggestedTarget(QStringLiteral("/workspace/50 % #1.txt")).toLocalFile(),
                 downloads + QStringLiteral("/50 % #1.txt"));
        list.save(QStringLiteral("/workspace/a.txt"), QUrl::fromLocalFile(m_folder.filePath(QStringLiteral("other"))));
        QCOMPARE(list.suggestedTarget(QStringLiteral("/workspace/b.txt")).toLocalFile(),
                 m_folder.filePath(QStringLiteral("b.txt")));
    }

    void whatIsDoneMakesWayAndWhatFailedStays()
    {
        FakeBoxLink link;
        TransferList list;
        const QAbstractItemModelTester tester(&list);
        list.setLink(&link);
        list.upload(
            {file(QStringLiteral("a"), "a"), QUrl::fromLocalFile(m_folder.filePath(QStringLiteral("missing")))});
        QTRY_COMPARE(stateOf(list, 0), State::Done);
        QTRY_COMPARE(stateOf(list, 1), State::Failed);
        list.upload({file(QStringLiteral("b"), "b")});
        QCOMPARE(list.count(), 2);
        QCOMPARE(stateOf(list, 0), State::Failed);
        QTRY_COMPARE(stateOf(list, 1), State::Done);
    }

    void moreThanTheListHoldsIsRefusedInOneLine()
    {
        FakeBoxLink link;
        link.slow = true;
        TransferList list;
        list.setLink(&link);
        const QList<QUrl> many(TransferList::kTransfersMax + 7, file(QStringLiteral("a"), "a"));
        for (int i = 0; i < 2; ++i) {
            list.upload(many);
            QCOMPARE(list.count(), TransferList::kTransfersMax + 1);
        }
        const QModelIndex last = list.index(TransferList::kTransfersMax);
        QCOMPARE(last.data(TransferList::NameRole).toString(), QStringLiteral("%1 more files").arg(many.size()));
        QCOMPARE(stateOf(list, last.row()), State::Failed);
        list.setLink(nullptr);
        QTRY_COMPARE(link.stopped.size(), qsizetype(TransferList::kRunningMax)); // none of those that waited began
    }

    void anotherBoxStartsWithAnEmptyList()
    {
        FakeBoxLink link;
        link.slow = true;
        TransferList list;
        list.setLink(&link);
        list.upload({file(QStringLiteral("a"), "a")});
        list.setLink(nullptr);
        QCOMPARE(list.count(), 0);
        QTRY_COMPARE(link.stopped, QStringList{QStringLiteral("a")});
    }

    void foldersAreBrowsed()
    {
        FakeBoxLink link;
        link.files.insert(QStringLiteral("/workspace/tool/reader.py"), QByteArray(2048, 'x'));
        link.files.insert(QStringLiteral("/workspace/notes.md"), "x");
        FileList files;
        const QAbstractItemModelTester tester(&files);
        files.setLink(&link);
        files.open();
        QTRY_COMPARE(files.path(), QStringLiteral("/workspace"));
        QCOMPARE(files.rowCount(), 2);
        QCOMPARE(files.index(0).data(FileList::FolderRole).toBool(), true);
        QCOMPARE(files.index(1).data(FileList::NameRole).toString(), QStringLiteral("notes.md"));

        files.open(files.index(0).data(FileList::PathRole).toString());
        QTRY_COMPARE(files.path(), QStringLiteral("/workspace/tool"));
        QCOMPARE(files.index(0).data(FileList::DetailRole).toString(), QStringLiteral("2.0 kB"));
        files.openParent();
        QTRY_COMPARE(files.path(), QStringLiteral("/workspace"));
    }

    void aFolderThatCannotBeReadSaysWhyAndTheOtherStays()
    {
        FakeBoxLink link;
        link.files.insert(QStringLiteral("/workspace/notes.md"), "x");
        FileList files;
        files.setLink(&link);
        files.open();
        QTRY_COMPARE(files.rowCount(), 1);
        link.nextError = Error{ErrorCode::PermissionDenied, QStringLiteral("/root is not for you."), {}, {}, {}};
        files.open(QStringLiteral("/root"));
        QTRY_COMPARE(files.failure(), QStringLiteral("/root is not for you."));
        QCOMPARE(files.path(), QStringLiteral("/workspace"));
    }
};

QTEST_GUILESS_MAIN(TestTransferList)
#include "tst_transfer_list.moc"
