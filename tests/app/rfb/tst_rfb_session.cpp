// SPDX-License-Identifier: AGPL-3.0-only
// RfbSession against a server in a thread: pictures, sizes, cursors, clipboard, input, and silence when nothing
// happens.
#include "app/rfb/clipboard.h"
#include "app/rfb/protocol.h"
#include "app/rfb/rfb_session.h"
#include "fake_screen_server.h"

#include <atomic>
#include <future>
#include <QBuffer>
#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QtEndian>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::rfb;
using namespace cocoonbox::tests;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(64, 48);

// A session whose signals are watched, on a server that runs `script` after the greeting.
struct Watched {
    explicit Watched(std::function<void(ScreenPeer&)> script)
        : server([script = std::move(script)](ScreenPeer& peer) {
              if (peer.greet(kSize)) script(peer);
          }),
          session(server.stream()), connected(&session, &RfbSession::connected),
          frame(&session, &RfbSession::frameReady), ended(&session, &RfbSession::ended)
    {
        session.start();
    }
    bool waitConnected() { return !connected.isEmpty() || connected.wait(); }
    // The picture once `done` holds for it.
    QImage imageWhen(const std::function<bool(const QImage&)>& done)
    {
        QImage image;
        const bool came = QTest::qWaitFor([&] {
            image = session.takeFrame().image;
            return !image.isNull() && done(image);
        });
        return came ? image : QImage();
    }

    FakeScreenServer server;
    RfbSession session;
    QSignalSpy connected;
    QSignalSpy frame;
    QSignalSpy ended;
};

QRgb at(const QImage& image, int x, int y)
{
    return image.pixel(x, y) & RGB_MASK;
}

qint64 contextSwitches()
{
    qint64 sum = 0;
    for (const QString& task : QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        QFile status(u"/proc/self/task/%1/status"_s.arg(task));
        if (!status.open(QIODevice::ReadOnly)) continue;
        for (const QByteArray& line : status.readAll().split('\n'))
            if (line.contains("ctxt_switches")) sum += line.split('\t').last().toLongLong();
    }
    return sum;
}

} // namespace

class TestRfbSession final : public QObject {
    Q_OBJECT
private slots:
    void saysSizeAndNameWhenConnected()
    {
        Watched w([](ScreenPeer& peer) { peer.readUntilClosed(); });
        QVERIFY(w.waitConnected());
        QCOMPARE(w.session.desktopSize(), kSize);
        QCOMPARE(w.session.desktopName(), u"box"_s);
    }

    void decodesEveryOfferedEncoding_data()
    {
        QTest::addColumn<QByteArray>("rect");
        QTest::newRow("raw") << rawRect(8, 8, 16, 16, 0x102030);
        QTest::newRow("hextile") << rectHeader(8, 8, 16, 16, kHextile) + QByteArray("\x02\x30\x20\x10\x00", 5);
        const QByteArray tile = QByteArray("\x01\x30\x20\x10", 4);
        QTest::newRow("zrle") << rectHeader(8, 8, 16, 16, kZrle) + be32(static_cast<quint32>(zlibbed(tile).size())) +
                                     zlibbed(tile);
        QTest::newRow("tight fill") << rectHeader(8, 8, 16, 16, kTight) + QByteArray("\x80\x10\x20\x30", 4);
        QByteArray pixels;
        for (int i = 0; i < 256; ++i)
            pixels += QByteArray("\x10\x20\x30", 3);
        QTest::newRow("tight zlib") << rectHeader(8, 8, 16, 16, kTight) + QByteArray(1, '\0') +
                                           compactLength(zlibbed(pixels).size()) + zlibbed(pixels);
        QTest::newRow("tight without zlib")
            << rectHeader(8, 8, 16, 16, kTight) + QByteArray("\xa0", 1) + compactLength(pixels.size()) + pixels;
    }
    void decodesEveryOfferedEncoding()
    {
        QFETCH(QByteArray, rect);
        Watched w([rect](ScreenPeer& peer) {
            peer.send(update({rect}));
            peer.readUntilClosed();
        });
        QVERIFY(w.waitConnected());
        const QImage image = w.imageWhen([](const QImage& i) { return at(i, 10, 10) != 0; });
        QCOMPARE(at(image, 8, 8), QRgb(0x102030));
        QCOMPARE(at(image, 23, 23), QRgb(0x102030));
        QCOMPARE(at(image, 24, 24), QRgb(0));
        QVERIFY(w.ended.isEmpty());
    }

    void decodesJpegInTight()
    {
        QImage picture(64, 48, QImage::Format_RGB32);
        picture.fill(QColor(200, 40, 40));
        QByteArray jpeg;
        QBuffer buffer(&jpeg);
        buffer.open(QIODevice::WriteOnly);
        if (!picture.save(&buffer, "JPG", 90)) QSKIP("Qt has no JPEG writer here");
        Watched w([jpeg](ScreenPeer& peer) {
            peer.send(
                update({rectHeader(0, 0, 64, 48, kTight) + QByteArray("\x90", 1) + compactLength(jpeg.size()) + jpeg}));
            peer.readUntilClosed();
        });
        const QImage image = w.imageWhen([](const QImage& i) { return at(i, 30, 30) != 0; });
        QVERIFY(!image.isNull());
        QVERIFY(qAbs(qRed(image.pixel(30, 30)) - 200) < 8);
        QVERIFY(qAbs(qBlue(image.pixel(30, 30)) - 40) < 8);
    }

    void copiesOverlappingRectanglesEitherWay()
    {
        Watched w([](ScreenPeer& peer) {
            QList<QByteArray> rects;
            for (int y = 0; y < 48; ++y)
                rects += rawRect(0, y, 64, 1, static_cast<quint32>(y + 1));
            rects += rectHeader(0, 4, 64, 30, kCopyRect) + be16(0) + be16(0);   // down over itself
            rects += rectHeader(0, 36, 64, 10, kCopyRect) + be16(0) + be16(38); // up over itself
            peer.send(update(rects));
            peer.readUntilClosed();
        });
        const QImage image = w.imageWhen([](const QImage& i) { return at(i, 0, 47) == 48 && at(i, 0, 36) == 39; });
        QCOMPARE(at(image, 63, 4), QRgb(1));
        QCOMPARE(at(image, 63, 33), QRgb(30));
        QCOMPARE(at(image, 63, 45), QRgb(48));
    }

    void announcesOneFrameUntilItIsTaken()
    {
        std::promise<void> goOn;
        Watched w([future = goOn.get_future().share()](ScreenPeer& peer) {
            for (int i = 0; i < 50; ++i)
                peer.send(update({rawRect(i, 0, 1, 1, 0xff)}));
            future.wait();
            peer.send(update({rawRect(0, 40, 5, 5, 0xff)}));
            peer.readUntilClosed();
        });
        QVERIFY(w.frame.wait());
        QTest::qWait(100);
        QCOMPARE(w.frame.size(), 1);
        QVERIFY(!w.session.takeFrame().damage.isEmpty());
        QVERIFY(w.session.takeFrame().damage.isEmpty());
        goOn.set_value();
        QVERIFY(w.frame.wait());
        QCOMPARE(w.session.takeFrame().damage, QList<QRect>{QRect(0, 40, 5, 5)});
    }

    void knowsWhenTheWholePictureHasCome()
    {
        std::promise<void> goOn;
        Watched w([future = goOn.get_future().share()](ScreenPeer& peer) {
            peer.send(update({rawRect(0, 0, 64, 47, 1)}));
            future.wait();
            peer.send(update({rawRect(0, 47, 64, 1, 1)}));
            peer.readUntilClosed();
        });
        QVERIFY(w.frame.wait());
        QVERIFY(!w.session.takeFrame().complete);
        goOn.set_value();
        QVERIFY(w.frame.wait());
        QVERIFY(w.session.takeFrame().complete);
    }

    void followsTheDesktopSizeAndAsksForAllOfIt()
    {
        std::promise<QByteArray> asked;
        auto future = asked.get_future();
        Watched w([&asked](ScreenPeer& peer) {
            const QByteArray screens =
                QByteArray("\x01\x00\x00\x00", 4) + be32(7) + be16(0) + be16(0) + be16(100) + be16(80) + be32(3);
            peer.send(update({rectHeader(0, 0, 100, 80, kExtendedDesktopSize) + screens}));
            peer.read(10); // the incremental request of the update's start
            asked.set_value(peer.read(10));
            peer.send(update({rawRect(0, 0, 100, 80, 0x445566)}));
            peer.readUntilClosed();
        });
        QSignalSpy resized(&w.session, &RfbSession::desktopResized);
        QVERIFY(resized.wait());
        QCOMPARE(resized.first().first().toSize(), QSize(100, 80));
        const QImage image = w.imageWhen([](const QImage& i) { return i.width() == 100 && at(i, 99, 79) != 0; });
        QCOMPARE(at(image, 99, 79), QRgb(0x445566));
        QCOMPARE(future.get(), message::updateRequest(false, {100, 80}));
    }

    void keepsTheSizeWhenItsRequestIsRefused()
    {
        std::promise<QByteArray> asked;
        auto future = asked.get_future();
        Watched w([&asked](ScreenPeer& peer) {
            const QByteArray screens =
                QByteArray("\x01\x00\x00\x00", 4) + be32(7) + be16(0) + be16(0) + be16(64) + be16(48) + be32(3);
            peer.send(update({rectHeader(0, 0, 64, 48, kExtendedDesktopSize) + screens}));
            peer.read(10);
            asked.set_value(peer.read(24));
            peer.send(update({rectHeader(1, 1, 200, 200, kExtendedDesktopSize) + screens, rawRect(0, 0, 64, 48, 9)}));
            peer.readUntilClosed();
        });
        QSignalSpy resized(&w.session, &RfbSession::desktopResized);
        QVERIFY(w.waitConnected());
        QTest::qWait(50);
        w.session.requestDesktopSize({200, 200});
        QVERIFY(!w.imageWhen([](const QImage& i) { return at(i, 0, 0) == 9; }).isNull());
        QCOMPARE(future.get(), message::setDesktopSize({200, 200}, {7, 3}));
        QVERIFY(resized.isEmpty());
    }

    void showsCursorsOfBothKinds()
    {
        Watched w([](ScreenPeer& peer) {
            peer.send(update(
                {rectHeader(1, 1, 2, 2, kAlphaCursor) + be32(0) + QByteArray("\x80\x00\x00\x80", 4).repeated(4)}));
            peer.send(update({rectHeader(9, 9, 8, 1, kRichCursor) + QByteArray("\x33\x22\x11\x00", 4).repeated(8) +
                              QByteArray("\x80", 1)}));
            peer.send(update({rectHeader(0, 0, 0, 0, kAlphaCursor) + be32(0)}));
            peer.readUntilClosed();
        });
        QList<CursorShape> shapes;
        connect(&w.session, &RfbSession::cursorChanged, this, [&](const CursorShape& shape) { shapes.append(shape); });
        QTRY_COMPARE(shapes.size(), 3);
        QCOMPARE(shapes[0].image.pixelColor(0, 0).alpha(), 0x80);
        QCOMPARE(shapes[0].hotSpot, QPoint(1, 1));
        QCOMPARE(shapes[1].image.pixel(0, 0), qRgb(0x11, 0x22, 0x33));
        QCOMPARE(qAlpha(shapes[1].image.pixel(1, 0)), 0);
        QCOMPARE(shapes[1].hotSpot, QPoint(7, 0)); // held inside the shape
        QVERIFY(shapes[2].image.isNull());
    }

    void movesTextBothWaysOverTheExtendedClipboard()
    {
        const QString text = u"grüße 世界 🙂\nzweite"_s;
        std::promise<QByteArray> pasted;
        auto future = pasted.get_future();
        Watched w([&pasted, text](ScreenPeer& peer) {
            const auto serverSays = [&](const QByteArray& body) {
                peer.send(QByteArray("\x03\0\0\0", 4) + be32(static_cast<quint32>(-body.size())) + body);
            };
            const auto clientSays = [&] {
                const QByteArray head = peer.read(8);
                return peer.read(-static_cast<qint32>(qFromBigEndian<quint32>(head.constData() + 4)));
            };
            serverSays(be32(0x1f000001) + be32(1 << 20)); // what it can do
            if (!clientSays().startsWith(be32(0x1f000001))) return;
            serverSays(be32(0x08000001));                 // it has a text
            if (clientSays() != be32(0x02000001)) return; // which we ask for
            serverSays(be32(0x10000001) + packClipboardText(QString(text).replace(u"\n"_s, u"\r\n"_s).toUtf8()));
            if (clientSays() != be32(0x08000001)) return; // ours is announced, not sent
            serverSays(be32(0x02000001));                 // somebody pastes
            pasted.set_value(clientSays());
            peer.readUntilClosed();
        });
        QSignalSpy received(&w.session, &RfbSession::clipboardReceived);
        QVERIFY(received.wait());
        QCOMPARE(received.first().first().toString(), text);
        w.session.setClipboard(u"von hier 🙂"_s);
        QVERIFY(future.wait_for(std::chrono::seconds(5)) == std::future_status::ready);
        const QByteArray provided = future.get();
        QCOMPARE(provided.first(4), be32(0x10000001));
        QCOMPARE(*unpackClipboardText(provided.sliced(4)), u"von hier 🙂"_s.toUtf8());
    }

    void sendsLatin1ToOldServers()
    {
        std::promise<QByteArray> said;
        auto future = said.get_future();
        Watched w([&said](ScreenPeer& peer) {
            peer.send(QByteArray("\x03\0\0\0", 4) + be32(3) + "h\xe4t");
            said.set_value(peer.read(8 + 6));
            peer.readUntilClosed();
        });
        QSignalSpy received(&w.session, &RfbSession::clipboardReceived);
        QVERIFY(received.wait());
        QCOMPARE(received.first().first().toString(), u"hät"_s);
        w.session.setClipboard(u"grüße🙂"_s);
        const QByteArray bytes = future.get();
        QCOMPARE(bytes.first(8), QByteArray("\x06\0\0\0\0\0\0\x06", 8).first(8));
        QVERIFY(bytes.contains("gr\xfc\xdf"
                               "e?"));
    }

    void sendsKeysAsTheServerTakesThem()
    {
        std::promise<QByteArray> said;
        auto future = said.get_future();
        Watched w([&said](ScreenPeer& peer) {
            peer.send(update({rectHeader(0, 0, 0, 0, kQemuKeys), rectHeader(0, 0, 0, 0, kExtendedMouseButtons),
                              rawRect(0, 0, 1, 1, 1)}));
            peer.read(10);
            said.set_value(peer.read(12 + 8 + 7 + 12));
            peer.readUntilClosed();
        });
        QVERIFY(w.frame.wait());
        w.session.sendKey('a', 0x1e, true);
        w.session.sendKey('b', 0, true);
        w.session.sendPointer({5, 500}, kButtonBack);
        w.session.sendKey('A', 0x1e, false); // released as it was pressed
        QCOMPARE(future.get(), message::qemuKey('a', 0x1e, true) + message::key('b', true) +
                                   message::pointer({5, 47}, kButtonBack, true) + message::qemuKey('a', 0x1e, false));
    }

    void releasesEverythingItHolds()
    {
        std::promise<QByteArray> said;
        auto future = said.get_future();
        Watched w([&said](ScreenPeer& peer) {
            said.set_value(peer.read(8 + 6 + 8 + 6));
            peer.readUntilClosed();
        });
        QVERIFY(w.waitConnected());
        w.session.sendKey('x', 0, true);
        w.session.sendPointer({3, 4}, kButtonLeft);
        w.session.releaseAll();
        w.session.releaseAll();
        QCOMPARE(future.get(), message::key('x', true) + message::pointer({3, 4}, kButtonLeft, false) +
                                   message::key('x', false) + message::pointer({3, 4}, 0, false));
    }

    void switchesToContinuousUpdatesAndAnswersFences()
    {
        std::promise<QByteArray> said;
        auto future = said.get_future();
        Watched w([&said](ScreenPeer& peer) {
            peer.send(QByteArray("\x96", 1)); // it can
            peer.send(QByteArray("\xf8\0\0\0", 4) + be32(0x80000003) +
                      QByteArray("\x03"
                                 "abc",
                                 4));
            for (int i = 0; i < 3; ++i)
                peer.send(update({rawRect(0, i, 1, 1, 1)})); // unasked
            peer.send(QByteArray("\xf8\0\0\0", 4) + be32(0x80000000) + QByteArray("\x00", 1));
            said.set_value(peer.read(10 + 12 + 9));
            peer.readUntilClosed();
        });
        QVERIFY(w.waitConnected());
        QCOMPARE(future.get(),
                 message::enableContinuousUpdates(kSize) + message::fenceReply(3, "abc") + message::fenceReply(0, ""));
    }

    void endsWhenTheServerGoes()
    {
        Watched w([](ScreenPeer& peer) { peer.closeNow(); });
        QVERIFY(w.ended.wait());
        QCOMPARE(w.ended.first().first().value<Error>().reason, u"SCREEN_CLOSED"_s);
        QVERIFY(!w.session.isConnected());
    }

    void closesAtOnceInTheMiddleOfAnUpdate()
    {
        auto w = std::make_unique<Watched>([](ScreenPeer& peer) {
            peer.send(update({rawRect(0, 0, 64, 48, 1)}).first(500));
            peer.readUntilClosed();
        });
        QVERIFY(w->waitConnected());
        QElapsedTimer timer;
        timer.start();
        w.reset();
        QVERIFY(timer.elapsed() < 1000);
    }

    void neverBlocksOnAServerThatDoesNotRead()
    {
        std::promise<void> goOn;
        Watched w([future = goOn.get_future().share()](ScreenPeer&) { future.wait(); });
        QVERIFY(w.waitConnected());
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 1'000'000 && w.ended.isEmpty(); ++i) {
            w.session.sendPointer({i % 64, 1}, 0);
            if (i % 10'000 == 0) QCoreApplication::processEvents();
        }
        QVERIFY(timer.elapsed() < 8000);
        QTRY_COMPARE(w.ended.size(), 1);
        QCOMPARE(w.ended.first().first().value<Error>().reason, u"RFB_LIMIT"_s);
        goOn.set_value();
    }

    void sleepsWhenNothingHappens()
    {
        Watched w([](ScreenPeer& peer) {
            peer.send(update({rawRect(0, 0, 64, 48, 1)}));
            peer.readUntilClosed();
        });
        QVERIFY(w.frame.wait());
        w.session.takeFrame();
        QTest::qWait(50);
        const qint64 before = contextSwitches();
        QThread::sleep(std::chrono::seconds(1)); // the GUI's loop does not turn either
        QVERIFY2(contextSwitches() - before <= 3, qPrintable(QString::number(contextSwitches() - before)));
    }

    void survivesADripOfSingleBytes()
    {
        Watched w([](ScreenPeer& peer) {
            for (const char c : update({rawRect(0, 0, 20, 20, 0x123456)})) {
                peer.send(QByteArrayView(&c, 1));
                std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
            peer.readUntilClosed();
        });
        QCOMPARE(at(w.imageWhen([](const QImage& i) { return at(i, 19, 19) != 0; }), 19, 19), QRgb(0x123456));
    }
};

QTEST_GUILESS_MAIN(TestRfbSession)
#include "tst_rfb_session.moc"
