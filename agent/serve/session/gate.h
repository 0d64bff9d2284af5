// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/clock.h"
#include "common/crypto/credential.h"

#include <optional>
#include <QString>

namespace cocoonbox::agent::serve::session {

// Lets in the calls that this box's edge signed since the last wake (seed 000 §12.1). The identity file is looked at on
// every call and read again when it was replaced: the process may have slept through a wake. Domain thread only.
class Gate final {
public:
    Gate(QString identityFile, const Clock& clock) : m_file(std::move(identityFile)), m_clock(clock) {}

    // Unauthenticated: CREDENTIAL_MISSING, IDENTITY_UNAVAILABLE, and those of crypto::verifyCredential.
    Result<crypto::Credential> check(const QByteArray& credential);
    // What the file says now. Unavailable: IDENTITY_UNAVAILABLE.
    Result<crypto::Identity> identity();

private:
    struct Stamp {
        quint64 inode = 0;
        qint64 size = 0;
        qint64 changedNs = 0;
        bool operator==(const Stamp&) const = default;
    };
    std::optional<Stamp> stamp() const;
    Result<crypto::Identity> read() const;

    static constexpr qint64 kFileBytesMax = 64 * 1024;

    QString m_file;
    const Clock& m_clock;
    std::optional<Stamp> m_stamp;
    std::optional<crypto::Identity> m_identity;
};

} // namespace cocoonbox::agent::serve::session
