// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/user_service.h"

#include "common/base/ids.h"

#include <array>
#include <QCryptographicHash>
#include <QRandomGenerator>

namespace cocoonbox::api::users {

namespace {

constexpr qsizetype kNameCharsMax = 64;
constexpr qsizetype kTokenBytesMax = 256;
constexpr QByteArrayView kTokenPrefix = "cbx_";

QByteArray sha256(QByteArrayView token)
{
    return QCryptographicHash::hash(token, QCryptographicHash::Sha256);
}

Secret newToken()
{
    constexpr QByteArrayView kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
    std::array<quint32, 8> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    QByteArray token = kTokenPrefix.toByteArray();
    quint64 bits = 0;
    int available = 0;
    for (size_t word = 0; word < words.size() || available > 0; available -= 5, bits >>= 5) {
        if (available < 5 && word < words.size()) {
            bits |= quint64{words[word++]} << available;
            available += 32;
        }
        token += kAlphabet[static_cast<qsizetype>(bits & 31)];
    }
    return Secret(std::move(token));
}

Result<QString> checkedName(const QString& name)
{
    const QString trimmed = name.trimmed();
    const bool printable = std::ranges::all_of(trimmed, [](QChar c) { return c.isPrint() || c.isSurrogate(); });
    if (trimmed.isEmpty() || trimmed.size() > kNameCharsMax || !printable)
        return fail(ErrorCode::InvalidArgument, QStringLiteral("A user's name has 1 to 64 printable characters."),
                    QStringLiteral("USER_NAME_INVALID"));
    return trimmed;
}

} // namespace

UserService::UserService(UserStore store, const Clock& clock)
    : m_store(store), m_clock(clock), m_tokens(std::make_shared<const UserStore::TokenTable>())
{
}

Task<void> UserService::load()
{
    CO_TRY_ASSIGN(UserStore::TokenTable table, co_await m_store.tokens());
    m_tokens.store(std::make_shared<const UserStore::TokenTable>(std::move(table)));
    co_return {};
}

Task<Grant> UserService::createUser(QString name)
{
    CO_TRY_ASSIGN(const QString checked, checkedName(name));
    Grant grant{{newId(u"usr_"), checked, m_clock.nowMs()}, newToken()};
    const Result<void> added = co_await m_store.addUser(grant.user, sha256(grant.token.reveal("hashed for the store")));
    if (!added && added.error().code == ErrorCode::AlreadyExists)
        co_return fail(
            ErrorCode::AlreadyExists,
            QStringLiteral("There is a user \"%1\" already; make a token for it with \"token create\".").arg(checked),
            QStringLiteral("USER_EXISTS"));
    CO_TRY_VOID(added);
    CO_TRY_VOID(co_await load());
    co_return grant;
}

Task<Grant> UserService::createToken(QString name)
{
    CO_TRY_ASSIGN(const QString checked, checkedName(name));
    CO_TRY_ASSIGN(const std::optional<Actor> user, co_await m_store.findByName(checked));
    if (!user)
        co_return fail(ErrorCode::NotFound,
                       QStringLiteral("There is no user \"%1\"; make one with \"user create\".").arg(checked),
                       QStringLiteral("USER_UNKNOWN"));
    Grant grant{*user, newToken()};
    CO_TRY_VOID(
        co_await m_store.addToken(user->userId, sha256(grant.token.reveal("hashed for the store")), m_clock.nowMs()));
    CO_TRY_VOID(co_await load());
    co_return grant;
}

std::optional<Actor> UserService::check(QByteArrayView token) const
{
    // A lookup by hash tells nothing by its duration about a token that is close.
    if (token.size() > kTokenBytesMax || !token.startsWith(kTokenPrefix)) return std::nullopt;
    const std::shared_ptr<const UserStore::TokenTable> tokens = m_tokens.load();
    const auto found = tokens->constFind(sha256(token));
    if (found == tokens->constEnd()) return std::nullopt;
    return *found;
}

} // namespace cocoonbox::api::users
