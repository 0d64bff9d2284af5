// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// How the edge proves itself to a box's agent without a secret in the box (seed 000 §12.1).
//
// Header text: v1.<b64url(key_id|box_id|wake_id|exp_unix)>.<b64url(signature)>, base64url without padding; the
// signature is over the first part as it stands in the text. The wake id is random at each boot and wake, so a
// credential from before a wake is dead whatever the clock says; `exp` bounds its replay within one wake.

#include "common/crypto/ed25519.h"

namespace cocoonbox::crypto {

inline constexpr char kCredentialHeader[] = "x-cocoonbox-credential";
inline constexpr qsizetype kCredentialBytesMax = 1024;

struct Credential {
    QString keyId;
    QString boxId;
    QString wakeId;
    qint64 expiresAtUnix = 0; // seconds
};

// What a box knows of itself and of its edge: the file /run/cocoonbox-identity/identity, which the api writes at each
// boot and wake. It holds no secret.
struct Identity {
    QString boxId;
    QString wakeId;
    QString keyId;
    PublicKey publicKey;
    QString model = {}; // what the box's agents ask for; empty: not said
};

// A field must be 1 to 128 bytes of printable ASCII without '|'; ours are ids and hex.
QByteArray signCredential(const Credential& credential, const KeyPair& key);

// Unauthenticated in every failure, with one of the reasons: CREDENTIAL_MALFORMED, CREDENTIAL_KEY_UNKNOWN,
// CREDENTIAL_TAMPERED, CREDENTIAL_WRONG_BOX, CREDENTIAL_OLD_WAKE, CREDENTIAL_EXPIRED (also when it ends further ahead
// than any edge would sign). The checks run in this order: box and wake are believed only after the signature.
Result<Credential> verifyCredential(QByteArrayView text, const Identity& identity, qint64 nowUnix);

// JSON {"box_id","wake_id","key_id","public_key"(base64 of the raw key)} and, where it is said, "model".
// DataLoss: IDENTITY_DAMAGED.
QByteArray encodeIdentity(const Identity& identity);
Result<Identity> decodeIdentity(const QByteArray& json);

} // namespace cocoonbox::crypto
