// SPDX-License-Identifier: AGPL-3.0-only
// Servers that break the protocol: each ends the session with its typed error in time, or is harmless; none crashes it.
#include "app/rfb/protocol.h"
#include "app/rfb/rfb_session.h"
#include "fake_screen_server.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::rfb;
using namespace cocoonbox::tests;
using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize(64, 48);
const auto kHarmless = QString();

QByteArray screenInit(int width, int height, quint32 nameLength = 0)
{
    return be16(width) + be16(height) + QByteArray(16, '\0') + be32(nameLength);
}

QByteArray zrle(const QByteArray& tile)
{
    const QByteArray packed = zlibbed(tile);
    return be32(static_cast<quint32>(packed.size())) + packed;
}

QByteArray tightZlib(const QByteArray& head, const QByteArray& plain)
{
    const QByteArray packed = zlibbed(plain);
    return head + compactLength(packed.size()) + packed;
}

QByteArray extendedCutText(const QByteArray& body)
{
    return QByteArray("\x03\0\0\0", 4) + be32(static_cast<quint32>(-body.size())) + body;
}

} // namespace

class TestRfbHostile final : public QObject {
    Q_OBJECT
private slots:
    void endsABadGreeting_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const QByteArray agreed = "RFB 003.008\n" + QByteArray("\x01\x01", 2) + be32(0);
        QTest::newRow("not rfb") << QByteArray("HTTP/1.1 400\r\n") << u"RFB_PROTOCOL"_s;
        QTest::newRow("password") << "RFB 003.008\n" + QByteArray("\x01\x02", 2) << u"RFB_AUTH"_s;
        QTest::newRow("password 3.3") << "RFB 003.003\n" + be32(2) << u"RFB_AUTH"_s;
        QTest::newRow("refused") << "RFB 003.008\n" + QByteArray(1, '\0') + be32(2) + "no" << u"RFB_REFUSED"_s;
        QTest::newRow("endless reason") << "RFB 003.008\n" + QByteArray(1, '\0') + be32(0xfffffffe) << u"RFB_LIMIT"_s;
        QTest::newRow("huge desktop") << agreed + screenInit(65535, 65535) << u"RFB_LIMIT"_s;
        QTest::newRow("too many pixels") << agreed + screenInit(16384, 16384) << u"RFB_LIMIT"_s;
        QTest::newRow("no pixels") << agreed + screenInit(0, 10) << u"RFB_PROTOCOL"_s;
        QTest::newRow("endless name") << agreed + screenInit(64, 48, 0xffffffff) << u"RFB_LIMIT"_s;
    }
    void endsABadGreeting()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        FakeScreenServer server([bytes](ScreenPeer& peer) {
            peer.send(bytes);
            peer.readUntilClosed();
        });
        RfbSession session(server.stream());
        QSignalSpy ended(&session, &RfbSession::ended);
        session.start();
        QVERIFY(ended.wait());
        QCOMPARE(ended.first().first().value<Error>().reason, reason);
    }

    void endsOrSurvivesABadMessage_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const QByteArray& bytes, const QString& reason) {
            QTest::newRow(name) << bytes << reason;
        };
        const QString protocol = u"RFB_PROTOCOL"_s;
        const QString limit = u"RFB_LIMIT"_s;
        row("unknown message", "\xaa", protocol);
        row("raw outside", update({rawRect(60, 40, 20, 20, 1)}), protocol);
        row("raw without size", update({rectHeader(0, 0, 0, 9, kRaw), rectHeader(0, 0, 9, 0, kRaw)}), kHarmless);
        row("copy from outside", update({rectHeader(0, 0, 9, 9, kCopyRect) + be16(65000) + be16(65000)}), protocol);
        row("rre, not offered", update({rectHeader(0, 0, 9, 9, 2) + be32(0)}), protocol);
        row("ultra zip, not offered", update({rectHeader(65535, 0, 65535, 0, 10) + be32(9)}), protocol);
        row("unknown pseudo encoding", update({rectHeader(0, 0, 9, 9, -9999)}), protocol);
        row("hextile subrects outside",
            update({rectHeader(48, 32, 16, 16, kHextile) + QByteArray("\x1a\0\0\0\0\xff", 6) +
                    QByteArray("\xff\0\0\0\xff\xff", 6).repeated(255)}),
            kHarmless);
        row("tight rows beyond the rectangle",
            update({rectHeader(0, 40, 64, 8, kTight) + tightZlib(QByteArray(1, '\0'), QByteArray(64 * 3 * 4000, 'U'))}),
            protocol);
        row("tight unknown filter", update({rectHeader(0, 0, 9, 9, kTight) + QByteArray("\x40\x09", 2)}), protocol);
        row("tight index beyond the palette",
            update({rectHeader(0, 0, 32, 32, kTight) +
                    tightZlib(QByteArray("\x40\x01\x02", 3) + QByteArray(9, 'p'), QByteArray(1024, '\xff'))}),
            kHarmless);
        row("tight jpeg garbage",
            update({rectHeader(0, 0, 32, 32, kTight) + QByteArray("\x90", 1) + compactLength(300) + "\xff\xd8" +
                    QByteArray(298, 'j')}),
            protocol);
        row("tight uncompressed and too long",
            update({rectHeader(0, 0, 64, 48, kTight) + QByteArray("\xa0", 1) + compactLength(400'000)}), protocol);
        row("tight not zlib",
            update(
                {rectHeader(0, 0, 32, 32, kTight) + QByteArray(1, '\0') + compactLength(300) + QByteArray(300, 'z')}),
            protocol);
        row("zrle of 4 GiB", update({rectHeader(0, 0, 32, 32, kZrle) + be32(0xffffffff)}), limit);
        row("zrle run beyond its tile",
            update({rectHeader(0, 0, 32, 32, kZrle) +
                    zrle(QByteArray("\x80\xff\0\0", 4) + QByteArray(9000, '\xff') + QByteArray(1, '\0'))}),
            protocol);
        row("zrle bomb", update({rectHeader(0, 0, 32, 32, kZrle) + zrle(QByteArray(64 << 20, '\0'))}), protocol);
        row("cursor too large", update({rectHeader(0, 0, 65535, 65535, kRichCursor)}), limit);
        row("alpha cursor encoded", update({rectHeader(0, 0, 9, 9, kAlphaCursor) + be32(999)}), protocol);
        row("resize to nothing", update({rectHeader(0, 0, 0, 0, kDesktopSize)}), protocol);
        row("resize to everything", update({rectHeader(0, 0, 65535, 65535, kDesktopSize)}), limit);
        row("stale rectangle after a resize",
            update({rectHeader(0, 0, 10, 10, kDesktopSize), rawRect(0, 0, 64, 48, 1)}), protocol);
        row("cut text of 2 GiB", QByteArray("\x03\0\0\0", 4) + be32(0x7fffffff), limit);
        row("extended text too short", extendedCutText("ab"), protocol);
        row("extended text not zlib", extendedCutText(be32(0x10000001) + "garbage!"), protocol);
        row("extended text bomb",
            extendedCutText(be32(0x10000001) + zlibbed(be32(0x7ffffff0) + QByteArray(1 << 20, 'a'))), limit);
        row("extended text shorter than said",
            extendedCutText(be32(0x10000001) + zlibbed(be32(500) + QByteArray("abc"))), protocol);
        row("fence too long", QByteArray("\xf8\0\0\0", 4) + be32(0x80000000) + QByteArray("\xff", 1), protocol);
        row("name of 4 GiB", update({rectHeader(0, 0, 0, 0, kDesktopName) + be32(0xffffffff)}), limit);
        row("colour map", QByteArray("\x01\0\0\0\x01\0", 6) + QByteArray(6 * 256, 'c'), kHarmless);
        row("bells", QByteArray(200'000, '\x02'), kHarmless);
        row("updates without rectangles", QByteArray(update({})).repeated(500), kHarmless);
        row("last rectangles only",
            QByteArray(QByteArray("\0\0\xff\xff", 4) + rectHeader(0, 0, 0, 0, kLastRect)).repeated(50), kHarmless);
    }
    void endsOrSurvivesABadMessage()
    {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, reason);
        FakeScreenServer server([bytes](ScreenPeer& peer) {
            if (!peer.greet(kSize)) return;
            // The client talks back while it reads; what it says is read at the end.
            peer.send(bytes);
            peer.send(update({rawRect(0, 0, 1, 1, 0x00c0ffee)}));
            peer.readUntilClosed();
        });
        RfbSession session(server.stream());
        QSignalSpy ended(&session, &RfbSession::ended);
        QElapsedTimer timer;
        timer.start();
        session.start();
        const auto alive = [&] {
            const QImage image = session.takeFrame().image;
            return !image.isNull() && (image.pixel(0, 0) & RGB_MASK) == 0xc0ffee;
        };
        QTRY_VERIFY(!ended.isEmpty() || alive());
        QCOMPARE(ended.isEmpty() ? kHarmless : ended.first().first().value<Error>().reason, reason);
        QVERIFY(timer.elapsed() < 3000);
    }

    void manyResizesDoNotGrowTheMemory()
    {
        FakeScreenServer server([](ScreenPeer& peer) {
            if (!peer.greet(kSize)) return;
            for (int i = 0; i < 300; ++i) {
                if (!peer.send(update({rectHeader(0, 0, 4000 + i, 4000, kDesktopSize)}))) return;
                peer.read(20);
            }
            peer.send(update({rectHeader(0, 0, 8, 8, kDesktopSize), rawRect(0, 0, 8, 8, 0xc0ffee)}));
            peer.readUntilClosed();
        });
        RfbSession session(server.stream());
        QSignalSpy ended(&session, &RfbSession::ended);
        session.start();
        QTRY_VERIFY(session.takeFrame().image.width() == 8 &&
                    (session.takeFrame().image.pixel(0, 0) & RGB_MASK) == 0xc0ffee);
        QVERIFY(ended.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestRfbHostile)
#include "tst_rfb_hostile.moc"
