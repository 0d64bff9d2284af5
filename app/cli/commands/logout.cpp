// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/client/token_store.h"

namespace cocoonbox::app::cli {

namespace {

Task<int> logout(Call call)
{
    client::TokenStore store(client::TokenStore::optionsFrom(call->environment));
    CO_TRY_ASSIGN(const client::Account account,
                  co_await client::resolveAccount(store, call->arguments.value(QStringLiteral("api-url")), {}));
    CO_TRY_VOID(co_await store.forget(account.apiUrl));
    const QString url = account.apiUrl.toDisplayString();
    if (call->console->json())
        call->console->object({{QStringLiteral("api_url"), url}});
    else
        call->console->line(account.isSignedIn() ? QStringLiteral("Signed out of %1.").arg(url)
                                                 : QStringLiteral("You were not signed in to %1.").arg(url));
    if (call->environment.contains(QStringLiteral("COCOONBOX_TOKEN")))
        call->console->note(QStringLiteral("COCOONBOX_TOKEN is still set and still signs you in."), Tone::Warning);
    co_return 0;
}

} // namespace

Command logoutCommand()
{
    return {.name = QStringLiteral("logout"),
            .aliases = {},
            .group = Group::Account,
            .summary = QStringLiteral("Forget the stored token"),
            .words = {},
            .details = QStringLiteral("The token itself stays valid at the api."),
            .examples = {},
            .options = {},
            .run = logout};
}

} // namespace cocoonbox::app::cli
