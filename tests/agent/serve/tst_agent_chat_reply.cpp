// SPDX-License-Identifier: AGPL-3.0-only
// The streamed reply of /v1/chat/completions as servers really send it. Each row is replayed whole, byte by byte, and
// with CRLF line ends.
#include "agent/serve/wires/chat/chat_reply.h"
#include "agent/serve/wires/chat/chat_wire.h"

#include <QTest>

using namespace cocoonbox::agent::serve::wires;
using namespace cocoonbox::agent::serve::wires::chat;

namespace {

struct Outcome {
    QString streamed;
    std::expected<ModelReply, WireFailure> reply;
};

Outcome replay(const QByteArray& stream, qsizetype step)
{
    ChatReply reply;
    Outcome outcome;
    for (qsizetype at = 0; at < stream.size(); at += step) {
        auto text = reply.feed(QByteArrayView(stream).mid(at, step));
        if (!text) return {outcome.streamed, std::unexpected(text.error())};
        outcome.streamed += *text;
    }
    outcome.reply = reply.finish();
    return outcome;
}

// "text|tool(arguments)|tool!(problem)|…|stop" of a reply, or the reason of its failure.
QString told(const Outcome& outcome)
{
    if (!outcome.reply) return outcome.reply.error().error.reason;
    const ModelReply& reply = *outcome.reply;
    QStringList parts{reply.text};
    for (const ModelCall& call : reply.calls)
        parts.append(call.problem.isEmpty() ? call.tool + '(' + QString::fromUtf8(call.arguments) + ')'
                                            : call.tool + '!');
    parts.append(reply.stop == StopReason::End ? "end" : reply.stop == StopReason::Length ? "length" : "refused");
    return parts.join('|');
}

// JSON in single quotes, with ` for an escaped quote: moc loses its way in raw strings with escapes.
QByteArray j(QByteArray text)
{
    return text.replace('\'', '"').replace('`', "\\\"");
}

QByteArray chunk(const QByteArray& delta, const QByteArray& finish = "null")
{
    return "data: {\"choices\":[{\"index\":0,\"delta\":" + delta + ",\"finish_reason\":" + finish + "}]}\n\n";
}
QByteArray call(const QByteArray& fragment)
{
    return chunk("{\"tool_calls\":[" + fragment + "]}");
}

const QByteArray kDone = "data: [DONE]\n\n";
const QByteArray kStop = chunk("{}", "\"stop\"") + kDone;
const QByteArray kCalls = chunk("{}", "\"tool_calls\"") + kDone;

void row(const char* name, const QByteArray& stream, const QByteArray& expected)
{
    QTest::newRow(name) << stream << QString::fromUtf8(expected);
}

void wordRows()
{
    row("words",
        chunk(j("{'role':'assistant','content':''}")) + chunk(j("{'content':'Größe '}")) +
            chunk(j("{'content':'😀'}")) + kStop,
        "Größe 😀|end");
    row("content is null", chunk(j("{'role':'assistant','content':null}")) + chunk(j("{'content':'a'}")) + kStop,
        "a|end");
    row("no space after data:", QByteArray(chunk(j("{'content':'a'}")) + kStop).replace("data: ", "data:"), "a|end");
    row("comments between", ": PROCESSING\n\n" + chunk(j("{'content':'a'}")) + ": ping\n\n" + kStop, "a|end");
    row("no [DONE]", chunk(j("{'content':'a'}")) + chunk("{}", "\"stop\""), "a|end");
    row("no blank line at the end", chunk(j("{'content':'a'}")) + QByteArray(chunk("{}", "\"stop\"")).chopped(2),
        "a|end");
    row("[DONE] without a finish reason", chunk(j("{'content':'a'}")) + kDone, "a|end");
    row("frames after [DONE]", chunk(j("{'content':'a'}")) + kStop + chunk(j("{'content':'b'}")), "a|end");
    row("choices empty, null, absent",
        "data: {\"choices\":[]}\n\ndata: {\"choices\":null}\n\ndata: {\"id\":\"x\"}\n\n" + chunk(j("{'content':'a'}")) +
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":2}}\n\n" + kStop,
        "a|end");
    row("refusal", chunk(j("{'refusal':'No.'}")) + kStop, "No.|refused");
    row("content filter", chunk(j("{'content':'a'}")) + chunk("{}", "\"content_filter\"") + kDone, "a|refused");
    row("cut at the length", chunk(j("{'content':'a'}")) + chunk("{}", "\"length\"") + kDone, "a|length");
}

void callRows()
{
    row("one call in pieces",
        call(j("{'index':0,'id':'c1','type':'function','function':{'name':'shell','arguments':''}}")) +
            call(j("{'index':0,'function':{'arguments':'{`comm'}}")) +
            call(j("{'index':0,'function':{'arguments':'and`:`ls`}'}}")) + kCalls,
        j("|shell({'command':'ls'})|end"));
    row("call without arguments", call(j("{'index':0,'id':'c1','function':{'name':'ls'}}")) + kCalls, "|ls({})|end");
    row("finish says stop", call(j("{'index':0,'id':'c1','function':{'name':'ls','arguments':'{}'}}")) + kStop,
        "|ls({})|end");
    row("parallel, interleaved, no ids later",
        call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':''}}")) +
            call(j("{'index':1,'id':'b','function':{'name':'read','arguments':''}}")) +
            call(j("{'index':0,'function':{'arguments':'{`x`'}}")) +
            call(j("{'index':1,'function':{'arguments':'{`y`'}}")) +
            call(j("{'index':0,'function':{'arguments':':1}'}}")) +
            call(j("{'index':1,'function':{'arguments':':2}'}}")) + kCalls,
        j("|ls({'x':1})|read({'y':2})|end"));
    row("all calls with index 0",
        call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':'{`n`:1}'}}")) +
            call(j("{'index':0,'id':'b','function':{'name':'ls','arguments':'{`n`:'}}")) +
            call(j("{'index':0,'function':{'arguments':'2}'}}")) + kCalls,
        j("|ls({'n':1})|ls({'n':2})|end"));
    row("index is a string",
        call(j("{'index':'0','id':'a','function':{'name':'ls','arguments':'{'}}")) +
            call(j("{'index':'0','function':{'arguments':'}'}}")) + kCalls,
        "|ls({})|end");
    row("index missing, ids",
        call(j("{'id':'a','function':{'name':'ls','arguments':'{`n`:1'}}")) +
            call(j("{'id':'b','function':{'name':'ls','arguments':'{`n`:2'}}")) +
            call(j("{'id':'a','function':{'arguments':'}'}}")) + call(j("{'id':'b','function':{'arguments':'}'}}")) +
            kCalls,
        j("|ls({'n':1})|ls({'n':2})|end"));
    row("index and ids missing",
        call(j("{'function':{'name':'ls','arguments':'{'}}")) + call(j("{'function':{'arguments':'}'}}")) +
            call(j("{'function':{'name':'read','arguments':'{}'}}")) + kCalls,
        "|ls({})|read({})|end");
    row("same index twice in a chunk",
        call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':'{'}},{'index':0,'function':{'arguments':'}"
               "'}}")) +
            kCalls,
        "|ls({})|end");
    row("arguments as an object",
        call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':{'path':'/'}}}")) + kCalls,
        j("|ls({'path':'/'})|end"));
    row("arguments cut off", call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':'{`pa'}}")) + kCalls,
        "|ls!|end");
    row("arguments are a list", call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':'[1]'}}")) + kCalls,
        "|ls!|end");
    row("call without a name", call(j("{'index':0,'id':'a','function':{'arguments':'{}'}}")) + kCalls, "|!|end");
    row("length with whole arguments",
        call(j("{'index':0,'id':'a','function':{'name':'ls','arguments':'{}'}}")) + chunk("{}", "\"length\"") + kDone,
        "|ls({})|length");
}

void failureRows()
{
    row("error frame in the middle", chunk(j("{'content':'a'}")) + "data: {\"error\":{\"message\":\"overloaded\"}}\n\n",
        "MODEL_STREAM_ERROR");
    row("error event", chunk(j("{'content':'a'}")) + "event: error\ndata: {\"message\":\"x\"}\n\n",
        "MODEL_STREAM_ERROR");
    row("end without a finish reason", chunk(j("{'content':'a'}")), "MODEL_STREAM_CUT");
    row("nothing at all", "", "MODEL_STREAM_CUT");
    row("frame that is no JSON", "data: <html>\n\n", "MODEL_STREAM_BROKEN");
}

} // namespace

class TestChatReply : public QObject {
    Q_OBJECT
private slots:
    void replies_data()
    {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QString>("expected");
        wordRows();
        callRows();
        failureRows();
    }
    void replies()
    {
        QFETCH(QByteArray, stream);
        QFETCH(QString, expected);
        QByteArray crlf = stream;
        crlf.replace("\n", "\r\n");
        QByteArray cr = stream;
        cr.replace("\n", "\r");
        for (const QByteArray& variant : {stream, crlf, cr})
            for (const qsizetype step : {qsizetype{1}, qsizetype{5}, std::max<qsizetype>(variant.size(), 1)}) {
                const Outcome outcome = replay(variant, step);
                QCOMPARE(told(outcome), expected);
                if (outcome.reply) QCOMPARE(outcome.streamed, outcome.reply->text);
            }
    }

    void usageIsTakenWhereverItComes()
    {
        const QByteArray usage = "{\"prompt_tokens\":30,\"completion_tokens\":4}";
        for (const QByteArray& stream :
             {QByteArray(chunk(j("{'content':'a'}")) + "data: {\"choices\":[],\"usage\":" + usage + "}\n\n" + kStop),
              QByteArray("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":" +
                         usage + "}\n\n")}) {
            const Outcome outcome = replay(stream, stream.size());
            QVERIFY(outcome.reply);
            QCOMPARE(outcome.reply->usage->inputTokens, 30);
            QCOMPARE(outcome.reply->usage->outputTokens, 4);
        }
    }

    void aReplyThatNeverEndsIsCutOff()
    {
        ChatReply reply;
        const QByteArray big = chunk("{\"content\":\"" + QByteArray(100'000, 'x') + "\"}");
        std::expected<QString, WireFailure> text;
        for (int i = 0; i < 20 && text; ++i)
            text = reply.feed(big);
        QVERIFY(!text);
        QCOMPARE(text.error().error.reason, QString("MODEL_REPLY_TOO_LARGE"));
        QVERIFY(!text.error().mayRetry);
    }

    void argumentsOverTheLimitFailThatCallOnly()
    {
        const QByteArray stream = call(j("{'index':0,'id':'a','function':{'name':'write','arguments':'{`content`:`") +
                                       QByteArray(70'000, 'x') + j("`}'}}")) +
                                  call(j("{'index':1,'id':'b','function':{'name':'ls','arguments':'{}'}}")) + kCalls;
        QCOMPARE(told(replay(stream, stream.size())), QString("|write!|ls({})|end"));
    }

    void retryAfterIsReadAsSecondsAndAsADate()
    {
        const qint64 now = QDateTime::fromString("2026-01-05T10:00:00Z", Qt::ISODate).toMSecsSinceEpoch();
        QCOMPARE(parseRetryAfter("30", now)->count(), 30'000);
        QCOMPARE(parseRetryAfter("0.5", now)->count(), 500);
        QCOMPARE(parseRetryAfter("Mon, 05 Jan 2026 10:00:20 GMT", now)->count(), 20'000);
        QCOMPARE(parseRetryAfter("Mon, 05 Jan 2026 09:00:00 GMT", now)->count(), 0);
        QVERIFY(!parseRetryAfter("soon", now));
        QVERIFY(!parseRetryAfter("", now));
    }
};

QTEST_GUILESS_MAIN(TestChatReply)
#include "tst_agent_chat_reply.moc"
