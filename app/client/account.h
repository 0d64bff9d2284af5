// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/base/secret.h"

#include <QProcessEnvironment>
#include <QString>
#include <QUrl>

namespace cocoonbox::app::client {

inline constexpr auto kDefaultApiUrl = "http://127.0.0.1:7400";

// Where a part of the account came from; the CLI and the app say it, because an environment variable that beats a
// stored sign-in surprises people otherwise.
enum class Origin { Flag, Environment, Stored, Default, None };
QString originName(Origin origin);

struct Account {
    QUrl apiUrl;
    Secret token; // empty: signed out
    Origin urlOrigin = Origin::Default;
    Origin tokenOrigin = Origin::None;
    QString tokenPlace; // "system keychain" or the file's path; empty unless stored

    bool isSignedIn() const { return !token.isEmpty(); }
};

// http or https, a host and perhaps a port; anything after is dropped. InvalidArgument: URL_INVALID.
Result<QUrl> parseApiUrl(const QString& text);

class TokenStore;

// Precedence, each on its own: flag > COCOONBOX_API_URL / COCOONBOX_TOKEN > stored > the default address / signed out.
// A stored token belongs to one address: another address finds another token or none.
// InvalidArgument: URL_INVALID.
Task<Account> resolveAccount(TokenStore& store, QString urlFlag, QProcessEnvironment environment);

} // namespace cocoonbox::app::client
