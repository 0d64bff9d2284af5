// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/json.h"
#include "app/cli/turn_follower.h"

#include <limits>

namespace cocoonbox::app::cli {

namespace {

void showEntry(Console& console, const client::Entry& entry)
{
    if (console.json()) return console.object(typed(QStringLiteral("entry"), toJson(entry)));
    QString text = Console::printable(entry.text);
    Tone tone = Tone::Plain;
    switch (entry.kind) {
    case client::EntryKind::Prompt:
        text.prepend(QStringLiteral("> "));
        tone = Tone::Bold;
        break;
    case client::EntryKind::ToolCall:
        text = Console::printable(
            QStringLiteral("▸ %1: %2 (%3)")
                .arg(entry.toolCall.tool, entry.toolCall.summary, client::toolStateName(entry.toolCall.state)));
        tone = Tone::Dim;
        break;
    case client::EntryKind::Error:
        text.prepend(QStringLiteral("error: "));
        tone = Tone::Bad;
        break;
    case client::EntryKind::Notice:
    case client::EntryKind::HandBack: tone = Tone::Dim; break;
    case client::EntryKind::Reply:
    case client::EntryKind::Unknown: break;
    }
    console.line(console.paintOut(QString::number(entry.seq).rightJustified(4), Tone::Dim) + QStringLiteral("  ") +
                 console.paintOut(text, tone));
}

Task<int> transcript(Call call)
{
    qint64 after = 0;
    if (call->arguments.has(QStringLiteral("after"))) {
        CO_TRY_ASSIGN(after, readNumber(call->arguments.value(QStringLiteral("after")), QStringLiteral("--after"), 0,
                                        std::numeric_limits<qint64>::max()));
    }
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::Agent agent,
                  co_await Invocation::findAgent(box.get(), call->arguments.value(QStringLiteral("agent"))));
    if (call->arguments.has(QStringLiteral("follow"))) {
        TurnFollower follower(*box, *call->console, agent.agentId);
        CO_TRY_VOID(co_await follower.attach());
        follower.showAfter(after, {});
        co_return co_await follower.untilTurnEnds(); // of no turn: until Ctrl-C, or the box is gone
    }
    for (bool more = true; more;) {
        CO_TRY_ASSIGN(const client::BoxSession::Page page, co_await box->readTranscript(agent.agentId, after));
        for (const client::Entry& entry : page.entries)
            showEntry(*call->console, entry);
        more = page.hasMore && !page.entries.isEmpty();
        if (more) after = page.entries.last().seq;
    }
    co_return kOk;
}

} // namespace

Command transcriptCommand()
{
    return {
        .name = QStringLiteral("transcript"),
        .aliases = {},
        .group = Group::Agents,
        .summary = QStringLiteral("Show what an agent and you said and what it did"),
        .words = {},
        .details =
            QStringLiteral("Without --agent it is the agent that was active last. With --json one entry a line."),
        .examples = {QStringLiteral("cocoonbox transcript --follow"),
                     QStringLiteral("cocoonbox transcript --json | jq -r 'select(.kind == \"reply\").text'")},
        .options = {{QStringLiteral("agent"), u'a', QStringLiteral("ID"), QStringLiteral("which agent")},
                    {QStringLiteral("after"), {}, QStringLiteral("SEQ"), QStringLiteral("only entries after this one")},
                    {QStringLiteral("follow"), u'f', {}, QStringLiteral("go on with what happens, until Ctrl-C")}},
        .run = transcript};
}

} // namespace cocoonbox::app::cli
