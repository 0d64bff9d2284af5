// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// ed25519 keys (OpenSSL). All types here are immutable after creation and safe to use from any thread.

#include "common/base/result.h"

#include <memory>
#include <QByteArray>

struct evp_pkey_st;

namespace cocoonbox::crypto {

inline constexpr qsizetype kPublicKeyBytes = 32;
inline constexpr qsizetype kSignatureBytes = 64;

class PublicKey {
public:
    // InvalidArgument: KEY_MALFORMED unless `raw` is the 32 bytes of a public key.
    static Result<PublicKey> fromRaw(QByteArrayView raw);

    const QByteArray& raw() const { return m_raw; }
    // Names the key: the first 16 hex digits of the SHA-256 of its raw bytes.
    QString keyId() const;
    bool verify(QByteArrayView message, QByteArrayView signature) const;

private:
    PublicKey(std::shared_ptr<evp_pkey_st> key, QByteArray raw);

    std::shared_ptr<evp_pkey_st> m_key;
    QByteArray m_raw;
};

class KeyPair {
public:
    static Result<KeyPair> generate();
    // Reads the PEM file at `path`; makes it first (mode 0600, whole or not at all) when there is none. Two processes
    // that start together get the same key. FailedPrecondition: KEY_FILE_EXPOSED when others may read or write the
    // file, or it is not this user's; DataLoss: KEY_FILE_DAMAGED; Internal: KEY_FILE_UNWRITABLE.
    static Result<KeyPair> loadOrCreate(const QString& path);

    const PublicKey& publicKey() const { return m_public; }
    QByteArray sign(QByteArrayView message) const; // 64 bytes

private:
    KeyPair(std::shared_ptr<evp_pkey_st> key, PublicKey publicKey);
    static Result<KeyPair> fromKey(std::shared_ptr<evp_pkey_st> key);
    static Result<KeyPair> load(const QString& path);
    Result<void> store(const QString& path) const;

    std::shared_ptr<evp_pkey_st> m_key;
    PublicKey m_public;
};

} // namespace cocoonbox::crypto
