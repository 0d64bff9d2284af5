// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/users/token_check.h"
#include "api/users/user_store.h"
#include "common/base/clock.h"
#include "common/base/secret.h"

#include <atomic>
#include <memory>

// User: an account, known by a name, proven by a token. A token is "cbx_" and 52 characters of base32 (256 random
// bits); it is shown once, when it is made; what is kept is its SHA-256.
namespace cocoonbox::api::users {

struct Grant {
    Actor user;
    Secret token;
};

// Domain thread, but for `check`.
class UserService final : public TokenCheck {
public:
    UserService(UserStore store, const Clock& clock);

    // Reads the tokens anew: at the start, and when another process has made one.
    Task<void> load();

    // InvalidArgument: USER_NAME_INVALID (1 to 64 printable characters). AlreadyExists: USER_EXISTS.
    Task<Grant> createUser(QString name);
    // NotFound: USER_UNKNOWN.
    Task<Grant> createToken(QString name);

    std::optional<Actor> check(QByteArrayView token) const override;

private:
    UserStore m_store;
    const Clock& m_clock;
    std::atomic<std::shared_ptr<const UserStore::TokenTable>> m_tokens;
};

} // namespace cocoonbox::api::users
