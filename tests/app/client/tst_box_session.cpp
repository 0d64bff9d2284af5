// SPDX-License-Identifier: AGPL-3.0-only
// BoxSession against a box that cuts its streams, restarts, sleeps and forgets: nothing is lost, nothing is doubled.
#include "app/client/api_client.h"
#include "app/client/box_session.h"
#include "app/client/exec_channel.h"
#include "app/rfb/rfb_session.h"
#include "fake_api.h"

#include <QBuffer>
#include <QCoroTask>
#include <QElapsedTimer>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::client;
using namespace cocoonbox::tests;
using namespace Qt::StringLiterals;

namespace {

const auto kAgent = u"agt_1"_s;

struct World {
    World()
    {
        api.addBox(u"main"_s, BoxState::Running);
        api.addAgent(kAgent, u"first"_s);
        Account account;
        account.apiUrl = api.url();
        account.token = Secret("good-token");
        client = *ApiClient::create(account, {u"test"_s, u"1"_s});
        session = client->openBox(u"box_1"_s);
    }
    bool connectAndOpen()
    {
        QSignalSpy reset(session.get(), &BoxSession::transcriptReset);
        session->openTranscript(kAgent);
        session->start();
        return QTest::qWaitFor([&] { return !reset.isEmpty() && session->state() == SessionState::Connected; });
    }
    QStringList texts() const
    {
        QStringList all;
        if (const Transcript* transcript = session->transcript(kAgent))
            for (const Entry& entry : transcript->entries())
                all.append(entry.text);
        return all;
    }

    FakeApi api;
    std::unique_ptr<ApiClient> client;
    std::unique_ptr<BoxSession> session;
};

} // namespace

class TestBoxSession final : public QObject {
    Q_OBJECT
private slots:
    void readsAgentsAndTranscriptThenFollows()
    {
        World w;
        w.api.addEntry(kAgent, EntryKind::Prompt, u"before"_s, u"t0"_s);
        QVERIFY(w.connectAndOpen());
        QCOMPARE(w.session->agents().size(), 1);
        QCOMPARE(w.texts(), QStringList{u"before"_s});
        QSignalSpy added(w.session.get(), &BoxSession::entryAdded);
        w.api.addEntry(kAgent, EntryKind::Reply, u"after"_s, u"t0"_s);
        QTRY_COMPARE(added.size(), 1);
        QCOMPARE(w.texts(), QStringList({u"before"_s, u"after"_s}));
        w.api.setAgent(kAgent, AgentState::Working, u"t1"_s);
        QTRY_COMPARE(w.session->agents().first().state, AgentState::Working);
    }

    void readsLongTranscriptsWhole()
    {
        World w;
        for (int i = 0; i < 1203; ++i)
            w.api.addEntry(kAgent, EntryKind::Reply, QString::number(i), {});
        QVERIFY(w.connectAndOpen());
        QCOMPARE(w.texts().size(), 1203);
    }

    void losesAndDoublesNothingOverRandomCuts()
    {
        World w;
        w.api.cutEventsAfterAtMost = 4;
        QVERIFY(w.connectAndOpen());
        QStringList announced;
        connect(w.session.get(), &BoxSession::entryAdded, this, [&](const QString& agent, qsizetype index) {
            announced.append(w.session->transcript(agent)->entries().at(index).text);
        });
        QStringList expected;
        for (int i = 0; i < 60; ++i) {
            expected.append(u"entry %1"_s.arg(i));
            w.api.addEntry(kAgent, EntryKind::Reply, expected.last(), u"t"_s);
            if (i % 7 == 0) QTest::qWait(30);
        }
        QTRY_COMPARE_WITH_TIMEOUT(w.texts(), expected, 30'000);
        QCOMPARE(announced, expected);
        QVERIFY2(w.api.eventCalls() > 10, "the streams were not cut");
    }

    void aChangedEntryReplacesItsFormer()
    {
        World w;
        QVERIFY(w.connectAndOpen());
        Entry call = w.api.addToolCall(kAgent, u"shell"_s, u"ls"_s, u"t"_s);
        QTRY_COMPARE(w.session->transcript(kAgent)->entries().size(), 1);
        QSignalSpy changed(w.session.get(), &BoxSession::entryChanged);
        call.toolCall.state = ToolState::Done;
        call.toolCall.output = u"hello\n"_s;
        w.api.changeEntry(call);
        QTRY_COMPARE(changed.size(), 1);
        QCOMPARE(w.session->transcript(kAgent)->entries().first().toolCall.output, u"hello\n"_s);
    }

    void draftsComeWholeAgainAfterACut()
    {
        World w;
        QVERIFY(w.connectAndOpen());
        w.api.writeDraft(kAgent, u"t"_s, u"Once "_s);
        QTRY_COMPARE(w.session->transcript(kAgent)->draft().text, u"Once "_s);
        w.api.breakEventCalls();
        w.api.writeDraft(kAgent, u"t"_s, u"upon "_s);
        QTRY_COMPARE(w.session->transcript(kAgent)->draft().text, u"Once upon "_s);
        w.api.writeDraft(kAgent, u"t"_s, u"a time"_s);
        QTRY_COMPARE(w.session->transcript(kAgent)->draft().text, u"Once upon a time"_s);
        w.api.addEntry(kAgent, EntryKind::Reply, u"Once upon a time"_s, u"t"_s);
        QTRY_COMPARE(w.texts(), QStringList{u"Once upon a time"_s});
        QVERIFY(w.session->transcript(kAgent)->draft().isEmpty());
    }

    void reconnectsWithinTwoSecondsOfARestart()
    {
        World w;
        QVERIFY(w.connectAndOpen());
        w.api.stop();
        QTRY_COMPARE(w.session->state(), SessionState::Connecting);
        QTest::qWait(3000);
        w.api.addEntry(kAgent, EntryKind::Reply, u"meanwhile"_s, {});
        w.api.start();
        QElapsedTimer back;
        back.start();
        QTRY_COMPARE(w.session->state(), SessionState::Connected);
        QVERIFY2(back.elapsed() < 2000, qPrintable(QString::number(back.elapsed())));
        QTRY_COMPARE(w.texts(), QStringList{u"meanwhile"_s});
    }

    void sleepsWithTheBoxAndWakesWithIt()
    {
        World w;
        w.client->startWatching();
        QTRY_COMPARE(w.client->connectionState(), ConnectionState::Connected);
        QVERIFY(w.connectAndOpen());
        w.api.boxFailure = Error{ErrorCode::FailedPrecondition, u"The box sleeps."_s, u"BOX_ASLEEP"_s, {}, {}};
        w.api.boxes[0].state = BoxState::Hibernated;
        w.api.boxesChanged();
        w.api.breakEventCalls();
        QTRY_COMPARE(w.session->state(), SessionState::Asleep);
        QCOMPARE(w.session->message(), u"The box sleeps."_s);
        w.api.boxFailure.reset();
        const int calls = w.api.eventCalls();
        QTest::qWait(2500);
        QCOMPARE(w.api.eventCalls(), calls); // no trying while it sleeps
        w.api.boxes[0].state = BoxState::Running;
        w.api.boxes[0].wakeId = u"w2"_s;
        w.api.boxesChanged();
        QElapsedTimer back;
        back.start();
        QTRY_COMPARE(w.session->state(), SessionState::Connected);
        QVERIFY(back.elapsed() < 500);
    }

    void readsEverythingAnewWhenTheHistoryWentBack()
    {
        World w;
        for (int i = 0; i < 5; ++i)
            w.api.addEntry(kAgent, EntryKind::Reply, u"lost"_s, {});
        QVERIFY(w.connectAndOpen());
        QSignalSpy agentsReset(w.session.get(), &BoxSession::agentsReset);
        w.api.loseHistory();
        w.api.addAgent(kAgent, u"older"_s);
        w.api.addEntry(kAgent, EntryKind::Reply, u"older"_s, {});
        QTRY_COMPARE(agentsReset.size(), 1);
        QTRY_COMPARE(w.texts(), QStringList{u"older"_s});
        QCOMPARE(w.session->agents().first().title, u"older"_s);
    }

    void endsWhenTheBoxIsGone()
    {
        World w;
        QVERIFY(w.connectAndOpen());
        w.api.boxes.clear();
        w.api.breakEventCalls();
        QTRY_COMPARE(w.session->state(), SessionState::Ended);
        QCOMPARE(w.session->lastError().reason, u"BOX_UNKNOWN"_s);
    }

    void sendsAPromptOnceThoughTheAnswerIsLost()
    {
        World w;
        w.api.refuseSends = 2;
        const auto accepted = QCoro::waitFor(w.session->send(kAgent, u"do it"_s));
        QVERIFY(accepted);
        QCOMPARE(w.api.sent.size(), 1);
        QCOMPARE(accepted->turnId, w.api.sent.first().turnId);
        const auto unknown = QCoro::waitFor(w.session->send(u"agt_9"_s, u"x"_s));
        QCOMPARE(unknown.error().reason, u"AGENT_UNKNOWN"_s);
    }

    void holdsTheScreenUntilItIsTakenOrHandedBack()
    {
        World w;
        QVERIFY(w.connectAndOpen());
        QSignalSpy lost(w.session.get(), &BoxSession::screenLost);
        QVERIFY(QCoro::waitFor(w.session->takeOver(u"Ada"_s)));
        QVERIFY(w.session->holdsScreen());
        const auto other = w.client->openBox(u"box_1"_s);
        QCOMPARE(QCoro::waitFor(other->takeOver(u"Bob"_s)).error().reason, u"BATON_HELD"_s);
        QVERIFY(QCoro::waitFor(other->takeOver(u"Bob"_s, true)));
        QTRY_COMPARE(lost.size(), 1);
        QVERIFY(lost.first().first().toString().contains(u"Bob"_s));
        QVERIFY(!w.session->holdsScreen());
        other->handBack();
        QTRY_VERIFY(w.api.heldBy.isEmpty());
        QCOMPARE(lost.size(), 1);
        QVERIFY(QCoro::waitFor(w.session->takeOver(u"Ada"_s)));
        w.session->handBack();
        QVERIFY(!w.session->holdsScreen());
        QTRY_VERIFY(w.api.heldBy.isEmpty());
    }

    void runsProgramsWithInputAndExitCode()
    {
        World w;
        const auto channel = w.session->exec({.argv = {u"cat"_s}});
        QVERIFY(QCoro::waitFor(channel->writeStdin("one ")));
        QVERIFY(QCoro::waitFor(channel->writeStdin(QByteArray(60'000, 'x'))));
        channel->closeStdin();
        QByteArray out;
        int exitCode = -1;
        while (const auto output = QCoro::waitFor(channel->read())) {
            if (output->kind == ExecOutput::Kind::Stdout) out += output->bytes;
            if (output->kind == ExecOutput::Kind::Exited) exitCode = output->exitCode;
        }
        QCOMPARE(out, "one " + QByteArray(60'000, 'x'));
        QCOMPARE(exitCode, 0);
        QVERIFY(QCoro::waitFor(channel->finish()));
    }

    void saysWhyAProgramCannotRun()
    {
        World w;
        const auto channel = w.session->exec({.argv = {u"vanish"_s}});
        QVERIFY(!QCoro::waitFor(channel->read()));
        QCOMPARE(QCoro::waitFor(channel->finish()).error().reason, u"TOOLHOST_DOWN"_s);
    }

    void uploadsAFileAndTellsHowFarItIs()
    {
        World w;
        const auto file = std::make_shared<QBuffer>();
        file->setData(QByteArray(300'000, 'x') + "end");
        QVERIFY(file->open(QIODevice::ReadOnly));
        QList<qint64> moved;
        const auto stored = QCoro::waitFor(w.session->upload(
            {u"a.bin"_s, {}, file}, [&](qint64 done, qint64 total) { moved.append(total == 300'003 ? done : -1); }));
        QVERIFY(stored);
        QCOMPARE(stored->path, u"/workspace/Uploads/a.bin"_s);
        QCOMPARE(stored->sizeBytes, 300'003);
        QVERIFY(w.api.files.value(stored->path) == file->data());
        QCOMPARE(moved.last(), 300'003);
        QVERIFY(std::ranges::is_sorted(moved) && moved.first() > 0);
    }
    void anUploadThatIsRefusedOrStoppedSaysSo()
    {
        World w;
        const auto file = std::make_shared<QBuffer>();
        file->setData(QByteArray(3'000'000, 'x'));
        QVERIFY(file->open(QIODevice::ReadOnly));
        w.api.uploadFailure = Error{ErrorCode::ResourceExhausted, u"The disk is full."_s, u"DISK_FULL"_s, {}, {}};
        QCOMPARE(QCoro::waitFor(w.session->upload({u"a"_s, {}, file})).error().reason, u"DISK_FULL"_s);
        w.api.uploadFailure.reset();
        std::stop_source stop;
        const auto stopped = QCoro::waitFor(
            w.session->upload({u"a"_s, {}, file}, [&](qint64, qint64) { stop.request_stop(); }, stop.get_token()));
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
        QVERIFY(w.api.files.isEmpty());
    }
    void downloadsAFileWholeOrSaysThatItIsNot()
    {
        World w;
        w.api.files.insert(u"/workspace/f"_s, QByteArray(200'000, 'y') + "end");
        const auto out = std::make_shared<QBuffer>();
        QVERIFY(out->open(QIODevice::WriteOnly));
        const auto file = QCoro::waitFor(w.session->download(u"/workspace/f"_s, out));
        QVERIFY(file);
        QCOMPARE(file->kind, FileKind::Regular);
        QVERIFY(out->data() == w.api.files.value(u"/workspace/f"_s));
        w.api.filesShrink = true;
        QCOMPARE(QCoro::waitFor(w.session->download(u"/workspace/f"_s, out)).error().reason, u"FILE_CHANGED"_s);
        QCOMPARE(QCoro::waitFor(w.session->download(u"/none"_s, out)).error().reason, u"FILE_UNKNOWN"_s);
        const auto list = QCoro::waitFor(w.session->listFiles());
        QCOMPARE(list->entries.size(), 1);
    }
    void textGoesInOneAfterAnotherAndOnlyInControl()
    {
        World w;
        QCOMPARE(QCoro::waitFor(w.session->inputText(u"x"_s)).error().reason, u"NOT_IN_CONTROL"_s);
        QVERIFY(QCoro::waitFor(w.session->takeOver(u"Ada"_s)));
        QStringList wanted;
        std::vector<QCoro::Task<Result<void>>> sent;
        for (int i = 0; i < 10; ++i) {
            wanted.append(u"text %1 世界"_s.arg(i));
            sent.push_back(w.session->inputText(wanted.last()));
        }
        QTRY_COMPARE(w.api.typed.size(), 10);
        for (auto& task : sent)
            QVERIFY(QCoro::waitFor(std::move(task)));
        QCOMPARE(w.api.typed, wanted);
        w.api.typingTime = std::chrono::milliseconds(500); // long enough to be seen
        auto late = w.session->inputText(u"first"_s);
        auto lost = w.session->inputText(u"second"_s);
        QTRY_VERIFY(w.api.typing);
        w.session->handBack();
        QCOMPARE(QCoro::waitFor(std::move(lost)).error().reason, u"NOT_IN_CONTROL"_s);
        QCoro::waitFor(std::move(late));
    }
    void theClipboardCrossesAndItsChangesAreTold()
    {
        World w;
        const ClipboardContent picture{kPng, QByteArray(500'000, 'p')};
        QVERIFY(QCoro::waitFor(w.session->writeClipboard(picture)));
        QVERIFY(w.api.clipboard.bytes == picture.bytes);
        const auto back = QCoro::waitFor(w.session->readClipboard());
        QCOMPARE(back->type, kPng);
        QVERIFY(back->bytes == picture.bytes);
        QVERIFY(QCoro::waitFor(w.session->writeClipboard({kPlainText, {}})));
        QVERIFY(QCoro::waitFor(w.session->readClipboard())->bytes.isEmpty());
        w.api.clipboardBreaks = true;
        QCOMPARE(QCoro::waitFor(w.session->readClipboard()).error().reason, u"CLIPBOARD_INCOMPLETE"_s);
        QVERIFY(w.connectAndOpen());
        QSignalSpy changed(w.session.get(), &BoxSession::clipboardChanged);
        w.api.tellClipboard({{kPng, 0}, {kPlainText, 5}});
        QTRY_COMPARE(changed.size(), 1);
        QCOMPARE(w.session->clipboardKinds(), (QList<ClipboardKind>{{kPng, 0}, {kPlainText, 5}}));
    }

    void showsTheScreenThroughTheScreenChannel()
    {
        World w;
        app::rfb::RfbSession screen(w.session->openScreen());
        QSignalSpy frame(&screen, &app::rfb::RfbSession::frameReady);
        QSignalSpy ended(&screen, &app::rfb::RfbSession::ended);
        screen.start();
        QTRY_VERIFY(screen.takeFrame().complete);
        const QImage image = screen.takeFrame().image;
        QCOMPARE(image.size(), QSize(160, 100));
        QCOMPARE(image.pixel(100, 0) & RGB_MASK, QRgb(0x400064 + ((100 / 97) << 8)));
        w.api.stop();
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(!ended.first().first().value<Error>().message.isEmpty());
    }

    void aScreenThatIsNotReadHoldsTheBoxBack()
    {
        World w;
        w.api.screenFloods = true;
        const auto stream = w.session->openScreen();
        qint64 sent = 0;
        for (int i = 0; i < 30 && (sent == 0 || sent != w.api.screenBytesSent); ++i) {
            sent = w.api.screenBytesSent;
            QTest::qWait(200);
        }
        QVERIFY(sent > 0);
        QCOMPARE(w.api.screenBytesSent, sent); // it stands still
        QVERIFY2(sent < 16 * 1024 * 1024, qPrintable(QString::number(sent)));
        char chunk[64 * 1024];
        for (int i = 0; i < 200; ++i) { // and goes on when it is
            const auto got = stream->read(chunk, sizeof chunk, std::chrono::milliseconds(0));
            QVERIFY(got);
            QCoreApplication::processEvents();
        }
        QTRY_VERIFY(w.api.screenBytesSent > sent);
        stream->close();
        QVERIFY(!stream->read(chunk, 1, app::rfb::ByteStream::kNoLimit));
        QVERIFY(!stream->write("x"));
    }

    void tellsWhyThereIsNoScreen()
    {
        World w;
        w.api.boxFailure =
            Error{ErrorCode::Unavailable, u"The screen is not there yet."_s, u"SCREEN_UNREACHABLE"_s, {}, {}};
        app::rfb::RfbSession screen(w.session->openScreen());
        QSignalSpy ended(&screen, &app::rfb::RfbSession::ended);
        screen.start();
        QVERIFY(ended.wait());
        QCOMPARE(ended.first().first().value<Error>().reason, u"SCREEN_UNREACHABLE"_s);
    }

    void goesAwayInTheMiddleOfAnything()
    {
        for (int i = 0; i < 20; ++i) {
            World w;
            w.session->openTranscript(kAgent);
            w.session->start();
            QTest::qWait(QRandomGenerator::global()->bounded(40));
            w.session.reset();
            w.client.reset();
        }
    }
};

QTEST_GUILESS_MAIN(TestBoxSession)
#include "tst_box_session.moc"
