// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/sse.h"

#include <QTest>

using namespace cocoonbox;
using net::http::SseEvent;
using net::http::SseParser;

class TestSse : public QObject {
    Q_OBJECT
private slots:
    void parses_data();
    void parses();
    void refusesAnEventWithoutEnd();
};

namespace {

// "event|data|id" of each event, for reading in a table.
QByteArrayList shown(const QList<SseEvent>& events)
{
    QByteArrayList list;
    for (const SseEvent& event : events)
        list.append(event.event + '|' + event.data + '|' + event.id);
    return list;
}

QByteArrayList parsed(const QByteArray& stream, qsizetype piece)
{
    SseParser parser;
    QList<SseEvent> events;
    for (qsizetype at = 0; at < stream.size(); at += piece)
        events += *parser.feed(QByteArrayView(stream).sliced(at, std::min(piece, stream.size() - at)));
    events += parser.finish();
    return shown(events);
}

} // namespace

void TestSse::parses_data()
{
    QTest::addColumn<QByteArray>("stream");
    QTest::addColumn<QByteArrayList>("expected");
    const auto row = [](const char* name, QByteArray stream, QByteArrayList expected) {
        QTest::newRow(name) << stream << expected;
    };
    row("one", "data: hi\n\n", {"|hi|"});
    row("no space", "data:hi\n\n", {"|hi|"});
    row("only one space is taken", "data:  hi\n\n", {"| hi|"});
    row("CRLF", "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", {"a|1|", "|2|"});
    row("CR", "data: 1\r\rdata: 2\r\r", {"|1|", "|2|"});
    row("mixed", "data: 1\r\n\ndata: 2\n\r\n", {"|1|", "|2|"});
    row("several data lines", "data: a\ndata\ndata: b\n\n", {"|a\n\nb|"});
    row("comments", ": PROCESSING\n\ndata: 1\n: x\n\n:\n", {"|1|"});
    row("unknown fields", "retry: 5\nfoo: bar\ndata: 1\n\n", {"|1|"});
    row("id", "id: 7\ndata: 1\n\n", {"|1|7"});
    row("an event without data is none", "event: ping\n\ndata: 1\n\n", {"|1|"});
    row("empty data is one", "data:\n\n", {"||"});
    row("end without a blank line", "data: 1\n\ndata: last", {"|1|", "|last|"});
    row("byte order mark",
        "\xEF\xBB\xBF"
        "data: 1\n\n",
        {"|1|"});
    row("many bytes a character", "data: \xE2\x82\xAC\xF0\x9F\x98\x80\n\n", {"|\xE2\x82\xAC\xF0\x9F\x98\x80|"});
    row("a colon in the data", "data: {\"a\":1}\n\n", {"|{\"a\":1}|"});
    row("nothing", "", {});
}

void TestSse::parses()
{
    QFETCH(QByteArray, stream);
    QFETCH(QByteArrayList, expected);
    for (const qsizetype piece : {1, 2, 3, 7, 4096})
        QCOMPARE(parsed(stream, piece), expected);
}

void TestSse::refusesAnEventWithoutEnd()
{
    SseParser parser;
    const QByteArray line = "data: " + QByteArray(1024 * 1024, 'x') + '\n';
    Result<QList<SseEvent>> result;
    for (int i = 0; i < 20 && result; ++i)
        result = parser.feed(line);
    QVERIFY(!result);
    QCOMPARE(result.error().reason, "SSE_EVENT_TOO_LARGE");
}

QTEST_GUILESS_MAIN(TestSse)
#include "tst_sse.moc"
