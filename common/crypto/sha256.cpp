// SPDX-License-Identifier: AGPL-3.0-only
#include "common/crypto/sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace cocoonbox::crypto {

QByteArray sha256(QByteArrayView bytes)
{
    QByteArray digest(SHA256_DIGEST_LENGTH, Qt::Uninitialized);
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<size_t>(bytes.size()),
           reinterpret_cast<unsigned char*>(digest.data()));
    return digest;
}

bool equalInConstantTime(QByteArrayView a, QByteArrayView b)
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), static_cast<size_t>(a.size())) == 0;
}

} // namespace cocoonbox::crypto
