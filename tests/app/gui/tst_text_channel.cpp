// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/text_channel.h"
#include "tests/app/gui/fake_links.h"

#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using Key = TextChannel::Key;

class TestTextChannel : public QObject {
    Q_OBJECT

    static void collect(TextChannel& channel, QList<Key>& keys)
    {
        connect(&channel, &TextChannel::keyDue, &channel, [&keys](const Key& key) { keys.append(key); });
    }

private slots:
    void textArrivesAsItIs()
    {
        FakeBoxLink link;
        TextChannel channel;
        channel.setLink(&link);
        const QString text = QStringLiteral("grüße 世界 🙂 مرحبا\n\ttab");
        channel.sendText(text);
        QTRY_COMPARE(link.texts, QStringList{text});
    }

    void lineEndsAndControlCharacters_data()
    {
        QTest::addColumn<QString>("given");
        QTest::addColumn<QString>("sent");
        QTest::newRow("windows") << QStringLiteral("a\r\nb\r\n") << QStringLiteral("a\nb\n");
        QTest::newRow("old mac") << QStringLiteral("a\rb") << QStringLiteral("a\nb");
        QTest::newRow("escape and bell") << QStringLiteral("a\x1b[31mb\x07") << QStringLiteral("a[31mb");
        QTest::newRow("zero") << QString(QStringLiteral("a") + QChar(u'\0') + QStringLiteral("b"))
                              << QStringLiteral("ab");
    }
    void lineEndsAndControlCharacters()
    {
        QFETCH(QString, given);
        QTEST(TextChannel::sendable(given), "sent");
    }

    void keysBehindATextWaitForIt()
    {
        FakeBoxLink link;
        link.slow = true;
        TextChannel channel;
        channel.setLink(&link);
        QList<Key> keys;
        collect(channel, keys);
        QVERIFY(!channel.queue({'a', 0, true})); // nothing to wait for: the caller sends it

        channel.sendText(QStringLiteral("你好"));
        QVERIFY(channel.queue({0xff0d, 0, true}));
        QVERIFY(channel.queue({0xff0d, 0, false}));
        channel.sendText(QStringLiteral("再见"));
        QVERIFY(channel.queue({'b', 0, true}));
        QVERIFY(keys.isEmpty() && link.texts.isEmpty());
        link.goOn();

        QTRY_COMPARE(link.texts, (QStringList{QStringLiteral("你好"), QStringLiteral("再见")}));
        QTRY_COMPARE(keys, (QList<Key>{{0xff0d, 0, true}, {0xff0d, 0, false}, {'b', 0, true}}));
        QVERIFY(!channel.queue({'c', 0, true}));
    }

    void aLongTextGoesInPiecesThatKeepCharactersWhole()
    {
        const QString face = QStringLiteral("🙂");
        const QString text = QStringLiteral("x") + face.repeated(TextChannel::kPieceMax);
        const QStringList pieces = TextChannel::piecesOf(text);
        QCOMPARE(pieces.join(QString()), text);
        for (const QString& piece : pieces) {
            QVERIFY(piece.size() <= TextChannel::kPieceMax);
            QVERIFY(piece.toUtf8().size() <= 64 * 1024);
            QVERIFY(!piece.front().isLowSurrogate());
        }
    }

    void tenThousandCharactersArriveWithoutLoss()
    {
        QString text;
        for (int i = 0; i < 10'000; ++i)
            text += QChar(static_cast<char16_t>(0x4e00 + i % 0x5000));
        FakeBoxLink link;
        TextChannel channel;
        channel.setLink(&link);
        for (const QChar c : text)
            channel.sendText(c);
        QTRY_COMPARE(link.texts.join(QString()).size(), qsizetype(10'000));
        QCOMPARE(link.texts.join(QString()), text);
    }

    void aTextThatIsRefusedIsSaidAndTheRestGoesOn()
    {
        FakeBoxLink link;
        link.nextError = Error{ErrorCode::FailedPrecondition, QStringLiteral("No window takes text."), {}, {}, {}};
        TextChannel channel;
        channel.setLink(&link);
        QSignalSpy failed(&channel, &TextChannel::failed);
        channel.sendText(QString(3 * TextChannel::kPieceMax, u'x')); // its other pieces are dropped with the first
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed.first().first().toString(), QStringLiteral("No window takes text."));
        QVERIFY(link.texts.isEmpty());
        channel.sendText(QStringLiteral("next"));
        QTRY_COMPARE(link.texts, QStringList{QStringLiteral("next")});
    }

    void tooMuchIsRefusedWhole()
    {
        FakeBoxLink link;
        TextChannel channel;
        channel.setLink(&link);
        QSignalSpy failed(&channel, &TextChannel::failed);
        channel.sendText(QString(TextChannel::kTextMax + 1, u'x'));
        QCOMPARE(failed.size(), 1);
        QVERIFY(link.texts.isEmpty());
    }

    void focusLossDropsKeysButNotText()
    {
        FakeBoxLink link;
        link.slow = true;
        TextChannel channel;
        channel.setLink(&link);
        QList<Key> keys;
        collect(channel, keys);
        channel.sendText(QStringLiteral("one"));
        channel.queue({'a', 0, true});
        channel.sendText(QStringLiteral("two"));
        channel.dropKeys();
        link.goOn();
        QTRY_COMPARE(link.texts, (QStringList{QStringLiteral("one"), QStringLiteral("two")}));
        QVERIFY(keys.isEmpty());
    }

    void anotherBoxGetsNothingOfIt()
    {
        FakeBoxLink first;
        first.slow = true;
        FakeBoxLink second;
        TextChannel channel;
        channel.setLink(&first);
        channel.sendText(QStringLiteral("one"));
        channel.sendText(QStringLiteral("two"));
        channel.setLink(&second);
        first.goOn();
        channel.sendText(QStringLiteral("three"));
        QTRY_COMPARE(second.texts, QStringList{QStringLiteral("three")});
        QCOMPARE(first.texts, QStringList{QStringLiteral("one")}); // it was on its way
    }
};

QTEST_GUILESS_MAIN(TestTextChannel)
#include "tst_text_channel.moc"
