// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/clipboard_bridge.h"
#include "tests/app/gui/fake_links.h"

#include <QBuffer>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using Control = ScreenModel::Control;

namespace {

client::ClipboardContent textOf(const QString& text)
{
    return {client::kPlainText, text.toUtf8()};
}

QImage picture(const QColor& color)
{
    QImage image(40, 30, QImage::Format_ARGB32_Premultiplied);
    image.fill(color);
    return image;
}

QByteArray pngOf(const QImage& image)
{
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

// A box that is watched, and this computer's clipboard.
struct Desk {
    Desk()
    {
        local.clear();
        link.sessionState = client::SessionState::Connected;
        screen.setLink(&link);
        bridge.follow(&screen, true);
    }
    bool takeControl()
    {
        if (!QTest::qWaitFor([this] { return screen.picture() == ScreenModel::Picture::Live; })) return false;
        screen.takeOver();
        return QTest::qWaitFor([this] { return screen.control() == Control::Mine; });
    }
    QString boxText() const { return QString::fromUtf8(link.clipboard.bytes); }

    QClipboard& local = *QGuiApplication::clipboard();
    FakeBoxLink link;
    ScreenModel screen;
    ClipboardBridge bridge{local};
};

} // namespace

class TestClipboardBridge : public QObject {
    Q_OBJECT
private slots:
    void textGoesBothWays_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("latin") << QStringLiteral("Usuários");
        QTest::newRow("everything") << QStringLiteral("grüße 世界 🙂 مرحبا");
        QTest::newRow("lines") << QStringLiteral("one\ntwo\n\n");
    }
    void textGoesBothWays()
    {
        QFETCH(QString, text);
        Desk desk;
        QVERIFY(desk.takeControl());
        desk.local.setText(text);
        QTRY_COMPARE(desk.boxText(), text);

        desk.link.sayClipboard(textOf(text + u'!'));
        QTRY_COMPARE(desk.local.text(), text + u'!');
    }

    void whatIsCopiedComesAlongAtTakeOver()
    {
        Desk desk;
        desk.local.setText(QStringLiteral("copied before"));
        QVERIFY(desk.takeControl());
        QTRY_COMPARE(desk.boxText(), QStringLiteral("copied before"));
    }

    void nothingLeavesAndNothingComesWhileWatching()
    {
        Desk desk;
        desk.local.setText(QStringLiteral("a password"));
        desk.link.sayClipboard(textOf(QStringLiteral("of the agent")));
        QTest::qWait(50);
        QCOMPARE(desk.link.clipboardWrites, 0);
        QCOMPARE(desk.local.text(), QStringLiteral("a password"));

        QVERIFY(desk.takeControl());
        QTRY_COMPARE(desk.link.clipboardWrites, 1);
        desk.screen.handBack();
        desk.local.setText(QStringLiteral("another password"));
        desk.link.sayClipboard(textOf(QStringLiteral("of the agent again")));
        QTest::qWait(50);
        QCOMPARE(desk.link.clipboardWrites, 1);
        QCOMPARE(desk.local.text(), QStringLiteral("another password"));
    }

    void aBoxThatDoesNotShareHasNothing()
    {
        Desk desk;
        desk.bridge.follow(&desk.screen, false);
        desk.local.setText(QStringLiteral("kept"));
        QVERIFY(desk.takeControl());
        desk.link.sayClipboard(textOf(QStringLiteral("theirs")));
        QTest::qWait(50);
        QCOMPARE(desk.link.clipboardWrites, 0);
        QCOMPARE(desk.local.text(), QStringLiteral("kept"));
        desk.bridge.follow(&desk.screen, true);
        QTRY_COMPARE(desk.boxText(), QStringLiteral("kept"));
    }

    void nothingIsSentBackToWhereItCameFrom()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        QSignalSpy changes(&desk.local, &QClipboard::dataChanged);
        desk.local.setText(QStringLiteral("mine"));
        QTRY_COMPARE(desk.link.clipboardWrites, 1);
        desk.link.sayClipboard(textOf(QStringLiteral("mine"))); // the box tells of what we gave it
        desk.link.sayClipboard(textOf(QStringLiteral("theirs")));
        QTRY_COMPARE(desk.local.text(), QStringLiteral("theirs"));
        QTest::qWait(50);
        QCOMPARE(desk.link.clipboardWrites, 1);
        QCOMPARE(changes.size(), 2);
    }

    void windowsLineEndsAreNewlinesHere()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        desk.link.sayClipboard(textOf(QStringLiteral("a\r\nb")));
        QTRY_COMPARE(desk.local.text(), QStringLiteral("a\nb"));
        desk.local.setText(QStringLiteral("c\r\nd"));
        QTRY_COMPARE(desk.boxText(), QStringLiteral("c\nd"));
    }

    void oneMebibyteGoesAndMoreIsSaid()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        QSignalSpy problem(&desk.bridge, &ClipboardBridge::problem);
        desk.local.setText(QString(ClipboardBridge::kTextBytesMax, u'x'));
        QTRY_COMPARE(desk.link.clipboard.bytes.size(), ClipboardBridge::kTextBytesMax);
        desk.local.setText(QString(ClipboardBridge::kTextBytesMax + 1, u'y'));
        QTRY_COMPARE(problem.size(), 1);
        QCOMPARE(desk.link.clipboardWrites, 1);
    }

    void picturesGoBothWaysAndNotBack()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        desk.local.setImage(picture(Qt::red));
        QTRY_COMPARE(desk.link.clipboard.type, client::kPng);
        QCOMPARE(QImage::fromData(desk.link.clipboard.bytes).pixelColor(3, 3), QColor(Qt::red));

        desk.link.sayClipboard({client::kPng, pngOf(picture(Qt::blue))});
        QTRY_COMPARE(desk.local.image().pixelColor(3, 3), QColor(Qt::blue));
        QTest::qWait(50);
        QCOMPARE(desk.link.clipboardWrites, 1);
    }

    void aPictureThatIsNoneIsNothing()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        desk.local.setText(QStringLiteral("kept"));
        desk.link.sayClipboard({client::kPng, QByteArray("\x89PNG\r\n\x1a\nbroken")});
        QTest::qWait(100);
        QCOMPARE(desk.local.text(), QStringLiteral("kept"));
    }

    void aBoxWithoutAnAgentsClipboardHasRfbs()
    {
        Desk desk;
        QVERIFY(desk.takeControl());
        desk.link.nextError = Error{ErrorCode::Unimplemented, QStringLiteral("Unknown method."), {}, {}, {}};
        desk.local.setText(QStringLiteral("plain"));
        QTRY_COMPARE(desk.link.screen->cutText(), QByteArray("plain"));
        desk.link.screen->copy("from the box");
        QTRY_COMPARE(desk.local.text(), QStringLiteral("from the box"));
    }
};

QTEST_MAIN(TestClipboardBridge)
#include "tst_clipboard_bridge.moc"
