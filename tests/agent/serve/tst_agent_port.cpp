// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/port/frame_channel.h"
#include "agent/toolhost/port/message.h"
#include "agent/toolhost/port/tool_table.h"
#include "tests/agent/serve/waiting.h"

#include <QCborMap>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtEndian>
#include <sys/socket.h>
#include <unistd.h>

using namespace cocoonbox;
using namespace cocoonbox::agent::toolhost::port;
using namespace cocoonbox::test;

namespace {

QList<Message> oneOfEach()
{
    return {Hello{7},
            CallStart{1, "shell", R"({"command":"ls"})", 5000, "agt_1"},
            CallOutput{1, "half\n"},
            CallResult{1, "größe", true},
            CallCancel{1},
            ExecStart{2, {"ls", "-l"}, "/tmp", {{"A", "b"}}, true, 24, 80, true},
            ExecStdin{2, QByteArray("\0x", 2), true},
            ExecResize{2, 1, 4096},
            ExecSignal{2, 15},
            ExecHangUp{2},
            ExecCredit{2, 65536},
            ExecOutput{2, "out", true},
            ExecExit{2, 137, 9, "why"}};
}

QByteArray framed(const QByteArray& cbor)
{
    QByteArray frame(4, '\0');
    qToLittleEndian(static_cast<quint32>(cbor.size()), frame.data());
    return frame + cbor;
}

QByteArray callWith(const QString& key, const QCborValue& value)
{
    QCborMap map{{"type", "call"},  {"id", 1},    {"tool", "ls"}, {"arguments", QByteArray("{}")},
                 {"timeout_ms", 1}, {"scope", ""}};
    map.insert(key, value);
    return map.toCborValue().toCbor();
}

} // namespace

class TestPort : public QObject {
    Q_OBJECT
private slots:
    void everyMessageSurvivesAnyCut()
    {
        QByteArray stream;
        for (const Message& message : oneOfEach())
            stream += *encodeFrame(message);
        for (const qsizetype step : {1, 3, 7, 64, 100'000}) {
            FrameReader reader;
            QList<Message> got;
            for (qsizetype at = 0; at < stream.size(); at += step) {
                const auto messages = reader.feed(stream.mid(at, step));
                QVERIFY(messages);
                got += *messages;
            }
            QVERIFY(got == oneOfEach());
        }
    }

    void brokenFramesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::newRow("longer than the limit") << QByteArray("\x01\x00\x10\x00", 4);
        QTest::newRow("length of 4 GiB") << QByteArray("\xff\xff\xff\xff", 4);
        QTest::newRow("no CBOR") << framed("\xff\xff");
        QTest::newRow("no map") << framed(QCborValue(7).toCbor());
        QTest::newRow("bytes after the value")
            << framed(QCborMap{{"type", "call_cancel"}, {"id", 1}}.toCborValue().toCbor() + '\0');
        QTest::newRow("unknown type") << framed(QCborMap{{"type", "dance"}}.toCborValue().toCbor());
        QTest::newRow("field missing") << framed(QCborMap{{"type", "call_cancel"}}.toCborValue().toCbor());
        QTest::newRow("field too many") << framed(callWith("more", 1));
        QTest::newRow("id 0") << framed(callWith("id", 0));
        QTest::newRow("id of another type") << framed(callWith("id", "1"));
        QTest::newRow("arguments too large") << framed(callWith("arguments", QByteArray(kArgumentBytesMax + 1, 'x')));
        QTest::newRow("tool name too long") << framed(callWith("tool", QString(65, 'x')));
        QTest::newRow("no time") << framed(callWith("timeout_ms", 0));
        QTest::newRow("signal 32") << framed(
            QCborMap{{"type", "exec_signal"}, {"id", 1}, {"number", 32}}.toCborValue().toCbor());
        QTest::newRow("window of 0 rows")
            << framed(QCborMap{{"type", "exec_resize"}, {"id", 1}, {"rows", 0}, {"columns", 1}}.toCborValue().toCbor());
    }
    void brokenFramesAreRefused()
    {
        QFETCH(QByteArray, stream);
        const auto messages = FrameReader().feed(stream);
        QVERIFY(!messages);
        QCOMPARE(messages.error().reason, QString("FRAME_BROKEN"));
    }

    void aResultIsCutBetweenCharactersAndSaysSo()
    {
        const QString euros(kResultBytesMax, u'€');
        const QString cut = boundedResult(euros);
        QVERIFY(cut.toUtf8().size() <= kResultBytesMax);
        QVERIFY(cut.contains("cut here"));
        QVERIFY(!cut.contains(QChar::ReplacementCharacter));
        QCOMPARE(boundedResult("short"), QString("short"));
    }

    void aChannelCarriesBothWaysAndEndsOnce()
    {
        int fds[2];
        QCOMPARE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        auto left = std::make_unique<FrameChannel>(fds[0]);
        FrameChannel right(fds[1]);
        QList<Message> got;
        int ends = 0;
        connect(&right, &FrameChannel::received, [&](const Message& message) { got.append(message); });
        connect(&right, &FrameChannel::closed, [&] { ++ends; });
        for (const Message& message : oneOfEach())
            QVERIFY(left->send(message));
        QVERIFY(waitUntil([&] { return got.size() == oneOfEach().size(); }));
        QVERIFY(got == oneOfEach());
        left.reset();
        QVERIFY(waitUntil([&] { return ends == 1; }));
        QVERIFY(!right.send(Hello{}));
        right.close();
        QCOMPARE(ends, 1);
    }

    void aPeerThatDoesNotReadIsHungUpOn()
    {
        int fds[2];
        QCOMPARE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        FrameChannel channel(fds[0]);
        const QByteArray chunk(kExecChunkBytesMax, 'x');
        int sent = 0;
        while (channel.send(ExecOutput{1, chunk, false}) && sent < 1000)
            ++sent;
        QVERIFY(!channel.isOpen());
        QVERIFY(sent >= 100 && sent < 200); // 8 MiB and what the kernel holds
        ::close(fds[1]);
    }

    void aPeerOfAnotherUserIsRefused()
    {
        int fds[2];
        QCOMPARE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
        QVERIFY(checkPeer(fds[0], getuid()));
        QCOMPARE(checkPeer(fds[0], getuid() + 1).error().reason, QString("PEER_REFUSED"));
        ::close(fds[0]);
        ::close(fds[1]);
    }

    void everyToolHasASchemaThatAllWiresTake()
    {
        QCOMPARE(toolTable().size(), size_t{7});
        for (const ToolSpec& tool : toolTable()) {
            const QJsonObject schema = QJsonDocument::fromJson(tool.parameters).object();
            QCOMPARE(schema.value("type").toString(), QString("object"));
            QVERIFY(!schema.value("properties").toObject().isEmpty());
            QVERIFY(QByteArray(tool.name).size() <= 64);
            QCOMPARE(findTool(QString::fromLatin1(tool.name)), &tool);
        }
        QCOMPARE(findTool(u"rm"), nullptr);
    }
};

QTEST_GUILESS_MAIN(TestPort)
#include "tst_agent_port.moc"
