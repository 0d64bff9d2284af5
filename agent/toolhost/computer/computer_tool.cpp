// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/computer/computer_tool.h"

#include "agent/toolhost/arguments.h"
#include "agent/toolhost/port/own_program.h"
#include "agent/toolhost/run_command.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::computer {

namespace {

bool isKeyName(const QString& key)
{
    return !key.isEmpty() && key.size() <= 64 && std::ranges::all_of(key, [](QChar c) {
        return (c.unicode() < 128 && c.isLetterOrNumber()) || c == u'_' || c == u'+';
    });
}

struct Action {
    QByteArrayList words; // of xdotool, or of our own program
    QString done;
    bool isOwn = false;
};

Result<Action> typing(const QString& text)
{
    if (text.isEmpty() || text.size() > kTextCharsMax || text.contains(QChar(0)))
        return fail(ErrorCode::InvalidArgument,
                    u"text has 1 to %1 characters. Type longer ones in pieces."_s.arg(kTextCharsMax));
    return Action{{"desktop", "type-keys", text.toUtf8()}, u"Typed %1 characters."_s.arg(text.size()), true};
}

Result<Action> pressing(const QString& key)
{
    if (!isKeyName(key))
        return fail(ErrorCode::InvalidArgument,
                    u"key is an X key name with modifiers, such as Return, Page_Down or ctrl+shift+t."_s);
    return Action{{"key", "--clearmodifiers", "--", key.toLatin1()}, u"Pressed %1."_s.arg(key)};
}

Result<Action> clicking(qint64 x, qint64 y, const QString& button, qint64 count)
{
    static const QStringList kButtons{u"left"_s, u"middle"_s, u"right"_s};
    const qsizetype index = kButtons.indexOf(button);
    if (index < 0) return fail(ErrorCode::InvalidArgument, u"button is left, middle or right."_s);
    if (x < 0 || y < 0) return fail(ErrorCode::InvalidArgument, u"A click needs x and y."_s);
    return Action{{"mousemove", "--sync", QByteArray::number(x), QByteArray::number(y), "click", "--repeat",
                   QByteArray::number(count), "--delay", "60", QByteArray::number(index + 1)},
                  u"Clicked %1 at %2, %3."_s.arg(button).arg(x).arg(y)};
}

Result<Action> actionOf(const QJsonObject& object)
{
    Arguments arguments(object);
    const QString action = arguments.text("action");
    const QString text = arguments.text("text", {});
    const QString key = arguments.text("key", {});
    const qint64 x = arguments.number("x", 0, kCoordinateMax, -1);
    const qint64 y = arguments.number("y", 0, kCoordinateMax, -1);
    const QString button = arguments.text("button", u"left"_s);
    const qint64 count = arguments.number("count", 1, 3, 1);
    if (const QString problem = arguments.problem(); !problem.isEmpty())
        return fail(ErrorCode::InvalidArgument, problem);
    if (action == "type"_L1) return typing(text);
    if (action == "key"_L1) return pressing(key);
    if (action == "click"_L1) return clicking(x, y, button, count);
    return fail(ErrorCode::InvalidArgument, u"action is type, key or click."_s);
}

} // namespace

QCoro::Task<ToolResult> ComputerTool::run(ToolCall call)
{
    const Result<Action> action = actionOf(call.arguments);
    if (!action) co_return ToolResult::failure(action.error().message);
    SpawnSpec spec;
    spec.program = action->isOwn ? "/proc/self/exe" : "xdotool";
    spec.argv = QByteArrayList{action->isOwn ? "cocoonbox-agent" : "xdotool"} + action->words;
    spec.environment = programEnvironment();
    spec.workingDirectory = "/";
    // A click or a key is over in a moment; stopped between press and release it would leave a button down. Long text
    // is stopped between two keys.
    const std::stop_token none;
    const Result<CommandOutcome> outcome =
        co_await runCommand(spec, [](QByteArrayView) { return true; }, call.timeout, action->isOwn ? call.stop : none);
    if (!outcome)
        co_return ToolResult::failure(u"The screen did not take the action: %1"_s.arg(outcome.error().message));
    // xdotool says what it did not understand, and goes on as if nothing had been.
    QString complaint = QString::fromUtf8(outcome->errors).trimmed();
    if (action->isOwn && outcome->exitCode != 0)
        complaint = port::failureFrom(outcome->errors, outcome->exitCode).message;
    if (outcome->exitCode != 0 || !complaint.isEmpty())
        co_return ToolResult::failure(
            u"The screen did not take the action: %1"_s.arg(complaint.isEmpty() ? u"xdotool failed."_s : complaint));
    co_return ToolResult{action->done};
}

} // namespace cocoonbox::agent::toolhost::computer
