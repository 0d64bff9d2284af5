// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/user_store.h"

namespace cocoonbox::api::users {

namespace {

Actor actorOf(const sql::Row& row)
{
    return {row.text(0), row.text(1), row.integer(2)};
}

Result<void> insertToken(sql::Connection& connection, const QString& userId, const QByteArray& sha256, qint64 nowMs)
{
    return sql::Statement(connection, "INSERT INTO tokens (token_sha256, user_id, created_at_ms) VALUES (?, ?, ?)")
        .bind(QString::fromLatin1(sha256.toHex()))
        .bind(userId)
        .bind(nowMs)
        .run()
        .transform([](qint64) {});
}

} // namespace

Task<UserStore::TokenTable> UserStore::tokens() const
{
    return m_database.run([](sql::Connection& connection) -> Result<TokenTable> {
        TokenTable table;
        const auto add = [&table](const sql::Row& row) {
            table.insert(QByteArray::fromHex(row.text(3).toLatin1()), actorOf(row));
            return 0;
        };
        TRY_VOID(sql::Statement(connection, "SELECT u.user_id, u.name, u.created_at_ms, t.token_sha256 "
                                            "FROM tokens t JOIN users u ON u.user_id = t.user_id")
                     .all(add));
        return table;
    });
}

Task<std::optional<Actor>> UserStore::findByName(QString name) const
{
    return m_database.run([name = std::move(name)](sql::Connection& connection) {
        return sql::Statement(connection, "SELECT user_id, name, created_at_ms FROM users WHERE name = ?")
            .bind(name)
            .one(actorOf);
    });
}

Task<void> UserStore::addUser(Actor user, QByteArray tokenSha256) const
{
    return m_database.transact([user = std::move(user), tokenSha256](sql::Connection& connection) -> Result<void> {
        TRY_VOID(sql::Statement(connection, "INSERT INTO users (user_id, name, created_at_ms) VALUES (?, ?, ?)")
                     .bind(user.userId)
                     .bind(user.name)
                     .bind(user.createdAtMs)
                     .run());
        return insertToken(connection, user.userId, tokenSha256, user.createdAtMs);
    });
}

Task<void> UserStore::addToken(QString userId, QByteArray tokenSha256, qint64 nowMs) const
{
    return m_database.run(
        [=](sql::Connection& connection) { return insertToken(connection, userId, tokenSha256, nowMs); });
}

} // namespace cocoonbox::api::users
