// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

namespace cocoonbox::app::cli {

namespace {

constexpr qsizetype kTextBytesMax = 64 * 1024;

Task<int> type(Call call)
{
    const QString word = call->arguments.word(0);
    const QString text = word == u"-" ? QString::fromUtf8(readStandardInput(kTextBytesMax + 1)) : word;
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_VOID(co_await box->takeOver(QStringLiteral("cocoonbox type"), call->arguments.has(QStringLiteral("steal"))));
    const Result<void> typed = co_await box->inputText(text);
    box->handBack();
    CO_TRY_VOID(typed);
    if (call->console->json())
        call->console->object({{QStringLiteral("bytes"), text.toUtf8().size()}});
    else
        call->console->note(QStringLiteral("Typed."), Tone::Dim);
    co_return 0;
}

} // namespace

Command typeCommand()
{
    return {
        .name = QStringLiteral("type"),
        .aliases = {},
        .group = Group::Inside,
        .summary = QStringLiteral("Insert text where the box's keyboard focus is"),
        .words = QStringLiteral("TEXT"),
        .details = QStringLiteral(
            "Takes the screen over for a moment. The text arrives exactly as it is, newlines and all; \"-\" reads\n"
            "it from stdin. At most 64 KiB."),
        .examples = {QStringLiteral("cocoonbox type \"grüße 世界\""), QStringLiteral("cocoonbox type - < letter.txt")},
        .options = {{QStringLiteral("steal"), {}, {}, QStringLiteral("even when somebody else holds the screen")}},
        .wordsMin = 1,
        .wordsMax = 1,
        .run = type};
}

} // namespace cocoonbox::app::cli
