// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/commands/commands.h"
#include "app/cli/json.h"
#include "app/client/token_store.h"

namespace cocoonbox::app::cli {

namespace {

Result<Secret> readToken(const Call& call)
{
    const QString source = call->arguments.value(QStringLiteral("token"));
    QByteArray token;
    if (source == u"-")
        token = readStandardInput(8192).trimmed();
    else if (!source.isEmpty())
        return usageFailure(
            QStringLiteral("A token on the command line can be read by others; use --token - and pipe it."));
    else if (call->console->inIsTerminal() && call->console->errIsTerminal())
        token = askLine(QStringLiteral("Token: "), false);
    else
        return usageFailure(QStringLiteral("There is no terminal to ask for the token; use --token - and pipe it."));
    if (token.isEmpty() || token.size() > 4096 || token.contains(' ') || token.contains('\n'))
        return usageFailure(QStringLiteral("That is not a token."));
    return Secret(token);
}

Task<int> login(Call call)
{
    client::TokenStore store(client::TokenStore::optionsFrom(call->environment));
    QProcessEnvironment withoutToken = call->environment;
    withoutToken.remove(QStringLiteral("COCOONBOX_TOKEN"));
    CO_TRY_ASSIGN(client::Account account, co_await client::resolveAccount(
                                               store, call->arguments.value(QStringLiteral("api-url")), withoutToken));
    CO_TRY_ASSIGN(account.token, readToken(call));
    CO_TRY_ASSIGN(const auto api, client::ApiClient::create(account, clientName()));
    CO_TRY_ASSIGN(const client::User user, co_await api->whoAmI());
    CO_TRY_ASSIGN(const QString place, co_await store.save(account.apiUrl, account.token));
    Console& console = *call->console;
    const QString url = account.apiUrl.toDisplayString();
    if (console.json()) {
        QJsonObject object = toJson(user);
        object.insert(QStringLiteral("api_url"), url);
        object.insert(QStringLiteral("token_place"), place);
        console.object(object);
    } else {
        console.line(QStringLiteral("Signed in to %1 as %2.").arg(url, Console::printable(user.name)));
        console.note(QStringLiteral("The token is kept in %1.").arg(place), Tone::Dim);
    }
    if (call->environment.contains(QStringLiteral("COCOONBOX_TOKEN")))
        console.note(QStringLiteral("COCOONBOX_TOKEN is set and is used instead of it."), Tone::Warning);
    co_return 0;
}

} // namespace

Command loginCommand()
{
    return {
        .name = QStringLiteral("login"),
        .aliases = {},
        .group = Group::Account,
        .summary = QStringLiteral("Sign in with a token"),
        .words = {},
        .details = QStringLiteral("Checks the token with the api and keeps it in the system keychain, or, where none\n"
                                  "answers, in a file that only you can read; it says which.\n"
                                  "COCOONBOX_TOKEN_STORE=file always uses the file."),
        .examples = {QStringLiteral("cocoonbox login --token - < token.txt"),
                     QStringLiteral("cocoonbox login --api-url https://boxes.example.org")},
        .options = {{QStringLiteral("token"), {}, QStringLiteral("-"), QStringLiteral("read the token from stdin")}},
        .run = login};
}

} // namespace cocoonbox::app::cli
