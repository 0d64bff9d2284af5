// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"

#include <QFileInfo>
#include <QSaveFile>
#include <unistd.h>

namespace cocoonbox::app::cli {

namespace {

auto unwritable(const QString& target, const QString& why)
{
    return fail(ErrorCode::PermissionDenied, QStringLiteral("%1 cannot be written: %2").arg(target, why),
                QStringLiteral("FILE_UNWRITABLE"));
}

// Where FILE leads: itself, or a name in the folder that it is.
Result<QString> targetOf(const Call& call)
{
    const QString path = call->arguments.word(0);
    const QString name = path.sliced(path.lastIndexOf(u'/') + 1);
    QString target = call->arguments.words().size() > 1 ? call->arguments.word(1) : name;
    if (target != u"-" && QFileInfo(target).isDir()) target += u'/' + name;
    if (target == u"-" || call->arguments.has(QStringLiteral("force")) || !QFileInfo::exists(target)) return target;
    return fail(ErrorCode::AlreadyExists,
                QStringLiteral("%1 is there already. Name another file, or replace it with --force.").arg(target),
                QStringLiteral("FILE_EXISTS"));
}

Task<client::FileEntry> toStandardOutput(client::BoxSession* box, QString path)
{
    const auto out = std::make_shared<QFile>();
    if (!out->open(STDOUT_FILENO, QIODevice::WriteOnly | QIODevice::Unbuffered))
        co_return unwritable(QStringLiteral("stdout"), out->errorString());
    co_return co_await box->download(path, out);
}

// The file appears when it is whole.
Task<client::FileEntry> toFile(Call call, client::BoxSession* box, QString path, QString target)
{
    const auto out = std::make_shared<QSaveFile>(target);
    if (!out->open(QIODevice::WriteOnly)) co_return unwritable(target, out->errorString());
    const auto progress = [console = call->console, target](qint64 moved, qint64 total) {
        if (total > 0) console->progress(QStringLiteral("%1 … %2 %").arg(target).arg(moved * 100 / total));
    };
    CO_TRY_ASSIGN(const client::FileEntry file, co_await box->download(path, out, progress));
    if (!out->commit()) co_return unwritable(target, out->errorString());
    co_return file;
}

Task<int> download(Call call)
{
    const QString path = call->arguments.word(0);
    CO_TRY_ASSIGN(const QString target, targetOf(call));
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    if (target == u"-") {
        CO_TRY_ASSIGN(const client::FileEntry file, co_await toStandardOutput(box.get(), path));
        co_return 0;
    }
    CO_TRY_ASSIGN(const client::FileEntry file, co_await toFile(call, box.get(), path, target));
    call->console->endProgress();
    QJsonObject object = toJson(file);
    object.insert(QStringLiteral("file"), target);
    if (call->console->json())
        call->console->object(object);
    else
        call->console->line(target);
    co_return 0;
}

} // namespace

Command downloadCommand()
{
    return {.name = QStringLiteral("download"),
            .aliases = {},
            .group = Group::Inside,
            .summary = QStringLiteral("Copy a file out of a box"),
            .words = QStringLiteral("PATH [FILE]"),
            .details = QStringLiteral(
                "PATH is absolute or below /workspace. FILE may be a folder, or \"-\" for stdout; without it the\n"
                "file keeps its name here."),
            .examples = {QStringLiteral("cocoonbox download result.csv"),
                         QStringLiteral("cocoonbox download /home/user/.bashrc -")},
            .options = {{QStringLiteral("force"), u'f', {}, QStringLiteral("replace a file that is there")}},
            .wordsMin = 1,
            .wordsMax = 2,
            .run = download};
}

} // namespace cocoonbox::app::cli
