// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/session/gate.h"

#include <QFile>
#include <sys/stat.h>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::session {

std::optional<Gate::Stamp> Gate::stamp() const
{
    struct stat now{};
    if (::stat(QFile::encodeName(m_file).constData(), &now) != 0) return std::nullopt;
    return Stamp{now.st_ino, now.st_size, now.st_mtim.tv_sec * 1'000'000'000LL + now.st_mtim.tv_nsec};
}

Result<crypto::Identity> Gate::read() const
{
    QFile file(m_file);
    if (!file.open(QIODevice::ReadOnly))
        return fail(
            ErrorCode::Unavailable,
            u"The box does not know who it is yet: its identity file is missing. The host writes it at each start "
            "and wake; try again in a moment."_s,
            u"IDENTITY_UNAVAILABLE"_s);
    Result<crypto::Identity> identity = crypto::decodeIdentity(file.read(kFileBytesMax));
    if (!identity)
        return fail(
            ErrorCode::Unavailable,
            u"The box does not know who it is: %1 Wake the box again so that the host writes its identity anew."_s.arg(
                identity.error().message),
            u"IDENTITY_UNAVAILABLE"_s);
    return identity;
}

Result<crypto::Identity> Gate::identity()
{
    const std::optional<Stamp> now = stamp();
    if (m_identity && now && now == m_stamp) return *m_identity;
    m_identity.reset();
    TRY_ASSIGN(m_identity, read());
    m_stamp = now;
    return *m_identity;
}

Result<crypto::Credential> Gate::check(const QByteArray& credential)
{
    if (credential.isEmpty())
        return fail(ErrorCode::Unauthenticated,
                    u"The call carries no credential of the edge. A box is reached through its edge only."_s,
                    u"CREDENTIAL_MISSING"_s);
    auto known = identity();
    if (!known) return fail(ErrorCode::Unauthenticated, known.error().message, known.error().reason);
    return crypto::verifyCredential(credential, *known, m_clock.nowMs() / 1000);
}

} // namespace cocoonbox::agent::serve::session
