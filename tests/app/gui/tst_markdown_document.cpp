// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/markdown_document.h"

#include <QTest>
#include <QTextBlock>
#include <QTextFrame>

using namespace cocoonbox::app::gui;

namespace {

MarkdownStyle style()
{
    MarkdownStyle style;
    style.text.setPixelSize(13);
    style.mono.setFamilies({QStringLiteral("Mono")});
    style.mono.setPixelSize(12);
    style.ink = Qt::black;
    style.link = Qt::blue;
    style.codeGround = Qt::lightGray;
    return style;
}

QTextCharFormat formatOf(const QTextDocument& document, const QString& text)
{
    QTextCursor cursor = document.find(text);
    return cursor.charFormat();
}

} // namespace

class TestMarkdownDocument : public QObject {
    Q_OBJECT
private slots:
    void picturesAreNeverFetched_data()
    {
        QTest::addColumn<QString>("markdown");
        QTest::addColumn<QString>("text");
        QTest::newRow("remote") << QStringLiteral("see ![a cat](https://evil.example/cat.png) here")
                                << QStringLiteral("see [picture: a cat] here");
        QTest::newRow("file") << QStringLiteral("![notes](file:///etc/passwd)") << QStringLiteral("[picture: notes]");
        QTest::newRow("by reference") << QStringLiteral("![x][1]\n\n[1]: http://evil.example/x.png")
                                      << QStringLiteral("[picture: x]");
        QTest::newRow("in a link") << QStringLiteral("[![x](http://evil.example/x.png)](http://a.example)")
                                   << QStringLiteral("[picture: x]");
    }
    void picturesAreNeverFetched()
    {
        QFETCH(QString, markdown);
        QFETCH(QString, text);
        const auto document = markdownDocument(markdown, style());
        QCOMPARE(document->toPlainText().trimmed(), text);
        for (QTextBlock block = document->begin(); block.isValid(); block = block.next())
            for (auto at = block.begin(); !at.atEnd(); ++at)
                QVERIFY(!at.fragment().charFormat().isImageFormat());
    }

    void htmlStaysText()
    {
        const auto document =
            markdownDocument(QStringLiteral("a <b>bold</b> <img src=\"http://evil.example/x.png\"> word"), style());
        QVERIFY(document->toPlainText().contains(QStringLiteral("<img")));
        QVERIFY(formatOf(*document, QStringLiteral("bold")).fontWeight() < QFont::DemiBold);
    }

    void linksLeadToTheWebOrNowhere_data()
    {
        QTest::addColumn<QString>("href");
        QTest::addColumn<bool>("isLink");
        QTest::newRow("https") << QStringLiteral("https://example.org/a") << true;
        QTest::newRow("http") << QStringLiteral("http://example.org") << true;
        QTest::newRow("file") << QStringLiteral("file:///etc/passwd") << false;
        QTest::newRow("script") << QStringLiteral("javascript:alert(1)") << false;
        QTest::newRow("other scheme") << QStringLiteral("smb://host/x") << false;
        QTest::newRow("relative") << QStringLiteral("notes.md") << false;
    }
    void linksLeadToTheWebOrNowhere()
    {
        QFETCH(QString, href);
        QFETCH(bool, isLink);
        const auto document = markdownDocument(QStringLiteral("go [there](%1) now").arg(href), style());
        QCOMPARE(formatOf(*document, QStringLiteral("there")).isAnchor(), isLink);
    }

    void structureIsKept()
    {
        const auto document =
            markdownDocument(QStringLiteral("# Title\n\nSome **strong** and `code`.\n\n- one\n- two\n"), style());
        QCOMPARE(document->toPlainText(), QStringLiteral("Title\nSome strong and code.\none\ntwo"));
        QCOMPARE(formatOf(*document, QStringLiteral("Title")).intProperty(QTextFormat::FontPixelSize), 17);
        QCOMPARE(formatOf(*document, QStringLiteral("strong")).fontWeight(), int(QFont::DemiBold));
        QCOMPARE(formatOf(*document, QStringLiteral("code")).fontFamilies().toStringList(),
                 QStringList{QStringLiteral("Mono")});
    }

    void codeStandsInAFrameOfItsOwn()
    {
        const auto document = markdownDocument(
            QStringLiteral("before\n\n```python\na = 1\n\nb = 2\n```\n\nafter\n\n```\nc\n```\n"), style());
        const QList<QTextFrame*> frames = document->rootFrame()->childFrames();
        QCOMPARE(frames.size(), qsizetype(2));
        QCOMPARE(frames.at(0)->frameFormat().background().color(), QColor(Qt::lightGray));
        QVERIFY(document->toPlainText().contains(QStringLiteral("a = 1")));
        QVERIFY(document->toPlainText().contains(QStringLiteral("b = 2")));
    }

    void aHugeTextIsCutAndPlain()
    {
        const auto document = markdownDocument(QString(kMarkdownCharactersMax + 5, u'*'), style());
        QVERIFY(document->toPlainText().endsWith(QStringLiteral("[cut here: the text is longer]")));
    }

    void halfAFenceIsNoTrouble()
    {
        const QString whole =
            QStringLiteral("text\n\n```python\nx = [1, 2]\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n");
        for (qsizetype length = 0; length <= whole.size(); ++length)
            QVERIFY(markdownDocument(whole.left(length), style()));
    }
};

QTEST_MAIN(TestMarkdownDocument)
#include "tst_markdown_document.moc"
