// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"

#include <QFile>

namespace cocoonbox::app::cli {

namespace {

constexpr qint64 kBytesMax = 32 * 1024 * 1024;

Result<QByteArray> contentOf(const QString& path)
{
    if (path == u"-") return readStandardInput(kBytesMax + 1);
    QFile file(path);
    if (file.open(QIODevice::ReadOnly)) return file.read(kBytesMax + 1);
    return fail(ErrorCode::NotFound, QStringLiteral("%1 cannot be read: %2").arg(path, file.errorString()),
                QStringLiteral("FILE_UNREADABLE"));
}

Task<int> set(Call call, QString type)
{
    CO_TRY_ASSIGN(const QByteArray bytes, contentOf(call->arguments.value(QStringLiteral("set"))));
    if (type.isEmpty()) type = bytes.startsWith("\x89PNG") ? client::kPng : client::kPlainText;
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_VOID(co_await box->writeClipboard({type, bytes}));
    if (call->console->json())
        call->console->object({{QStringLiteral("type"), type}, {QStringLiteral("size_bytes"), bytes.size()}});
    else
        call->console->note(QStringLiteral("The box's clipboard holds it now."), Tone::Dim);
    co_return 0;
}

Task<int> clipboard(Call call)
{
    const QString type = call->arguments.value(QStringLiteral("type"));
    if (call->arguments.has(QStringLiteral("set"))) co_return co_await set(call, type);
    CO_TRY_ASSIGN(const auto box, co_await call->openBox());
    CO_TRY_ASSIGN(const client::ClipboardContent content, co_await box->readClipboard(type));
    if (call->console->json())
        call->console->object({{QStringLiteral("type"), content.type},
                               {QStringLiteral("size_bytes"), content.bytes.size()},
                               {QStringLiteral("base64"), QString::fromLatin1(content.bytes.toBase64())}});
    else
        call->console->write(content.bytes);
    co_return 0;
}

} // namespace

Command clipboardCommand()
{
    return {.name = QStringLiteral("clipboard"),
            .aliases = {},
            .group = Group::Inside,
            .summary = QStringLiteral("Read or replace the clipboard of a box"),
            .words = QString(),
            .details = QStringLiteral(
                "Writes the content to stdout as it is. TYPE is image/png, text/plain;charset=utf-8 or text/html."),
            .examples = {QStringLiteral("cocoonbox clipboard > copied.txt"),
                         QStringLiteral("cocoonbox clipboard --set photo.png")},
            .options =
                {{QStringLiteral("type"), {}, QStringLiteral("TYPE"), QStringLiteral("which of its types")},
                 {QStringLiteral("set"), {}, QStringLiteral("FILE"), QStringLiteral("put FILE there; \"-\" is stdin")}},
            .run = clipboard};
}

} // namespace cocoonbox::app::cli
