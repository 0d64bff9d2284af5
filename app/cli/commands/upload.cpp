// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"

#include <QFile>
#include <QFileInfo>

namespace cocoonbox::app::cli {

namespace {

using client::BoxSession;

BoxSession::Progress progressOf(Console* console, const QString& name)
{
    return [console, name](qint64 moved, qint64 total) {
        if (total > 0)
            console->progress(QStringLiteral("%1 … %2 %").arg(Console::printable(name)).arg(moved * 100 / total));
    };
}

Task<client::FileEntry> uploadOne(Call call, BoxSession* box, QString path)
{
    const auto file = std::make_shared<QFile>(path);
    if (!QFileInfo(path).isFile() || !file->open(QIODevice::ReadOnly))
        co_return fail(
            ErrorCode::NotFound,
            QStringLiteral("%1 is no file that can be read. Folders go as an archive, for example with tar.").arg(path),
            QStringLiteral("FILE_UNREADABLE"));
    const QString name = QFileInfo(path).fileName();
    BoxSession::UploadSource source{name, call->arguments.value(QStringLiteral("to")), file};
    co_return co_await box->upload(std::move(source), progressOf(call->console, name));
}

Task<int> upload(Call call)
{
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    for (const QString& path : call->arguments.words()) {
        CO_TRY_ASSIGN(const client::FileEntry stored, co_await uploadOne(call, box.get(), path));
        call->console->endProgress();
        if (call->console->json())
            call->console->object(toJson(stored));
        else
            call->console->line(Console::printable(stored.path));
    }
    co_return 0;
}

} // namespace

Command uploadCommand()
{
    return {.name = QStringLiteral("upload"),
            .aliases = {},
            .group = Group::Inside,
            .summary = QStringLiteral("Copy files into a box"),
            .words = QStringLiteral("FILE…"),
            .details = QStringLiteral(
                "Each appears when it is whole, and nothing in the box is overwritten: a name that is taken\n"
                "becomes \"name (2)\". Writes the path of each in the box."),
            .examples = {QStringLiteral("cocoonbox upload report.pdf photo.png"),
                         QStringLiteral("cocoonbox upload --to site/img logo.svg")},
            .options = {{QStringLiteral("to"),
                         {},
                         QStringLiteral("DIR"),
                         QStringLiteral("the folder in the box; /workspace/Uploads")}},
            .wordsMin = 1,
            .wordsMax = -1,
            .run = upload};
}

} // namespace cocoonbox::app::cli
