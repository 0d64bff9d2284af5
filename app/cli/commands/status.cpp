// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"
#include "common/async/wait.h"

#include <QDateTime>
#include <QJsonArray>

namespace cocoonbox::app::cli {

namespace {

QString ago(qint64 ms)
{
    const qint64 seconds = (QDateTime::currentMSecsSinceEpoch() - ms) / 1000;
    if (ms <= 0) return QStringLiteral("-");
    if (seconds < 60) return QStringLiteral("%1 s").arg(std::max<qint64>(seconds, 0));
    if (seconds < 3600) return QStringLiteral("%1 min").arg(seconds / 60);
    if (seconds < 48 * 3600) return QStringLiteral("%1 h").arg(seconds / 3600);
    return QStringLiteral("%1 days").arg(seconds / 86400);
}

void show(Console& console, const QList<client::Box>& boxes, bool stream)
{
    if (console.json()) {
        QJsonArray array;
        for (const client::Box& box : boxes)
            array.append(toJson(box));
        const QJsonObject object{{QStringLiteral("boxes"), array}};
        return console.object(stream ? typed(QStringLiteral("boxes"), object) : object);
    }
    QList<QStringList> rows;
    for (const client::Box& box : boxes)
        rows.append({box.name, client::boxStateName(box.state), ago(box.stateChangedAtMs), box.flavor, box.boxId});
    console.table({QStringLiteral("NAME"), QStringLiteral("STATE"), QStringLiteral("FOR"), QStringLiteral("FLAVOR"),
                   QStringLiteral("ID")},
                  rows);
    for (const client::Box& box : boxes)
        if (!box.failure.isEmpty())
            console.note(QStringLiteral("%1: %2").arg(box.name, Console::printable(box.failure)), Tone::Bad);
    if (boxes.isEmpty()) console.note(QStringLiteral("You have no box yet; make one with: cocoonbox ensure"));
}

Task<int> watch(Call call)
{
    client::ApiClient& api = *call->api;
    Promise<Error> ended;
    QObject::connect(&api, &client::ApiClient::boxesChanged, &api,
                     [call] { show(*call->console, call->api->boxes(), true); });
    QObject::connect(&api, &client::ApiClient::connectionChanged, &api, [call, ended] {
        if (call->api->connectionState() == client::ConnectionState::SignedOut)
            ended.set(
                {ErrorCode::Unauthenticated, call->api->connectionMessage(), QStringLiteral("TOKEN_UNKNOWN"), {}, {}});
        else if (!call->api->connectionMessage().isEmpty())
            call->console->progress(call->api->connectionMessage());
    });
    api.startWatching();
    co_return std::unexpected(co_await ended.get());
}

Task<int> status(Call call)
{
    CO_TRY_VOID(co_await call->signIn());
    if (call->arguments.has(QStringLiteral("watch"))) co_return co_await watch(call);
    CO_TRY_ASSIGN(const QList<client::Box> boxes, co_await call->api->listBoxes());
    show(*call->console, boxes, false);
    co_return 0;
}

} // namespace

Command statusCommand()
{
    return {.name = QStringLiteral("status"),
            .aliases = {QStringLiteral("list")},
            .group = Group::Box,
            .summary = QStringLiteral("Show your boxes"),
            .words = {},
            .details = QStringLiteral("Looking never wakes a box."),
            .examples = {QStringLiteral("cocoonbox status --watch"),
                         QStringLiteral("cocoonbox status --json | jq -r '.boxes[].state'")},
            .options = {{QStringLiteral("watch"),
                         u'w',
                         {},
                         QStringLiteral("show the list again after each change, until Ctrl-C")}},
            .run = status};
}

} // namespace cocoonbox::app::cli
