// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/session/event_feed.h"
#include "agent/serve/transcript/transcript.h"
#include "common/base/ids.h"
#include "common/base/limits.h"
#include "common/sql/connection.h"
#include "common/sql/database.h"
#include "common/sql/migrations.h"
#include "tests/agent/serve/waiting.h"

#include <QRandomGenerator>
#include <QTemporaryDir>

using namespace cocoonbox;
using namespace cocoonbox::agent::serve;
using namespace cocoonbox::agent::serve::transcript;
using namespace cocoonbox::test;

namespace {

Entry reply(const QString& agentId, const QString& text)
{
    return {.agentId = agentId, .turnId = "t", .kind = EntryKind::Reply, .round = 1, .text = text};
}
Entry toolCall(const QString& agentId, ToolState state)
{
    Entry entry{.agentId = agentId, .turnId = "t", .kind = EntryKind::ToolCall, .round = 1};
    entry.toolCall = ToolCall{.callId = newId(u"call_"), .tool = "shell", .argumentsJson = "{}", .state = state};
    return entry;
}

// What a viewer believes, from events alone.
struct Viewer {
    qint64 offset = 0;
    QMap<QString, Agent> agents;
    QMap<QString, QMap<qint64, QString>> entries;

    void see(const Event& event)
    {
        if (event.offset <= offset) qFatal("an event came twice or out of order");
        offset = event.offset;
        if (event.kind == EventKind::AgentChanged) {
            agents[event.agent.agentId] = event.agent;
            return;
        }
        auto& known = entries[event.entry.agentId];
        if (event.kind == EventKind::EntryChanged && !known.contains(event.entry.seq))
            qFatal("a change came before its entry");
        if (event.kind == EventKind::EntryAdded && known.contains(event.entry.seq)) qFatal("an entry was added twice");
        known[event.entry.seq] = event.entry.text + (event.entry.toolCall ? event.entry.toolCall->output : QString());
    }
};

} // namespace

class TestTranscript : public QObject {
    Q_OBJECT
private slots:
    void aDatabaseOfTheFirstSchemaKeepsItsEntries()
    {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(":/cocoonbox/agent/0001_transcript.sql", folder.filePath("0001_transcript.sql")));
        SystemClock clock;
        auto database = take(sql::Database::open({.url = "sqlite:" + folder.filePath("old.db")}));
        take(sql::migrate(*database, {{"agent", folder.path()}}));
        take(database->run([](sql::Connection& connection) -> Result<void> {
            for (const char* sql :
                 {"INSERT INTO agents VALUES ('agt_1', 'old', 1, '', 1, 1)",
                  "INSERT INTO entries VALUES ('agt_1', 1, 't', 1, 0, 'kept words', 7, '', '', '', '', 0, '', 0, 0)",
                  "INSERT INTO entries VALUES ('agt_1', 2, 't', 3, 1, '', 8, 'c', 'ls', 's', '{}', 1, '', 8, 0)"}) {
                TRY_VOID(connection.execute(QString::fromLatin1(sql)));
            }
            return {};
        }));
        Transcript transcript(*database, clock);
        take(transcript.open());
        const QList<Entry> entries = take(transcript.page("agt_1", 0, 10)).entries;
        QVERIFY(entries.size() >= 2);
        QCOMPARE(entries[0].text, QString("kept words"));
        QCOMPARE(entries[1].toolCall->state, ToolState::Cancelled); // what was open is found by the new index as well
        const Entry told{.agentId = "agt_1", .turnId = "t", .kind = EntryKind::HandBack, .text = "Ann"};
        QCOMPARE(take(transcript.apply({.added = {told}, .changed = {}, .agent = {}})).first().kind,
                 EntryKind::HandBack);
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        open();
    }
    void cleanup()
    {
        m_transcript.reset();
        m_database.reset();
    }

    void anAgentIsCreatedOncePerNonce()
    {
        const Agent first = take(m_transcript->createAgent("n1", "A title"));
        QVERIFY(isId(first.agentId, u"agt_"));
        QCOMPARE(take(m_transcript->createAgent("n1", "A title")).agentId, first.agentId);
        QVERIFY(take(m_transcript->createAgent("n2", {})).agentId != first.agentId);
        QCOMPARE(take(m_transcript->agents()).size(), 2);
        reopen();
        QCOMPARE(take(m_transcript->createAgent("n1", "A title")).agentId, first.agentId);
    }

    void boundsAreKept()
    {
        QCOMPARE(reasonOf(m_transcript->createAgent({}, {})), QString("NONCE_INVALID"));
        QCOMPARE(reasonOf(m_transcript->createAgent(QString(65, 'n'), {})), QString("NONCE_INVALID"));
        QCOMPARE(reasonOf(m_transcript->createAgent("n", QString(121, 't'))), QString("TITLE_TOO_LONG"));
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        QCOMPARE(reasonOf(m_transcript->sendPrompt(id, " \n", "p")), QString("PROMPT_EMPTY"));
        QCOMPARE(reasonOf(m_transcript->sendPrompt(id, QString(limits::kPromptBytesMax / 2 + 1, u'ä'), "p")),
                 QString("PROMPT_TOO_LONG"));
        QCOMPARE(reasonOf(m_transcript->sendPrompt("agt_none", "hi", "p")), QString("AGENT_UNKNOWN"));
        QCOMPARE(reasonOf(m_transcript->page("agt_none", 0, 0)), QString("AGENT_UNKNOWN"));
        for (int i = 1; i < kAgentsMax; ++i)
            take(m_transcript->createAgent(QString::number(i), {}));
        QCOMPARE(reasonOf(m_transcript->createAgent("one more", {})), QString("AGENT_LIMIT"));
    }

    void aPromptStartsOneTurnPerNonce()
    {
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        const SentPrompt sent = take(m_transcript->sendPrompt(id, "  Do this\nand that", "p1"));
        QVERIFY(!sent.isRepeat);
        QCOMPARE(sent.prompt.seq, 1);
        const SentPrompt again = take(m_transcript->sendPrompt(id, "Do this", "p1"));
        QVERIFY(again.isRepeat);
        QCOMPARE(again.prompt.turnId, sent.prompt.turnId);
        QCOMPARE(reasonOf(m_transcript->sendPrompt(id, "More", "p2")), QString("TURN_RUNNING"));
        const Agent agent = take(m_transcript->agent(id));
        QCOMPARE(agent.state, AgentState::Working);
        QCOMPARE(agent.title, QString("Do this"));
        QCOMPARE(agent.turnId, sent.prompt.turnId);
    }

    void aRestartEndsWhatWasOpen()
    {
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        const QString idle = take(m_transcript->createAgent("m", {})).agentId;
        take(m_transcript->sendPrompt(id, "go", "p"));
        Entry running = toolCall(id, ToolState::Running);
        running.toolCall->output = "half";
        take(m_transcript->apply(
            {.added = {reply(id, "on it"), toolCall(id, ToolState::Done), running, toolCall(id, ToolState::Waiting)}}));
        const qint64 before = m_transcript->lastOffset();
        reopen();
        const QList<Entry> entries = take(m_transcript->page(id, 0, 0)).entries;
        QCOMPARE(entries.size(), 6);
        QCOMPARE(entries[2].toolCall->state, ToolState::Done);
        QCOMPARE(entries[3].toolCall->state, ToolState::Cancelled);
        QVERIFY(entries[3].toolCall->output.startsWith("half\n"));
        QVERIFY(entries[3].toolCall->endedAtMs > 0);
        QCOMPARE(entries[4].toolCall->state, ToolState::Cancelled);
        QCOMPARE(entries[5].kind, EntryKind::Error);
        QVERIFY(entries[5].text.contains("restarted"));
        QCOMPARE(take(m_transcript->agent(id)).state, AgentState::Idle);
        QVERIFY(take(m_transcript->agent(id)).turnId.isEmpty());
        QVERIFY(m_transcript->lastOffset() > before);
        QCOMPARE(take(m_transcript->page(idle, 0, 0)).entries.size(), 0);
        // Once: a second start finds nothing to end.
        reopen();
        QCOMPARE(take(m_transcript->page(id, 0, 0)).entries.size(), 6);
        take(m_transcript->sendPrompt(id, "again", "p2"));
    }

    void pagesFollowEachOtherAndStayUnderAMessage()
    {
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        for (int i = 0; i < 130; ++i)
            take(m_transcript->apply({.added = {reply(id, QString::number(i))}}));
        const Page first = take(m_transcript->page(id, 0, 120));
        QCOMPARE(first.entries.size(), 120);
        QVERIFY(first.hasMore);
        const Page rest = take(m_transcript->page(id, 120, 0));
        QCOMPARE(rest.entries.size(), 10);
        QVERIFY(!rest.hasMore);
        QCOMPARE(rest.entries.last().text, QString("129"));
        for (int i = 0; i < 60; ++i)
            take(m_transcript->apply({.added = {reply(id, QString(60'000, 'x'))}}));
        qint64 after = 130;
        int pages = 0;
        for (bool more = true; more; ++pages) {
            const Page page = take(m_transcript->page(id, after, 1000));
            qsizetype size = 0;
            for (const Entry& entry : page.entries)
                size += entry.text.toUtf8().size();
            QVERIFY(size <= 3 * 1024 * 1024);
            QCOMPARE(page.entries.first().seq, after + 1);
            after = page.entries.last().seq;
            more = page.hasMore;
        }
        QCOMPARE(after, 190);
        QCOMPARE(pages, 2);
    }

    void anyTextSurvives()
    {
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        const QString odd = QString("a'; DROP TABLE entries; --\r\n\t\U0001F600") + QChar(0) + "after the zero";
        take(m_transcript->apply({.added = {reply(id, odd)}}));
        reopen();
        QCOMPARE(take(m_transcript->page(id, 0, 0)).entries.first().text, odd);
    }

    // Random writes, and viewers that come and go: each, from events alone, ends with what the transcript holds.
    void viewersThatReconnectMissNothingAndSeeNothingTwice()
    {
        const quint32 seed = QRandomGenerator::global()->generate();
        qInfo("seed %u", seed);
        QRandomGenerator random(seed);
        QStringList ids;
        for (int i = 0; i < 3; ++i)
            ids.append(take(m_transcript->createAgent(QString::number(i), {})).agentId);
        QList<Viewer> viewers(4);
        QList<Entry> calls;
        for (int step = 0; step < 400; ++step) {
            const QString id = ids[random.bounded(3)];
            const int what = random.bounded(4);
            if (what == 0) take(m_transcript->apply({.added = {reply(id, QString::number(step))}}));
            if (what == 1)
                calls += take(m_transcript->apply({.added = {toolCall(id, ToolState::Running), reply(id, "both")}}))
                             .first(1);
            if (what == 2 && !calls.isEmpty()) {
                Entry& call = calls[random.bounded(calls.size())];
                call.toolCall->output += QString::number(step);
                take(m_transcript->apply({.changed = {call}}));
            }
            if (what == 3) {
                Agent agent = take(m_transcript->agent(id));
                agent.title = QString::number(step);
                take(m_transcript->apply({.agent = agent}));
            }
            Viewer& viewer = viewers[random.bounded(viewers.size())];
            for (const Event& event : take(m_transcript->eventsAfter(viewer.offset, random.bounded(1, 20)))) {
                viewer.see(event);
                if (random.bounded(10) == 0) break; // disconnected in the middle of a page
            }
            if (random.bounded(100) == 0) reopen();
        }
        for (Viewer& viewer : viewers) {
            while (viewer.offset < m_transcript->lastOffset())
                for (const Event& event : take(m_transcript->eventsAfter(viewer.offset, 7)))
                    viewer.see(event);
            for (const QString& id : ids) {
                QCOMPARE(viewer.agents[id].title, take(m_transcript->agent(id)).title);
                const QList<Entry> truth = take(m_transcript->page(id, 0, 1000)).entries;
                QCOMPARE(viewer.entries[id].size(), truth.size());
                for (const Entry& entry : truth)
                    QCOMPARE(viewer.entries[id][entry.seq],
                             entry.text + (entry.toolCall ? entry.toolCall->output : QString()));
            }
        }
        // The bound: two events an entry, one an agent.
        qint64 entries = 0;
        for (const QString& id : ids)
            entries += take(m_transcript->page(id, 0, 1000)).entries.size();
        QVERIFY(take(m_transcript->eventsAfter(0, 10'000)).size() <= 2 * entries + ids.size());
    }

    void aFeedTellsEntriesBeforeTheDraftsThatFollowThem()
    {
        const SystemClock clock;
        session::DraftBoard drafts;
        session::Baton baton(clock);
        session::ClipboardBoard clipboard;
        const QString id = take(m_transcript->createAgent("n", {})).agentId;
        session::EventFeed feed(*m_transcript, drafts, baton, clipboard, m_transcript->lastOffset());
        QVERIFY(std::holds_alternative<session::BatonState>(take(feed.next({}))));
        drafts.begin(id, "t");
        drafts.append(id, "first ");
        const auto piece = std::get<session::DraftPiece>(take(feed.next({})));
        QCOMPARE(piece.text, QString("first "));
        drafts.append(id, QString("words ") + QChar(0xD83D)); // half a character
        QCOMPARE(std::get<session::DraftPiece>(take(feed.next({}))).text, QString("words "));
        drafts.append(id, QString(QChar(0xDE00)));
        const auto emoji = std::get<session::DraftPiece>(take(feed.next({})));
        QCOMPARE(emoji.text, QString("\U0001F600"));
        QCOMPARE(emoji.position, 12);
        // The entry is written and the next draft has begun before the viewer asks again.
        take(m_transcript->apply({.added = {reply(id, drafts.text(id))}}));
        drafts.clear(id);
        drafts.begin(id, "t");
        drafts.append(id, "second");
        QCOMPARE(std::get<Event>(take(feed.next({}))).entry.text, QString("first words \U0001F600"));
        const auto second = std::get<session::DraftPiece>(take(feed.next({})));
        QCOMPARE(second.text, QString("second"));
        QCOMPARE(second.position, 0);
    }

    void aDraftThatBeganAnewIsTakenBack()
    {
        const SystemClock clock;
        session::DraftBoard drafts;
        session::Baton baton(clock);
        session::ClipboardBoard clipboard;
        session::EventFeed feed(*m_transcript, drafts, baton, clipboard, m_transcript->lastOffset());
        take(feed.next({}));
        drafts.begin("a", "t");
        drafts.append("a", "wrong");
        take(feed.next({}));
        drafts.begin("a", "t");
        const auto reset = std::get<session::DraftPiece>(take(feed.next({})));
        QCOMPARE(reset.position, 0);
        QCOMPARE(reset.text, QString());
    }

    void aWaitingFeedEndsWithItsToken()
    {
        const SystemClock clock;
        session::DraftBoard drafts;
        session::Baton baton(clock);
        session::ClipboardBoard clipboard;
        session::EventFeed feed(*m_transcript, drafts, baton, clipboard, m_transcript->lastOffset());
        take(feed.next({}));
        std::stop_source stop;
        QTimer::singleShot(20, [&] { stop.request_stop(); });
        const auto result = QCoro::waitFor(feed.next(stop.get_token()));
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

private:
    void open()
    {
        m_database = take(sql::Database::open({.url = "sqlite:" + m_folder->path() + "/agent.db"}));
        m_transcript = std::make_unique<Transcript>(*m_database, m_clock);
        take(m_transcript->open());
    }
    void reopen()
    {
        cleanup();
        open();
    }

    SystemClock m_clock;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<sql::Database> m_database;
    std::unique_ptr<Transcript> m_transcript;
};

QTEST_GUILESS_MAIN(TestTranscript)
#include "tst_agent_transcript.moc"
