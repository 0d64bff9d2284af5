// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/shell/output_keeper.h"
#include "agent/toolhost/shell/terminal_text.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using cocoonbox::agent::toolhost::shell::OutputKeeper;
using cocoonbox::agent::toolhost::shell::TerminalText;

class TestTerminalText : public QObject {
    Q_OBJECT
private slots:
    void showsPlainLines_data();
    void showsPlainLines();
    void handsOutMarks();
    void survivesAnythingWithoutGrowing();
    void keepsBothEndsAndSpillsTheWhole();
    void keepsAllOfASmallOutput();
    void keepsOnlyTheNewestFiles();
};

namespace {

QByteArray shown(const QByteArray& bytes, qsizetype piece)
{
    TerminalText text;
    QByteArray out;
    for (qsizetype at = 0; at < bytes.size();) {
        qsizetype used = 0;
        (void)text.feed(QByteArrayView(bytes).sliced(at, std::min(piece, bytes.size() - at)), used, out);
        at += used;
    }
    return out + text.takePartialLine();
}

} // namespace

void TestTerminalText::showsPlainLines_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* name, QByteArray bytes, QByteArray expected) {
        QTest::newRow(name) << bytes << expected;
    };
    row("plain", "a\nb\tc\n", "a\nb\tc\n");
    row("colours", "\x1b[1;31mred\x1b[0m\n", "red\n");
    row("title", "\x1b]0;title\x07text\x1b]2;t\x1b\\more\n", "textmore\n");
    row("title without end", "\x1b]0;title\x1b[31mred\n", "red\n");
    row("progress", "10%\r50%\r100%\ndone\n", "100%\ndone\n");
    row("windows line end", "a\r\nb\r\n", "a\nb\n");
    row("backspace", "ab\bc\n", "ac\n");
    row("bell and others",
        "a\x07\x01\x7f"
        "b\n",
        "ab\n");
    row("charset and keypad", "\x1b(B\x1b=a\x1b>\n", "a\n");
    row("UTF-8", "h\xC3\xA9\xE2\x82\xAC\n", "h\xC3\xA9\xE2\x82\xAC\n");
    row("no line end", "prompt> ", "prompt> ");
}

void TestTerminalText::showsPlainLines()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QByteArray, expected);
    for (const qsizetype piece : {1, 2, 5, 1000})
        QCOMPARE(shown(bytes, piece), expected);
}

void TestTerminalText::handsOutMarks()
{
    TerminalText text;
    QByteArray out;
    qsizetype used = 0;
    const QByteArray bytes = "before\x1b]7770;n;1;0;/a;b\x07"
                             "after";
    QVERIFY(text.feed(bytes, used, out));
    QCOMPARE(text.mark(), "n;1;0;/a;b");
    QCOMPARE(text.takePartialLine(), "before");
    QCOMPARE(bytes.sliced(used), "after");
}

void TestTerminalText::survivesAnythingWithoutGrowing()
{
    TerminalText text;
    quint32 state = 1;
    qsizetype largest = 0;
    for (int round = 0; round < 2000; ++round) {
        QByteArray bytes(1000, Qt::Uninitialized);
        for (char& c : bytes)
            c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
        qsizetype used = 0;
        QByteArray out;
        for (qsizetype at = 0; at < bytes.size(); at += used)
            (void)text.feed(QByteArrayView(bytes).sliced(at), used, out);
        largest = std::max(largest, out.size());
    }
    QByteArray out;
    qsizetype used = 0;
    (void)text.feed(QByteArray(10'000'000, 'x'), used, out);
    QVERIFY(text.takePartialLine().size() <= TerminalText::kLineBytesMax);
    QVERIFY(largest < 64 * 1024);
}

void TestTerminalText::keepsBothEndsAndSpillsTheWhole()
{
    QTemporaryDir dir;
    OutputKeeper keeper(dir.filePath("output"));
    QByteArray all;
    for (int i = 0; i < 20'000; ++i) {
        const QByteArray line = "line \xE2\x82\xAC " + QByteArray::number(i) + '\n';
        keeper.add(line);
        all += line;
    }
    const QString text = keeper.text();
    QVERIFY(text.startsWith(QString::fromUtf8("line € 0\n")));
    QVERIFY(text.endsWith(QString::fromUtf8("line € 19999\n")));
    QVERIFY(!text.contains(QChar::ReplacementCharacter));
    QVERIFY(text.toUtf8().size() <= OutputKeeper::kHeadBytes + OutputKeeper::kTailBytes + 500);
    const QStringList files = QDir(dir.filePath("output")).entryList(QDir::Files);
    QCOMPARE(files.size(), 1);
    QVERIFY(text.contains(files.first()));
    QFile file(dir.filePath("output/" + files.first()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll() == all);
}

void TestTerminalText::keepsAllOfASmallOutput()
{
    QTemporaryDir dir;
    OutputKeeper keeper(dir.filePath("output"));
    const QByteArray all(OutputKeeper::kHeadBytes + OutputKeeper::kTailBytes, 'a');
    keeper.add(QByteArrayView(all).first(100));
    keeper.add(QByteArrayView(all).sliced(100));
    QCOMPARE(keeper.text().toUtf8(), all);
    QVERIFY(!QFile::exists(dir.filePath("output")));
}

void TestTerminalText::keepsOnlyTheNewestFiles()
{
    QTemporaryDir dir;
    for (int i = 0; i < OutputKeeper::kFilesKept + 10; ++i) {
        QFile file(dir.filePath(QStringLiteral("20200101-%1.txt").arg(i, 3, 10, QChar(u'0'))));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    OutputKeeper keeper(dir.path());
    keeper.add(QByteArray(1'000'000, 'a'));
    const QStringList files = QDir(dir.path()).entryList(QDir::Files, QDir::Name);
    QCOMPARE(files.size(), OutputKeeper::kFilesKept);
    QVERIFY(!files.last().startsWith("2020"));
}

QTEST_GUILESS_MAIN(TestTerminalText)
#include "tst_terminal_text.moc"
