// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_directory.h"
#include "common/base/clock.h"
#include "common/crypto/credential.h"

#include <string>
#include <unordered_map>

namespace cocoonbox::api::edge {

// The edge's credential for each box and wake, signed anew at half of its life. One entry a box, at most kBoxesMax;
// edge thread only.
class CredentialCache {
public:
    CredentialCache(crypto::KeyPair key, const Clock& clock);
    const std::string& credentialFor(const boxes::Route& route);

private:
    struct Entry {
        std::string wakeId;
        std::string text;
        qint64 renewAtMs = 0;
    };

    crypto::KeyPair m_key;
    QString m_keyId;
    const Clock& m_clock;
    std::unordered_map<std::string, Entry> m_entries;
};

} // namespace cocoonbox::api::edge
