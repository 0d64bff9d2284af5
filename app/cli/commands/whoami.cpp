// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> whoami(Call call)
{
    CO_TRY_VOID(co_await call->signIn());
    const client::Account& account = call->api->account();
    CO_TRY_ASSIGN(const client::User user, co_await call->api->whoAmI());
    const QString url = account.apiUrl.toDisplayString();
    if (call->console->json()) {
        QJsonObject object = toJson(user);
        object.insert(QStringLiteral("api_url"), url);
        object.insert(QStringLiteral("api_url_from"), client::originName(account.urlOrigin));
        object.insert(QStringLiteral("token_from"), client::originName(account.tokenOrigin));
        object.insert(QStringLiteral("token_place"), account.tokenPlace);
        call->console->object(object);
        co_return 0;
    }
    call->console->line(QStringLiteral("%1 (%2) at %3").arg(Console::printable(user.name), user.userId, url));
    const bool stored = account.tokenOrigin == client::Origin::Stored;
    call->console->note(stored ? QStringLiteral("Signed in by the token in %1.").arg(account.tokenPlace)
                               : QStringLiteral("Signed in by COCOONBOX_TOKEN."),
                        Tone::Dim);
    co_return 0;
}

} // namespace

Command whoamiCommand()
{
    return {.name = QStringLiteral("whoami"),
            .aliases = {},
            .group = Group::Account,
            .summary = QStringLiteral("Show who is signed in, where, and by which token"),
            .words = {},
            .details = {},
            .examples = {},
            .options = {},
            .run = whoami};
}

} // namespace cocoonbox::app::cli
