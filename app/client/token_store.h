// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/async/task.h"
#include "common/base/secret.h"

#include <chrono>
#include <optional>
#include <QProcessEnvironment>
#include <QString>
#include <QUrl>

namespace cocoonbox::app::client {

// Keeps the sign-in: the token in the system keychain (service "cocoonbox", account = the api's address), or, where
// no keychain answers within 2 s, in a file only its owner can read: <config dir>/token-<hash of the address>.json.
// The address last signed in to is in <config dir>/client.json. Config dir: COCOONBOX_CONFIG_DIR, else
// $XDG_CONFIG_HOME/cocoonbox. COCOONBOX_TOKEN_STORE=file leaves the keychain alone.
class TokenStore {
public:
    enum class Keychain { Ask, LeaveAlone };
    struct Options {
        QString configDir;
        Keychain keychain = Keychain::Ask;
        std::chrono::milliseconds keychainLimit{2000};
    };
    static Options optionsFrom(const QProcessEnvironment& environment);

    explicit TokenStore(Options options);

    struct Stored {
        Secret token;
        QString place; // for people: "system keychain", "/home/…/token-….json"
    };
    Task<std::optional<Stored>> load(QUrl apiUrl);
    // Stores the token, makes the address the one to use, and answers the place.
    Task<QString> save(QUrl apiUrl, Secret token);
    // Removes it from wherever it is; fine when there is none.
    Task<void> forget(QUrl apiUrl);

    std::optional<QUrl> lastApiUrl() const;

private:
    QString tokenPath(const QUrl& apiUrl) const;
    QString clientPath() const;

    Options m_options;
};

} // namespace cocoonbox::app::client
