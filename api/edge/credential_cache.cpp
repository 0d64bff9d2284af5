// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/credential_cache.h"

#include "common/base/limits.h"

namespace cocoonbox::api::edge {

namespace {

constexpr size_t kBoxesMax = 4096;
constexpr std::chrono::milliseconds kLifetime = limits::kCredentialLifetime;

} // namespace

CredentialCache::CredentialCache(crypto::KeyPair key, const Clock& clock)
    : m_key(std::move(key)), m_keyId(m_key.publicKey().keyId()), m_clock(clock)
{
}

const std::string& CredentialCache::credentialFor(const boxes::Route& route)
{
    const qint64 now = m_clock.nowMs();
    const std::string boxId = route.boxId.toStdString();
    if (!m_entries.contains(boxId) && m_entries.size() >= kBoxesMax) m_entries.clear(); // signing again is cheap
    Entry& entry = m_entries[boxId];
    const std::string wakeId = route.wakeId.toStdString();
    // A clock that was set back makes an entry look newer than it is; it must not outlive its own end.
    const bool isFresh = now < entry.renewAtMs && now >= entry.renewAtMs - kLifetime.count() / 2;
    if (entry.wakeId != wakeId || !isFresh) {
        const crypto::Credential credential{m_keyId, route.boxId, route.wakeId, (now + kLifetime.count()) / 1000};
        entry = {wakeId, crypto::signCredential(credential, m_key).toStdString(), now + kLifetime.count() / 2};
    }
    return entry.text;
}

} // namespace cocoonbox::api::edge
