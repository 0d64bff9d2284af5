// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/users/token_check.h"
#include "common/sql/migrations.h"

#include <QHash>

namespace cocoonbox::api::users {

// Tables `users` and `tokens`. Tokens are named by the hex of their SHA-256.
class UserStore final {
public:
    using TokenTable = QHash<QByteArray, Actor>; // raw SHA-256 to its user

    explicit UserStore(sql::Database& database) : m_database(database) {}

    static sql::MigrationSet migrations() { return {QStringLiteral("users"), QStringLiteral(":/cocoonbox/users")}; }

    Task<TokenTable> tokens() const;
    Task<std::optional<Actor>> findByName(QString name) const;
    // AlreadyExists: ROW_EXISTS when the name is taken.
    Task<void> addUser(Actor user, QByteArray tokenSha256) const;
    Task<void> addToken(QString userId, QByteArray tokenSha256, qint64 nowMs) const;

private:
    sql::Database& m_database;
};

} // namespace cocoonbox::api::users
