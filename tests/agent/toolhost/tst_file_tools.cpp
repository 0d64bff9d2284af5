// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/files/file_tools.h"
#include "tests/agent/toolhost/tool_fixture.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>
#include <sys/stat.h>
#include <unistd.h>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace Qt::StringLiterals;
using agent::toolhost::ToolResult;
namespace files = agent::toolhost::files;

class TestFileTools : public QObject {
    Q_OBJECT
private slots:
    void init();
    void readNumbersLines();
    void readGivesARange();
    void readGoesOnWhereItStopped();
    void readCutsALongLine();
    void readRefusesWhatIsNoText_data();
    void readRefusesWhatIsNoText();
    void writeMakesFoldersAndKeepsTheMode();
    void writeRefusesAWayOut();
    void writeFollowsALinkInside();
    void writeLeavesTheFileWhenItFails();
    void editReplacesOnePlace();
    void editRefuses_data();
    void editRefuses();
    void editReplacesAll();
    void listShowsKindsAndBounds();
    void grepFindsAndBounds();
    void grepTellsWhatIsWrong();
    void argumentsAreChecked();

private:
    QString path(const QString& name) const { return m_dir->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<files::Workspace> m_workspace;
    std::unique_ptr<files::ReadTool> m_read;
    std::unique_ptr<files::WriteTool> m_write;
    std::unique_ptr<files::EditTool> m_edit;
    std::unique_ptr<files::ListTool> m_list;
    std::unique_ptr<files::GrepTool> m_grep;
};

void TestFileTools::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    m_workspace = std::make_unique<files::Workspace>(m_dir->path());
    m_read = std::make_unique<files::ReadTool>(*m_workspace);
    m_write = std::make_unique<files::WriteTool>(*m_workspace);
    m_edit = std::make_unique<files::EditTool>(*m_workspace);
    m_list = std::make_unique<files::ListTool>(*m_workspace);
    m_grep = std::make_unique<files::GrepTool>(*m_workspace);
}

void TestFileTools::readNumbersLines()
{
    putFile(path("a.txt"), "one\r\ntwo\n\nh\xC3\xA9 \xFF");
    const ToolResult result = runTool(*m_read, {{"path", "a.txt"}});
    QVERIFY(!result.isError);
    QCOMPARE(result.text, u"     1\tone\n     2\ttwo\n     3\t\n     4\th\u00e9 \ufffd\n"_s);
    putFile(path("empty"), "");
    QCOMPARE(runTool(*m_read, {{"path", path("empty")}}).text, "[The file is empty.]");
}

void TestFileTools::readGivesARange()
{
    QByteArray content;
    for (int i = 1; i <= 10'000; ++i)
        content += QByteArray::number(i) + '\n';
    putFile(path("n"), content);
    const ToolResult some = runTool(*m_read, {{"path", "n"}, {"offset", 9'000}, {"limit", 2}});
    QCOMPARE(some.text,
             "  9000\t9000\n  9001\t9001\n[There is more: the file has 48894 bytes. Go on with offset 9002.]");
    const ToolResult last = runTool(*m_read, {{"path", "n"}, {"offset", 10'000}});
    QCOMPARE(last.text, " 10000\t10000\n");
    QCOMPARE(runTool(*m_read, {{"path", "n"}, {"offset", 9'999}, {"limit", 2}}).text, "  9999\t9999\n 10000\t10000\n");
    QCOMPARE(runTool(*m_read, {{"path", "n"}, {"offset", 20'000}}).text, "[The file has 10000 lines, no line 20000.]");
}

void TestFileTools::readGoesOnWhereItStopped()
{
    putFile(path("wide"), QByteArray(QByteArray(1000, 'w') + '\n').repeated(200));
    const ToolResult result = runTool(*m_read, {{"path", "wide"}});
    QVERIFY(result.text.toUtf8().size() <= 64 * 1024);
    const qsizetype lines = result.text.count('\n');
    QVERIFY(result.text.endsWith(u"Go on with offset %1.]"_s.arg(lines + 1)));
}

void TestFileTools::readCutsALongLine()
{
    putFile(path("long"), QByteArray(30'000'000, 'x') + "\nend\n");
    QElapsedTimer elapsed;
    elapsed.start();
    const ToolResult result = runTool(*m_read, {{"path", "long"}});
    QVERIFY(result.text.contains("[the line has 30000000 bytes]"));
    QVERIFY(result.text.endsWith("     2\tend\n"));
    QVERIFY(elapsed.elapsed() < 3'000);
}

void TestFileTools::readRefusesWhatIsNoText_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("says");
    QTest::newRow("binary") << "binary" << "not a text file";
    QTest::newRow("folder") << "folder" << "Use ls";
    QTest::newRow("pipe") << "fifo" << "not a file";
    QTest::newRow("device") << "/dev/zero" << "not a file";
    QTest::newRow("missing") << "missing" << "cannot be opened";
    QTest::newRow("empty path") << "" << "empty";
}

void TestFileTools::readRefusesWhatIsNoText()
{
    QFETCH(QString, name);
    QFETCH(QString, says);
    putFile(path("binary"), QByteArray("\x7f"
                                       "ELF\0\0\0",
                                       7));
    QVERIFY(QDir(m_dir->path()).mkdir("folder"));
    QCOMPARE(::mkfifo(path("fifo").toUtf8().constData(), 0600), 0);
    const ToolResult result = runTool(*m_read, {{"path", name}});
    QVERIFY(result.isError);
    QVERIFY2(result.text.contains(says), qPrintable(result.text));
}

void TestFileTools::writeMakesFoldersAndKeepsTheMode()
{
    const ToolResult made = runTool(*m_write, {{"path", "a/b/c.sh"}, {"content", "#!/bin/sh\n"}});
    QVERIFY2(!made.isError, qPrintable(made.text));
    QCOMPARE(::chmod(path("a/b/c.sh").toUtf8().constData(), 0751), 0);
    QVERIFY(!runTool(*m_write, {{"path", path("a/b/c.sh")}, {"content", "new"}}).isError);
    QCOMPARE(fileContent(path("a/b/c.sh")), "new");
    struct stat status{};
    QCOMPARE(::stat(path("a/b/c.sh").toUtf8().constData(), &status), 0);
    QCOMPARE(status.st_mode & 07777, mode_t(0751));
    QCOMPARE(QDir(path("a/b")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList{"c.sh"});
}

void TestFileTools::writeRefusesAWayOut()
{
    QTemporaryDir outside;
    putFile(outside.filePath("target"), "precious");
    QVERIFY(QFile::link(outside.filePath("target"), path("innocent.txt")));
    QVERIFY(QFile::link(outside.filePath("missing"), path("dangling")));
    const ToolResult result = runTool(*m_write, {{"path", "innocent.txt"}, {"content", "x"}});
    QVERIFY(result.isError);
    QVERIFY(result.text.contains("outside the workspace"));
    QVERIFY(runTool(*m_write, {{"path", "dangling"}, {"content", "x"}}).isError);
    QVERIFY(runTool(*m_edit, {{"path", "innocent.txt"}, {"old_text", "precious"}, {"new_text", "x"}}).isError);
    QCOMPARE(fileContent(outside.filePath("target")), "precious");
    QVERIFY(runTool(*m_write, {{"path", "."}, {"content", "x"}}).isError);
}

void TestFileTools::writeFollowsALinkInside()
{
    putFile(path("real"), "old");
    QVERIFY(QFile::link(path("real"), path("link")));
    QVERIFY(!runTool(*m_write, {{"path", "link"}, {"content", "new"}}).isError);
    QCOMPARE(fileContent(path("real")), "new");
    QVERIFY(QFileInfo(path("link")).isSymLink());
}

void TestFileTools::writeLeavesTheFileWhenItFails()
{
    putFile(path("file"), "old");
    const ToolResult result = runTool(*m_write, {{"path", "file/below"}, {"content", "x"}});
    QVERIFY(result.isError);
    QCOMPARE(fileContent(path("file")), "old");
}

void TestFileTools::editReplacesOnePlace()
{
    putFile(path("code"), "a = 1\nb = 2\nc = 1\n");
    const ToolResult result = runTool(*m_edit, {{"path", "code"}, {"old_text", "b = 2"}, {"new_text", "b = $&\\1"}});
    QVERIFY(!result.isError);
    QVERIFY(result.text.contains("line 2"));
    QCOMPARE(fileContent(path("code")), "a = 1\nb = $&\\1\nc = 1\n");
}

void TestFileTools::editRefuses_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("says");
    QTest::newRow("missing") << "d = 4" << "x" << "is not in";
    QTest::newRow("twice") << "= 1" << "x" << "2 times (lines 1, 3)";
    QTest::newRow("white space") << "a =   1" << "x" << "other white space";
    QTest::newRow("empty") << "" << "x" << "use write";
    QTest::newRow("the same") << "b = 2" << "b = 2" << "nothing to change";
}

void TestFileTools::editRefuses()
{
    QFETCH(QString, before);
    QFETCH(QString, after);
    QFETCH(QString, says);
    putFile(path("code"), "a = 1\nb = 2\nc = 1\n");
    const ToolResult result = runTool(*m_edit, {{"path", "code"}, {"old_text", before}, {"new_text", after}});
    QVERIFY(result.isError);
    QVERIFY2(result.text.contains(says), qPrintable(result.text));
    QCOMPARE(fileContent(path("code")), "a = 1\nb = 2\nc = 1\n");
}

void TestFileTools::editReplacesAll()
{
    putFile(path("code"), "aaaa");
    QVERIFY(
        !runTool(*m_edit, {{"path", "code"}, {"old_text", "aa"}, {"new_text", "b"}, {"replace_all", true}}).isError);
    QCOMPARE(fileContent(path("code")), "bb");
    putFile(path("windows"), "a\r\nb\r\n");
    const ToolResult hint = runTool(*m_edit, {{"path", "windows"}, {"old_text", "a\nb"}, {"new_text", "x"}});
    QVERIFY(hint.isError && hint.text.contains("Windows line ends"));
}

void TestFileTools::listShowsKindsAndBounds()
{
    QVERIFY(QDir(m_dir->path()).mkdir("zfolder"));
    putFile(path("file"), "12345");
    putFile(path("odd\nname"), "");
    QVERIFY(QFile::link("/etc/passwd", path("link")));
    const ToolResult result = runTool(*m_list, {});
    QCOMPARE(result.text,
             "folder           - zfolder/\nfile             5 file\nlink             - link -> /etc/passwd\n"
             "file             0 odd?name\n");
    QVERIFY(QDir(m_dir->path()).mkdir("many"));
    for (int i = 0; i < 1'500; ++i)
        putFile(path("many/" + QString::number(i)), "");
    const ToolResult many = runTool(*m_list, {{"path", "many"}});
    QVERIFY2(many.text.endsWith("[1500 entries, 1000 are shown. Use the shell to see others.]"),
             qPrintable(many.text.last(80)));
    QVERIFY(runTool(*m_list, {{"path", "file"}}).isError);
    QCOMPARE(runTool(*m_list, {{"path", "zfolder"}}).text, u"[%1 is empty.]"_s.arg(path("zfolder")));
}

void TestFileTools::grepFindsAndBounds()
{
    QVERIFY(QDir(m_dir->path()).mkdir("sub"));
    putFile(path("sub/a.py"), "import os\nx = 'needle'\n");
    putFile(path("b.txt"), "Needle\n" + QByteArray(20'000'000, 'y') + "needle\n");
    putFile(path("bin"), QByteArray("needle\0", 7));
    ToolResult result = runTool(*m_grep, {{"pattern", "needle"}, {"include", "*.py"}});
    QVERIFY(!result.isError);
    QCOMPARE(result.text.section('/', -1), "a.py:2:x = 'needle'\n");
    result = runTool(*m_grep, {{"pattern", "^need(le|ed)$"}, {"ignore_case", true}, {"path", "b.txt"}});
    QVERIFY2(result.text.contains("b.txt:1:Needle"), qPrintable(result.text.left(200)));
    result = runTool(*m_grep, {{"pattern", "y"}, {"path", "b.txt"}});
    QVERIFY(result.text.size() < 1'000);
    putFile(path("many"), QByteArray("hit\n").repeated(100'000));
    result = runTool(*m_grep, {{"pattern", "hit"}});
    QCOMPARE(result.text.count("hit"), 500);
    QVERIFY(result.text.endsWith("narrower pattern.]"));
    QCOMPARE(runTool(*m_grep, {{"pattern", "nowhere to be found"}}).text, "[Nothing matches.]");
}

void TestFileTools::grepTellsWhatIsWrong()
{
    QVERIFY(runTool(*m_grep, {{"pattern", "("}}).isError);
    QVERIFY(runTool(*m_grep, {{"pattern", "x"}, {"path", "missing"}}).isError);
    QVERIFY(runTool(*m_grep, {{"pattern", ""}}).isError);
    // Neither is taken for an option.
    putFile(path("f"), "--version\n");
    QVERIFY(runTool(*m_grep, {{"pattern", "--version"}}).text.contains("f:1:--version"));
}

void TestFileTools::argumentsAreChecked()
{
    QVERIFY(runTool(*m_read, {}).text.contains("\"path\" is missing"));
    QVERIFY(runTool(*m_read, {{"path", 5}}).text.contains("must be a string"));
    QVERIFY(runTool(*m_read, {{"path", "a"}, {"offset", 0}}).text.contains("from 1"));
    QVERIFY(runTool(*m_read, {{"path", "a"}, {"offset", 1.5}}).text.contains("whole number"));
    QVERIFY(runTool(*m_read, {{"path", "a"}, {"colour", "red"}}).text.contains("no argument \"colour\""));
}

QTEST_GUILESS_MAIN(TestFileTools)
#include "tst_file_tools.moc"
