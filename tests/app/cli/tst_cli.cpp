// SPDX-License-Identifier: AGPL-3.0-only
// The program itself, as a script uses it: words in, exit code, stdout and stderr out, against an api on loopback.
#include "tests/app/client/fake_api.h"

#include <csignal>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace cocoonbox;
using namespace cocoonbox::tests;
using namespace Qt::StringLiterals;
using client::AgentState;
using client::BoxState;
using client::EntryKind;

namespace {

struct Outcome {
    int code = -1;
    QByteArray out;
    QByteArray err;

    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    QList<QJsonObject> lines() const
    {
        QList<QJsonObject> all;
        for (const QByteArray& line : out.split('\n'))
            if (!line.isEmpty()) all.append(QJsonDocument::fromJson(line).object());
        return all;
    }
};

class Program : public QProcess {
public:
    Program(const QStringList& words, const QProcessEnvironment& env)
    {
        setProcessEnvironment(env);
        start(u"" COCOONBOX_BINARY_DIR "/bin/cocoonbox"_s, words);
    }
    // The test's loop serves the api meanwhile.
    Outcome result()
    {
        QEventLoop loop;
        connect(this, &QProcess::finished, &loop, &QEventLoop::quit);
        QTimer::singleShot(30'000, &loop, &QEventLoop::quit);
        if (state() != NotRunning) loop.exec();
        const bool ended = state() == NotRunning;
        if (!ended) kill();
        return {ended ? exitCode() : -1, readAllStandardOutput(), readAllStandardError()};
    }
};

} // namespace

class TestCli final : public QObject {
    Q_OBJECT

    std::unique_ptr<FakeApi> m_api;
    std::unique_ptr<QTemporaryDir> m_dir;
    QProcessEnvironment m_env;

    Outcome run(const QStringList& words, const QByteArray& input = {})
    {
        Program program(words, m_env);
        program.write(input);
        program.closeWriteChannel();
        return program.result();
    }
    void runningBoxWithAgent()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        m_api->addAgent(u"agt_1"_s, u"first"_s);
    }
    // A turn with a tool call and a reply that streams.
    void scriptTurn()
    {
        m_api->onSend = [this](const FakeApi::Sent& sent) {
            client::Entry call = m_api->addToolCall(sent.agentId, u"shell"_s, u"ls -l"_s, sent.turnId);
            call.toolCall.state = client::ToolState::Done;
            m_api->changeEntry(call);
            m_api->writeDraft(sent.agentId, sent.turnId, u"Hello "_s);
            QTimer::singleShot(50, m_api.get(), [this, sent] {
                m_api->writeDraft(sent.agentId, sent.turnId, u"wor"_s);
                m_api->addEntry(sent.agentId, EntryKind::Reply, u"Hello world"_s, sent.turnId);
                m_api->setAgent(sent.agentId, AgentState::Idle, {});
            });
        };
    }

private slots:
    void init()
    {
        m_api = std::make_unique<FakeApi>();
        m_dir = std::make_unique<QTemporaryDir>();
        m_env = QProcessEnvironment();
        m_env.insert(u"PATH"_s, qEnvironmentVariable("PATH"));
        m_env.insert(u"HOME"_s, m_dir->path());
        m_env.insert(u"LC_ALL"_s, u"C.UTF-8"_s);
        m_env.insert(u"COCOONBOX_CONFIG_DIR"_s, m_dir->filePath(u"config"_s));
        m_env.insert(u"COCOONBOX_TOKEN_STORE"_s, u"file"_s);
        m_env.insert(u"COCOONBOX_API_URL"_s, m_api->url().toString());
        m_env.insert(u"COCOONBOX_TOKEN"_s, u"good-token"_s);
    }
    void cleanup()
    {
        m_api.reset();
        m_dir.reset();
    }

    void commandLinesHaveTheirCodes_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const QStringList& words, int code) {
            QTest::newRow(name) << words << code;
        };
        row("nothing", {}, 2);
        row("help", {u"help"_s}, 0);
        row("--help", {u"--help"_s}, 0);
        row("help of a verb", {u"send"_s, u"-h"_s}, 0);
        row("help of no verb", {u"help"_s, u"fly"_s}, 2);
        row("unknown verb", {u"fly"_s}, 2);
        row("unknown option", {u"status"_s, u"--fast"_s}, 2);
        row("missing word", {u"send"_s}, 2);
        row("too many words", {u"whoami"_s, u"me"_s}, 2);
        row("bad time", {u"status"_s, u"--timeout"_s, u"soon"_s}, 2);
        row("version", {u"version"_s}, 0);
        row("completion", {u"completion"_s, u"zsh"_s}, 0);
        row("no completion", {u"completion"_s, u"csh"_s}, 2);
        row("status", {u"status"_s}, 0);
        row("list", {u"list"_s}, 0);
        row("no box", {u"agents"_s}, 5);
        row("unknown box", {u"--box"_s, u"other"_s, u"agents"_s}, 5);
        row("bad box name", {u"ensure"_s, u"not a name"_s}, 2);
        row("delete without a name", {u"delete"_s}, 2);
        row("token in the open", {u"login"_s, u"--token"_s, u"secret"_s}, 2);
        row("bad address", {u"status"_s, u"--api-url"_s, u"gopher://x"_s}, 2);
        row("plaintext abroad", {u"status"_s, u"--api-url"_s, u"http://example.org"_s}, 2);
        row("api unreachable", {u"status"_s, u"--api-url"_s, u"http://127.0.0.1:1"_s}, 1);
        row("exec without a box", {u"exec"_s, u"--"_s, u"true"_s}, 255);
    }
    void commandLinesHaveTheirCodes()
    {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        const Outcome outcome = run(words);
        QVERIFY2(outcome.code == code, outcome.err.constData());
        if (code == 0)
            QVERIFY(!outcome.out.isEmpty() || words.first() == u"status"_s || words.first() == u"list"_s);
        else
            QVERIFY2(outcome.err.contains("error: ") || words.isEmpty(), outcome.err.constData());
        if (code != 0) QVERIFY(outcome.out.isEmpty());
        QVERIFY(!outcome.err.contains('\x1b') && !outcome.out.contains('\x1b'));
    }

    void errorsAreJsonWhereJsonIsAsked()
    {
        const Outcome outcome = run({u"agents"_s, u"--json"_s});
        QCOMPARE(outcome.code, 5);
        const QJsonObject error = QJsonDocument::fromJson(outcome.err).object();
        QCOMPARE(error.value(u"type").toString(), u"error"_s);
        QCOMPARE(error.value(u"reason").toString(), u"BOX_NONE"_s);
        QCOMPARE(error.value(u"exit_code").toInt(), 5);
        QVERIFY(error.value(u"hint").toString().contains(u"ensure"_s));
        QCOMPARE(QJsonDocument::fromJson(run({u"status"_s, u"--json"_s, u"--bad"_s}).err)
                     .object()
                     .value(u"reason")
                     .toString(),
                 u"USAGE"_s);
    }

    void signsInKeepsTheTokenAndForgetsIt()
    {
        m_env.remove(u"COCOONBOX_TOKEN"_s);
        QCOMPARE(run({u"whoami"_s}).code, 4);
        QCOMPARE(run({u"login"_s}).code, 2); // no terminal to ask on
        const Outcome wrong = run({u"login"_s, u"--token"_s, u"-"_s}, "bad-token\n");
        QCOMPARE(wrong.code, 4);
        QCOMPARE(run({u"whoami"_s}).code, 4);
        const Outcome login = run({u"login"_s, u"--token"_s, u"-"_s}, "good-token\n");
        QCOMPARE(login.code, 0);
        QVERIFY(login.out.contains("as Ada"));
        QVERIFY2(login.err.contains("token-"), "it must say where the token is");
        QVERIFY(!login.out.contains("good-token") && !login.err.contains("good-token"));
        m_env.remove(u"COCOONBOX_API_URL"_s); // the address is remembered, too
        const QJsonObject me = run({u"whoami"_s, u"--json"_s}).json();
        QCOMPARE(me.value(u"name").toString(), u"Ada"_s);
        QCOMPARE(me.value(u"token_from").toString(), u"stored"_s);
        QCOMPARE(run({u"logout"_s}).code, 0);
        QCOMPARE(run({u"whoami"_s}).code, 4);
    }

    void ensureWaitsForTheBoxAndHibernatePutsItToSleep()
    {
        const Outcome ensured = run({u"ensure"_s});
        QCOMPARE(ensured.code, 0);
        QCOMPARE(ensured.out, "main is running.\n");
        QVERIFY2(ensured.err.isEmpty(), "progress is for terminals");
        const QJsonObject again = run({u"ensure"_s, u"--json"_s}).json();
        QCOMPARE(again.value(u"state").toString(), u"running"_s);
        QCOMPARE(run({u"status"_s, u"--json"_s}).json().value(u"boxes").toArray().size(), 1);
        QCOMPARE(run({u"hibernate"_s}).out, "main is hibernated.\n");
        QCOMPARE(run({u"ensure"_s, u"--no-wait"_s}).out, "main is starting.\n");
    }

    void aFailedStartSaysWhy()
    {
        m_api->operationFailure = Error{ErrorCode::Internal, u"The disk is full."_s, {}, {}, {}};
        const Outcome outcome = run({u"ensure"_s});
        QCOMPARE(outcome.code, 1);
        QVERIFY(outcome.err.contains("The disk is full."));
    }

    void givesUpAtTheTimeout()
    {
        m_api->operationsHang = true;
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(run({u"ensure"_s, u"--timeout"_s, u"300ms"_s}).code, 7);
        QVERIFY(timer.elapsed() < 5000);
    }

    void deletesOnlyWhenToldTo()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        QCOMPARE(run({u"delete"_s, u"main"_s}).code, 2);
        QCOMPARE(m_api->boxes.size(), 1);
        QCOMPARE(run({u"delete"_s, u"main"_s, u"--yes"_s}).code, 0);
        QCOMPARE(m_api->boxes.size(), 0);
    }

    void choosesTheBox()
    {
        m_api->addBox(u"one"_s, BoxState::Running);
        QCOMPARE(run({u"agents"_s}).code, 0);
        m_api->addBox(u"two"_s, BoxState::Running);
        QCOMPARE(run({u"agents"_s}).code, 2);
        m_env.insert(u"COCOONBOX_BOX"_s, u"two"_s);
        QCOMPARE(run({u"agents"_s}).code, 0);
        m_env.remove(u"COCOONBOX_BOX"_s);
        m_api->addBox(u"main"_s, BoxState::Running);
        QCOMPARE(run({u"agents"_s}).code, 0);
    }

    void sendAnswersWithTheAgent()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        const Outcome first = run({u"send"_s, u"do"_s, u"it"_s});
        QCOMPARE(first.code, 0);
        QCOMPARE(first.out, "agt_1\n");
        QCOMPARE(m_api->sent.first().prompt, u"do it"_s);
        QCOMPARE(run({u"send"_s, u"--new"_s, u"-"_s}, "from stdin").out, "agt_2\n");
        QCOMPARE(m_api->sent.last().prompt, u"from stdin"_s);
        QCOMPARE(run({u"send"_s, u"--agent"_s, u"agt_9"_s, u"x"_s}).code, 5);
        QCOMPARE(run({u"send"_s, u"--agent"_s, u"agt_1"_s, u"--new"_s, u"x"_s}).code, 2);
    }

    void followStreamsTheReplyOnceAndToolsOnStderr()
    {
        runningBoxWithAgent();
        scriptTurn();
        const Outcome outcome = run({u"send"_s, u"--follow"_s, u"hi"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.out, "Hello world\n");
        QVERIFY(outcome.err.contains("shell: ls -l"));
    }

    void followSurvivesCuts()
    {
        runningBoxWithAgent();
        scriptTurn();
        m_api->cutEventsAfterAtMost = 2;
        const Outcome outcome = run({u"send"_s, u"--follow"_s, u"--json"_s, u"hi"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QList<qint64> seqs;
        for (const QJsonObject& line : outcome.lines()) {
            QVERIFY(line.contains(u"type"_s));
            if (line.value(u"type").toString() == u"entry") seqs.append(line.value(u"seq").toInteger());
        }
        QCOMPARE(seqs, QList<qint64>({2, 3}));
        QCOMPARE(outcome.lines().first().value(u"type").toString(), u"accepted"_s);
        QCOMPARE(outcome.lines().last().value(u"outcome").toString(), u"done"_s);
    }

    void aFailedTurnFails()
    {
        runningBoxWithAgent();
        m_api->onSend = [this](const FakeApi::Sent& sent) {
            m_api->addEntry(sent.agentId, EntryKind::Error, u"The model does not answer.\x1b[31m"_s, sent.turnId);
            m_api->setAgent(sent.agentId, AgentState::Idle, {});
        };
        const Outcome outcome = run({u"send"_s, u"-f"_s, u"hi"_s});
        QCOMPARE(outcome.code, 1);
        QVERIFY(outcome.err.contains("The model does not answer."));
        QVERIFY2(!outcome.err.contains('\x1b'), "the box speaks to the terminal");
    }

    void aQuestionIsPending()
    {
        runningBoxWithAgent();
        m_api->onSend = [this](const FakeApi::Sent& sent) {
            m_api->addEntry(sent.agentId, EntryKind::Notice, u"May I?"_s, sent.turnId);
            m_api->setAgent(sent.agentId, AgentState::WaitingForUser, sent.turnId);
        };
        QCOMPARE(run({u"send"_s, u"-f"_s, u"hi"_s}).code, 8);
        QCOMPARE(run({u"respond"_s, u"2"_s, u"yes"_s}).code, 0);
        QCOMPARE(m_api->answered, QStringList{u"yes"_s});
    }

    void interruptingFollowLeavesTheTurnAlone()
    {
        runningBoxWithAgent();
        Program program({u"send"_s, u"--follow"_s, u"hi"_s}, m_env);
        program.closeWriteChannel();
        QTRY_COMPARE(m_api->sent.size(), 1);
        QTest::qWait(200);
        ::kill(static_cast<pid_t>(program.processId()), SIGINT);
        const Outcome outcome = program.result();
        QCOMPARE(outcome.code, 130);
        QVERIFY(outcome.err.contains("cocoonbox cancel --agent agt_1"));
        QVERIFY(m_api->cancelled.isEmpty());
        QCOMPARE(run({u"cancel"_s}).code, 0);
        QCOMPARE(m_api->cancelled, QStringList{u"agt_1"_s});
    }

    void aSleepingBoxIsSaidSo()
    {
        runningBoxWithAgent();
        m_api->boxFailure = Error{ErrorCode::FailedPrecondition, u"The box sleeps."_s, u"BOX_ASLEEP"_s, {}, {}};
        const Outcome outcome = run({u"send"_s, u"--follow"_s, u"hi"_s});
        QCOMPARE(outcome.code, 6);
        QVERIFY(outcome.err.contains("hint: wake it with"));
    }

    void transcriptShowsEveryEntry()
    {
        runningBoxWithAgent();
        for (int i = 0; i < 450; ++i)
            m_api->addEntry(u"agt_1"_s, EntryKind::Reply, u"line %1"_s.arg(i), {});
        const Outcome outcome = run({u"transcript"_s, u"--json"_s});
        QCOMPARE(outcome.lines().size(), 450);
        QCOMPARE(outcome.lines().last().value(u"text").toString(), u"line 449"_s);
        QCOMPARE(run({u"transcript"_s, u"--json"_s, u"--after"_s, u"448"_s}).lines().size(), 2);
    }

    void execPassesStreamsAndCodes()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        QCOMPARE(run({u"exec"_s, u"--"_s, u"exit"_s, u"0"_s}).code, 0);
        QCOMPARE(run({u"exec"_s, u"--"_s, u"exit"_s, u"77"_s}).code, 77);
        const QByteArray big = QByteArray("0123456789abcdef").repeated(20'000);
        const Outcome cat = run({u"exec"_s, u"cat"_s}, big);
        QCOMPARE(cat.code, 0);
        QVERIFY(cat.out == big);
        const Outcome both = run({u"exec"_s, u"both"_s});
        QCOMPARE(both.out, "to stdout\n");
        QCOMPARE(both.err, "to stderr\n");
        QCOMPARE(run({u"exec"_s, u"-e"_s, u"NAME=va=lue"_s, u"--"_s, u"env"_s, u"NAME"_s}).out, "va=lue\n");
        const Outcome gone = run({u"exec"_s, u"vanish"_s});
        QCOMPARE(gone.code, 255);
        QVERIFY(gone.err.contains("The tool host is gone."));
    }

    void filesGoUpAndDown()
    {
        runningBoxWithAgent();
        QFile file(m_dir->filePath(u"photo.png"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(100'000, 'x'));
        file.close();
        const Outcome up = run({u"upload"_s, u"--json"_s, file.fileName(), u"--to"_s, u"/workspace/in"_s});
        QCOMPARE(up.code, 0);
        QCOMPARE(up.json().value(u"path"_s).toString(), u"/workspace/in/photo.png"_s);
        QCOMPARE(up.json().value(u"size_bytes"_s).toInt(), 100'000);
        QCOMPARE(run({u"upload"_s, m_dir->filePath(u"none"_s)}).code, 5);
        QCOMPARE(run({u"upload"_s}).code, 2);
        const QString target = m_dir->filePath(u"back.png"_s);
        QCOMPARE(run({u"download"_s, u"/workspace/in/photo.png"_s, target}).code, 0);
        QCOMPARE(QFileInfo(target).size(), 100'000);
        QCOMPARE(run({u"download"_s, u"/workspace/in/photo.png"_s, target}).code, 6); // it is there
        QCOMPARE(run({u"download"_s, u"--force"_s, u"/workspace/in/photo.png"_s, target}).code, 0);
        QCOMPARE(run({u"download"_s, u"/workspace/in/photo.png"_s, u"-"_s}).out, QByteArray(100'000, 'x'));
        QCOMPARE(run({u"download"_s, u"/none"_s, u"-"_s}).code, 5);
        QVERIFY(!QFileInfo::exists(m_dir->filePath(u"none"_s)));
        const auto lines = run({u"files"_s, u"--json"_s}).lines();
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines.first().value(u"kind"_s).toString(), u"regular"_s);
    }
    void aFullDiskIsAFailureWithItsReason()
    {
        runningBoxWithAgent();
        m_api->uploadFailure = Error{ErrorCode::ResourceExhausted, u"The disk is full."_s, u"DISK_FULL"_s, {}, {}};
        QFile file(m_dir->filePath(u"a"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const Outcome up = run({u"upload"_s, u"--json"_s, file.fileName()});
        QCOMPARE(up.code, 1);
        QVERIFY2(up.err.contains("DISK_FULL"), up.err);
    }
    void typesAndCopies()
    {
        runningBoxWithAgent();
        QCOMPARE(run({u"type"_s, u"grüße 世界"_s}).code, 0);
        QCOMPARE(run({u"type"_s, u"-"_s}, "two\nlines").code, 0);
        QCOMPARE(m_api->typed, QStringList({u"grüße 世界"_s, u"two\nlines"_s}));
        QTRY_VERIFY(m_api->heldBy.isEmpty()); // handed back
        m_api->heldBy = u"Ben"_s;
        QCOMPARE(run({u"type"_s, u"x"_s}).code, 6);
        QCOMPARE(run({u"clipboard"_s, u"--set"_s, u"-"_s}, "copied").code, 0);
        QCOMPARE(m_api->clipboard.type, client::kPlainText);
        QCOMPARE(run({u"clipboard"_s}).out, "copied");
        QCOMPARE(run({u"clipboard"_s, u"--json"_s}).json().value(u"base64"_s).toString(), u"Y29waWVk"_s);
    }

    void execForwardsSignals()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        Program program({u"exec"_s, u"--"_s, u"wait"_s}, m_env);
        program.write("x");
        QByteArray out;
        QTRY_COMPARE((out += program.readAllStandardOutput()), "ready\n");
        ::kill(static_cast<pid_t>(program.processId()), SIGTERM);
        QCOMPARE(program.result().code, 143);
    }

    void screenshotWritesThePicture()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        const QString file = m_dir->filePath(u"desk.png"_s);
        const Outcome outcome = run({u"screenshot"_s, file, u"--json"_s});
        QVERIFY2(outcome.code == 0, outcome.err.constData());
        QCOMPARE(outcome.json().value(u"width").toInt(), 160);
        const QImage image(file);
        QCOMPARE(image.size(), QSize(160, 100));
        QCOMPARE(image.pixel(100, 0) & RGB_MASK, QRgb(0x400164));
        const Outcome drawn = run({u"screenshot"_s, u"--wait-drawn"_s, u"10s"_s, u"-"_s});
        QVERIFY(QImage::fromData(drawn.out).size() == QSize(160, 100));
        QCOMPARE(run({u"screenshot"_s, u"/proc/no/desk.png"_s}).code, 9);
    }

    void screenshotWaitsForTheScreen()
    {
        m_api->addBox(u"main"_s, BoxState::Running);
        m_api->boxFailure =
            Error{ErrorCode::Unavailable, u"The screen is not there yet."_s, u"SCREEN_UNREACHABLE"_s, {}, {}};
        QTimer::singleShot(700, m_api.get(), [this] { m_api->boxFailure.reset(); });
        QCOMPARE(run({u"screenshot"_s, m_dir->filePath(u"x.png"_s)}).code, 0);
        m_api->boxFailure =
            Error{ErrorCode::Unavailable, u"The screen is not there yet."_s, u"SCREEN_UNREACHABLE"_s, {}, {}};
        const Outcome never = run({u"screenshot"_s, u"--wait-drawn"_s, u"500ms"_s, u"-"_s});
        QCOMPARE(never.code, 1);
        QVERIFY(never.err.contains("The screen is not there yet."));
    }

    void coloursOnlyWhenForced()
    {
        runningBoxWithAgent();
        m_api->addEntry(u"agt_1"_s, EntryKind::Prompt, u"hi"_s, {});
        QVERIFY(!run({u"transcript"_s}).out.contains('\x1b'));
        m_env.insert(u"CLICOLOR_FORCE"_s, u"1"_s);
        QVERIFY(run({u"transcript"_s}).out.contains('\x1b'));
        m_env.insert(u"NO_COLOR"_s, u"1"_s);
        QVERIFY(!run({u"transcript"_s}).out.contains('\x1b'));
    }

    void completionScriptsAreValidBash()
    {
        const Outcome script = run({u"completion"_s, u"bash"_s});
        QProcess bash;
        bash.start(u"bash"_s, {u"-n"_s});
        bash.write(script.out);
        bash.closeWriteChannel();
        QVERIFY(bash.waitForFinished());
        QCOMPARE(bash.exitCode(), 0);
        QVERIFY(script.out.contains("screenshot"));
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
