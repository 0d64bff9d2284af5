// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/exit_code.h"
#include "app/cli/screenshooter.h"

#include <QBuffer>
#include <QElapsedTimer>
#include <QSaveFile>

namespace cocoonbox::app::cli {

namespace {

constexpr auto kPatience = std::chrono::seconds(15);

Result<void> writeOut(Console& console, const QString& file, const QByteArray& png)
{
    if (file == u"-") {
        console.write(png);
        return {};
    }
    QSaveFile out(file);
    if (out.open(QIODevice::WriteOnly) && out.write(png) == png.size() && out.commit()) return {};
    return fail(ErrorCode::PermissionDenied, QStringLiteral("%1 cannot be written: %2").arg(file, out.errorString()),
                QStringLiteral("FILE_UNWRITABLE"));
}

Task<int> screenshot(Call call)
{
    const QString file = call->arguments.word(0);
    std::chrono::milliseconds patience = kPatience;
    auto until = Screenshooter::Until::Whole;
    if (call->arguments.has(QStringLiteral("wait-drawn"))) {
        CO_TRY_ASSIGN(patience, readDuration(call->arguments.value(QStringLiteral("wait-drawn"))));
        until = Screenshooter::Until::Drawn;
    }
    QElapsedTimer elapsed;
    elapsed.start();
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    call->console->progress(QStringLiteral("Waiting for the screen …"));
    Screenshooter shooter(*box, until);
    CO_TRY_ASSIGN(const QImage image, co_await shooter.take(patience));
    const qint64 shownMs = elapsed.elapsed();
    call->console->endProgress();
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG"))
        co_return fail(ErrorCode::Internal, QStringLiteral("The picture could not be made into a PNG."),
                       QStringLiteral("PNG_FAILED"));
    CO_TRY_VOID(writeOut(*call->console, file, png));
    const QString size = QStringLiteral("%1 x %2").arg(image.width()).arg(image.height());
    if (call->console->json() && file != u"-")
        call->console->object({{QStringLiteral("file"), file},
                               {QStringLiteral("width"), image.width()},
                               {QStringLiteral("height"), image.height()},
                               {QStringLiteral("shown_ms"), shownMs}});
    else
        call->console->note(QStringLiteral("%1, %2 pixels.").arg(file == u"-" ? QStringLiteral("stdout") : file, size),
                            Tone::Dim);
    co_return kOk;
}

} // namespace

Command screenshotCommand()
{
    return {.name = QStringLiteral("screenshot"),
            .aliases = {},
            .group = Group::Inside,
            .summary = QStringLiteral("Save the box's screen as a PNG file"),
            .words = QStringLiteral("FILE.png"),
            .details = QStringLiteral(
                "\"-\" writes the picture to stdout. It is taken when the first whole picture has come."),
            .examples = {QStringLiteral("cocoonbox screenshot desk.png"),
                         QStringLiteral("cocoonbox screenshot --wait-drawn 20s - | feh -")},
            .options = {{QStringLiteral("wait-drawn"),
                         {},
                         QStringLiteral("TIME"),
                         QStringLiteral("wait until a desktop is drawn and still, at most so long")}},
            .wordsMin = 1,
            .wordsMax = 1,
            .run = screenshot};
}

} // namespace cocoonbox::app::cli
