// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> files(Call call)
{
    const QString path = call->arguments.words().isEmpty() ? QString() : call->arguments.word(0);
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::FileList list, co_await box->listFiles(path));
    QList<QStringList> rows;
    for (const client::FileEntry& entry : list.entries) {
        if (call->console->json()) call->console->object(toJson(entry));
        const bool isFile = entry.kind == client::FileKind::Regular;
        rows.append({client::fileKindName(entry.kind), isFile ? QString::number(entry.sizeBytes) : QString(),
                     rfc3339(entry.modifiedAtMs), Console::printable(entry.name)});
    }
    if (!call->console->json())
        call->console->table(
            {QStringLiteral("KIND"), QStringLiteral("SIZE"), QStringLiteral("CHANGED"), QStringLiteral("NAME")}, rows);
    if (list.truncated)
        call->console->note(QStringLiteral("There are more; these are the first 1,000."), Tone::Warning);
    co_return 0;
}

} // namespace

Command filesCommand()
{
    return {.name = QStringLiteral("files"),
            .aliases = {QStringLiteral("ls")},
            .group = Group::Inside,
            .summary = QStringLiteral("List a folder of a box"),
            .words = QStringLiteral("[PATH]"),
            .details = QStringLiteral("PATH is absolute or below /workspace, which is listed without one."),
            .examples = {QStringLiteral("cocoonbox files Uploads")},
            .options = {},
            .wordsMax = 1,
            .run = files};
}

} // namespace cocoonbox::app::cli
