// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/account.h"

#include "app/client/token_store.h"

namespace cocoonbox::app::client {

QString originName(Origin origin)
{
    switch (origin) {
    case Origin::Flag: return QStringLiteral("flag");
    case Origin::Environment: return QStringLiteral("environment");
    case Origin::Stored: return QStringLiteral("stored");
    case Origin::Default: return QStringLiteral("default");
    case Origin::None: break;
    }
    return QStringLiteral("none");
}

Result<QUrl> parseApiUrl(const QString& text)
{
    QUrl url(text.trimmed(), QUrl::StrictMode);
    const bool known = url.scheme() == u"http" || url.scheme() == u"https";
    if (!url.isValid() || !known || url.host().isEmpty() || !url.userInfo().isEmpty())
        return fail(
            ErrorCode::InvalidArgument,
            QStringLiteral("\"%1\" is not an api address; use https://HOST or http://127.0.0.1:PORT.").arg(text),
            QStringLiteral("URL_INVALID"));
    QUrl plain; // what a path or a query would add is not part of an address
    plain.setScheme(url.scheme());
    plain.setHost(url.host());
    plain.setPort(url.port());
    return plain;
}

Task<Account> resolveAccount(TokenStore& store, QString urlFlag, QProcessEnvironment environment)
{
    Account account;
    QString text = urlFlag;
    account.urlOrigin = Origin::Flag;
    if (text.isEmpty()) {
        text = environment.value(QStringLiteral("COCOONBOX_API_URL"));
        account.urlOrigin = Origin::Environment;
    }
    if (!text.isEmpty()) {
        CO_TRY_ASSIGN(account.apiUrl, parseApiUrl(text));
    } else if (const auto last = store.lastApiUrl()) {
        account.apiUrl = *last;
        account.urlOrigin = Origin::Stored;
    } else {
        account.apiUrl = QUrl(QString::fromLatin1(kDefaultApiUrl));
        account.urlOrigin = Origin::Default;
    }
    if (const QString token = environment.value(QStringLiteral("COCOONBOX_TOKEN")); !token.isEmpty()) {
        account.token = Secret(token.trimmed().toUtf8());
        account.tokenOrigin = Origin::Environment;
        co_return account;
    }
    CO_TRY_ASSIGN(const auto stored, co_await store.load(account.apiUrl));
    if (stored) {
        account.token = stored->token;
        account.tokenOrigin = Origin::Stored;
        account.tokenPlace = stored->place;
    }
    co_return account;
}

} // namespace cocoonbox::app::client
