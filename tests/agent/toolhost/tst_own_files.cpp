// SPDX-License-Identifier: AGPL-3.0-only
// Files that go into the box and out of it: whole or not at all, under a name that harms nobody.
#include "agent/toolhost/own/file_name.h"
#include "tests/agent/toolhost/own_program.h"
#include "tests/agent/toolhost/tool_fixture.h"

#include <csignal>
#include <QDir>
#include <QJsonArray>
#include <QTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace cocoonbox::agent::toolhost::own;
using namespace Qt::StringLiterals;

class TestOwnFiles : public QObject {
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void namesAreMadeSafe_data()
    {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("name");
        QTest::newRow("plain") << u"report.pdf"_s << u"report.pdf"_s;
        QTest::newRow("a path") << u"../../etc/passwd"_s << u"passwd"_s;
        QTest::newRow("a path of Windows") << u"C:\\Users\\ann\\photo.png"_s << u"photo.png"_s;
        QTest::newRow("hidden") << u"...bashrc"_s << u"bashrc"_s;
        QTest::newRow("control characters") << u"a\nb\tc\u0007.txt"_s << u"abc.txt"_s;
        QTest::newRow("reversed by a format character") << u"exe\u202Etxt.doc"_s << u"exetxt.doc"_s;
        QTest::newRow("decomposed, as macOS sends it") << u"gru\u0308\u00DFe.txt"_s << u"gr\u00FC\u00DFe.txt"_s;
        QTest::newRow("emoji") << u"🙂 世界.md"_s << u"🙂 世界.md"_s;
        QTest::newRow("too long") << QString(300, u'ü') + u".tar.gz"_s << QString(124, u'ü') + u".tar.gz"_s;
    }
    void namesAreMadeSafe()
    {
        QFETCH(QString, wanted);
        QTEST(*safeName(wanted), "name");
    }
    void aNameOfNothingIsRefused()
    {
        for (const QString& name : {u""_s, u"..."_s, u" "_s, u"a/"_s, u"\u0001"_s})
            QCOMPARE(safeName(name).error().reason, u"NAME_INVALID"_s);
    }
    void takenNamesAreNumberedBeforeTheExtension()
    {
        QCOMPARE(numberedName(u"a.txt"_s, 1), u"a.txt"_s);
        QCOMPARE(numberedName(u"a.txt"_s, 2), u"a (2).txt"_s);
        QCOMPARE(numberedName(u"a.tar.gz"_s, 3), u"a (3).tar.gz"_s);
        QCOMPARE(numberedName(u"README"_s, 2), u"README (2)"_s);
        QVERIFY(numberedName(QString(255, u'x'), 12).endsWith(u"x (12)"_s));
        QCOMPARE(numberedName(QString(255, u'x'), 12).size(), 255);
    }

    void aFileArrivesWholeAndNothingIsOverwritten()
    {
        const QByteArray content = QByteArray(3'000'000, 'x') + '\0' + "end";
        for (const char* path : {"Uploads/a.bin", "Uploads/a (2).bin"}) {
            OwnProgram put(m_dir->path(), {"files", "put", "a.bin", "", QString::number(content.size())});
            put.say(content);
            put.complete();
            QCOMPARE(put.end(), QString());
            QCOMPARE(put.lastLine().value("path").toString(), m_dir->filePath(path));
            QCOMPARE(put.lastLine().value("size").toInteger(), content.size());
            QVERIFY(put.output.startsWith("1")); // says how far it is
            QCOMPARE(fileContent(m_dir->filePath(path)), content);
        }
        QCOMPARE(uploads(), QStringList({"a (2).bin", "a.bin"}));
    }
    void anEmptyFileArrives()
    {
        OwnProgram put(m_dir->path(), {"files", "put", "empty", "sub/folder", "0"});
        put.complete();
        QCOMPARE(put.end(), QString());
        QVERIFY(QFileInfo(m_dir->filePath("sub/folder/empty")).isFile());
    }
    void whatWasBrokenOffLeavesNothing()
    {
        OwnProgram eof(m_dir->path(), {"files", "put", "a", "", "-1"});
        eof.say("half");
        QCOMPARE(eof.end(), u"INPUT_BROKEN"_s);
        OwnProgram shorter(m_dir->path(), {"files", "put", "a", "", "5"});
        shorter.say("half");
        shorter.complete();
        QCOMPARE(shorter.end(), u"UPLOAD_SIZE"_s);
        OwnProgram hungUp(m_dir->path(), {"files", "put", "a", "", "-1"});
        hungUp.say("half");
        QVERIFY(hungUp.waitForBytesWritten());
        ::kill(static_cast<pid_t>(hungUp.processId()), SIGKILL);
        QVERIFY(hungUp.waitForFinished());
        QCOMPARE(uploads(), QStringList());
    }
    void aDiskThatIsTooSmallIsSaidBeforeAByteIsWritten()
    {
        OwnProgram put(m_dir->path(), {"files", "put", "a", "", QString::number(Q_INT64_C(1) << 60)});
        QCOMPARE(put.end(), u"DISK_FULL"_s);
        QCOMPARE(uploads(), QStringList());
    }

    void aFileIsGivenOutWithItsDescription()
    {
        const QByteArray content = "line\n\0binary" + QByteArray(200'000, 'y');
        putFile(m_dir->filePath("out.bin"), content);
        OwnProgram get(m_dir->path(), {"files", "get", "out.bin"});
        QCOMPARE(get.end(), QString());
        const qsizetype line = get.output.indexOf('\n');
        const QJsonObject head = QJsonDocument::fromJson(get.output.first(line)).object();
        QCOMPARE(head.value("name").toString(), u"out.bin"_s);
        QCOMPARE(head.value("size").toInteger(), content.size());
        QCOMPARE(get.output.sliced(line + 1), content);
    }
    void onlyRegularFilesAreGivenOut()
    {
        putFile(m_dir->filePath("file"), "x");
        QVERIFY(QFile::link(m_dir->filePath("file"), m_dir->filePath("link")));
        QCOMPARE(::mkfifo(QFile::encodeName(m_dir->filePath("pipe")).constData(), 0600), 0);
        for (const char* path : {"link", "pipe", ".", "/dev/null"})
            QCOMPARE(OwnProgram(m_dir->path(), {"files", "get", path}).end(), u"FILE_NOT_REGULAR"_s);
        QCOMPARE(OwnProgram(m_dir->path(), {"files", "get", "nothing"}).end(), u"FILE_UNKNOWN"_s);
        QCOMPARE(OwnProgram(m_dir->path(), {"files", "get", QString(5000, u'a')}).end(), u"PATH_INVALID"_s);
    }

    void aFolderIsListedFoldersFirstAndBounded()
    {
        QVERIFY(QDir(m_dir->path()).mkdir("zz"));
        for (int i = 0; i < 1100; ++i)
            putFile(m_dir->filePath(u"f%1"_s.arg(i, 4, 10, QChar(u'0'))), "x");
        OwnProgram list(m_dir->path(), {"files", "list", ""});
        QCOMPARE(list.end(), QString());
        const QJsonArray entries = list.lastLine().value("entries").toArray();
        QCOMPARE(entries.size(), 1000);
        QVERIFY(list.lastLine().value("truncated").toBool());
        QCOMPARE(entries.first().toObject().value("name").toString(), u"zz"_s);
        QCOMPARE(entries.at(1).toObject().value("path").toString(), m_dir->filePath("f0000"));
        QCOMPARE(OwnProgram(m_dir->path(), {"files", "list", "f0000"}).end(), u"FOLDER_EXPECTED"_s);
    }

    void whatIsNewSinceAMomentIsFound()
    {
        putFile(m_dir->filePath("old"), "x");
        QVERIFY(QDir(m_dir->path()).mkpath(".hidden") && QDir(m_dir->path()).mkpath("a/b"));
        QTest::qWait(20);
        const qint64 since = QDateTime::currentMSecsSinceEpoch();
        QTest::qWait(20);
        putFile(m_dir->filePath("a/b/new.txt"), "x");
        putFile(m_dir->filePath(".hidden/new.txt"), "x");
        putFile(m_dir->filePath("old"), "changed");
        OwnProgram recent(m_dir->path(), {"files", "since", QString::number(since)});
        QCOMPARE(recent.end(), QString());
        QMap<QString, bool> isNew;
        for (const QJsonValue& file : recent.lastLine().value("files").toArray())
            isNew.insert(file["path"].toString(), file["new"].toBool());
        QCOMPARE(isNew, (QMap<QString, bool>{{"a/b/new.txt", true}, {"old", false}}));
    }

private:
    QStringList uploads() const
    {
        return QDir(m_dir->filePath("Uploads")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestOwnFiles)
#include "tst_own_files.moc"
