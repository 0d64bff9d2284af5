// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/credential.h"

#include "common/base/limits.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <QJsonDocument>
#include <QJsonObject>

namespace cocoonbox::crypto {

namespace {

constexpr QByteArrayView kVersion = "v1.";
constexpr qsizetype kFieldBytesMax = 128;
constexpr auto kUrlBase64 = QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals;

std::unexpected<Error> refuse(const char* reason, const QString& message)
{
    return fail(ErrorCode::Unauthenticated, message, QString::fromLatin1(reason));
}

std::unexpected<Error> malformed()
{
    return refuse("CREDENTIAL_MALFORMED",
                  QStringLiteral("The edge's credential cannot be read: it is not of the form v1.FIELDS.SIGNATURE. "
                                 "Only the api may call the agent; call through the api."));
}

// Strict, so that one credential has one spelling.
std::optional<QByteArray> decodeBase64(QByteArrayView text)
{
    const auto decoded =
        QByteArray::fromBase64Encoding(text.toByteArray(), kUrlBase64 | QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded || decoded.decoded.toBase64(kUrlBase64) != text) return std::nullopt;
    return decoded.decoded;
}

bool isField(QByteArrayView field)
{
    return !field.isEmpty() && field.size() <= kFieldBytesMax &&
           std::ranges::all_of(field, [](char c) { return c > ' ' && c <= '~'; });
}

struct Parts {
    QByteArray signedText;
    QByteArray signature;
    Credential credential;
};

Result<Parts> parse(QByteArrayView text)
{
    if (text.size() > kCredentialBytesMax || !text.startsWith(kVersion)) return malformed();
    const QByteArrayView rest = text.sliced(kVersion.size());
    const qsizetype dot = rest.indexOf('.');
    if (dot <= 0) return malformed();
    const std::optional<QByteArray> fields = decodeBase64(rest.first(dot));
    const std::optional<QByteArray> signature = decodeBase64(rest.sliced(dot + 1));
    if (!fields || !signature || signature->size() != kSignatureBytes) return malformed();
    const QList<QByteArray> list = fields->split('|');
    if (list.size() != 4 || !std::ranges::all_of(list, isField)) return malformed();
    bool isNumber = false;
    const qint64 expires = list[3].toLongLong(&isNumber);
    if (!isNumber || expires <= 0) return malformed();
    return Parts{rest.first(dot).toByteArray(),
                 *signature,
                 {QString::fromLatin1(list[0]), QString::fromLatin1(list[1]), QString::fromLatin1(list[2]), expires}};
}

Result<void> checkTime(qint64 expires, qint64 nowUnix)
{
    using std::chrono::seconds;
    const qint64 skew = seconds(limits::kCredentialSkew).count();
    const qint64 lifetime = seconds(limits::kCredentialLifetime).count();
    if (expires > nowUnix - skew && expires <= nowUnix + lifetime + skew) return {};
    return refuse("CREDENTIAL_EXPIRED",
                  QStringLiteral("The edge's credential is not valid now: it ended, or it would last longer than an "
                                 "edge may sign for. Call again; if it stays, the clocks of host and box differ by "
                                 "more than two minutes."));
}

} // namespace

QByteArray signCredential(const Credential& credential, const KeyPair& key)
{
    const QByteArray fields = QStringLiteral("%1|%2|%3|%4")
                                  .arg(credential.keyId, credential.boxId, credential.wakeId)
                                  .arg(credential.expiresAtUnix)
                                  .toLatin1()
                                  .toBase64(kUrlBase64);
    return kVersion.toByteArray() + fields + '.' + key.sign(fields).toBase64(kUrlBase64);
}

Result<Credential> verifyCredential(QByteArrayView text, const Identity& identity, qint64 nowUnix)
{
    TRY_ASSIGN(Parts parts, parse(text));
    if (parts.credential.keyId != identity.keyId)
        return refuse("CREDENTIAL_KEY_UNKNOWN",
                      QStringLiteral("The edge's credential is signed with a key that this box does not know. The key "
                                     "changed since the box woke; hibernate and wake the box."));
    if (!identity.publicKey.verify(parts.signedText, parts.signature))
        return refuse("CREDENTIAL_TAMPERED",
                      QStringLiteral("The edge's credential does not bear the edge's signature: it was changed or "
                                     "made up. Call through the api."));
    if (parts.credential.boxId != identity.boxId)
        return refuse("CREDENTIAL_WRONG_BOX",
                      QStringLiteral("The edge's credential is for another box: the call was led to the wrong one. "
                                     "Call again; the api looks the box up anew."));
    if (parts.credential.wakeId != identity.wakeId)
        return refuse("CREDENTIAL_OLD_WAKE",
                      QStringLiteral("The edge's credential is from before the box last woke. Call again; the api "
                                     "signs a new one."));
    TRY_VOID(checkTime(parts.credential.expiresAtUnix, nowUnix));
    return std::move(parts.credential);
}

QByteArray encodeIdentity(const Identity& identity)
{
    QJsonObject object{{QStringLiteral("box_id"), identity.boxId},
                       {QStringLiteral("wake_id"), identity.wakeId},
                       {QStringLiteral("key_id"), identity.keyId},
                       {QStringLiteral("public_key"), QString::fromLatin1(identity.publicKey.raw().toBase64())}};
    if (!identity.model.isEmpty()) object.insert(QStringLiteral("model"), identity.model);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

Result<Identity> decodeIdentity(const QByteArray& json)
{
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    const auto text = [&](const char* key) { return object.value(QLatin1String(key)).toString(); };
    Result<PublicKey> key = PublicKey::fromRaw(QByteArray::fromBase64(text("public_key").toLatin1()));
    const bool complete =
        isField(text("box_id").toLatin1()) && isField(text("wake_id").toLatin1()) && isField(text("key_id").toLatin1());
    if (!complete || !key)
        return fail(ErrorCode::DataLoss,
                    QStringLiteral("The box's identity file lacks its box id, wake id, key id or public key. "
                                   "Hibernate and wake the box; the api writes the file anew."),
                    QStringLiteral("IDENTITY_DAMAGED"));
    return Identity{text("box_id"), text("wake_id"), text("key_id"), *std::move(key), text("model")};
}

} // namespace cocoonbox::crypto
