// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/gate.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

constexpr qsizetype kHostCharsMax = 255;

// In characters that may be shown.
QByteArray shown(const QByteArray& host)
{
    QByteArray text = host.first(std::min(host.size(), kHostCharsMax));
    std::ranges::replace_if(text, [](char c) { return c <= ' ' || c > '~'; }, '?');
    return text;
}

} // namespace

Gate::Gate(Policy policy, AddressGuard guard, std::unique_ptr<Audit> audit)
    : m_policy(std::move(policy)), m_dialer(std::move(guard)), m_audit(std::move(audit))
{
}

void Gate::change(Policy policy, AddressGuard guard)
{
    m_policy = std::move(policy);
    m_dialer = Dialer(std::move(guard));
}

Task<Passage> Gate::pass(std::shared_ptr<Gate> self, Speaker speaker, Destination destination, std::stop_token stop)
{
    Passage passage;
    AuditEntry& entry = passage.entry;
    entry.boxId = speaker.boxId;
    entry.userId = speaker.userId;
    entry.host = shown(destination.host);
    entry.port = destination.port;
    entry.method = destination.method;
    const QByteArrayView asRule = destination.method == "SOCKS5" ? "CONNECT" : QByteArrayView(destination.method);
    const Rule* rule =
        destination.port == 0 ? nullptr : self->m_policy.find(destination.host, destination.port, asRule);
    if (!rule) {
        entry.reason = destination.port == 0 ? u"DESTINATION_MALFORMED"_s : u"NO_RULE"_s;
        self->m_audit->record(entry);
        co_return fail(ErrorCode::PermissionDenied, u"egress denied: %1"_s.arg(QString::fromLatin1(entry.host)),
                       u"EGRESS_DENIED"_s);
    }
    entry.isAllowed = true;
    entry.rule = rule->name;
    Result<Dialled> dialled = co_await self->m_dialer.dial(QString::fromLatin1(destination.host),
                                                           static_cast<quint16>(destination.port), stop);
    if (!dialled) {
        entry.isAllowed = dialled.error().code != ErrorCode::PermissionDenied;
        entry.reason = dialled.error().code == ErrorCode::Cancelled ? u"CLIENT_GONE"_s : dialled.error().reason;
        self->m_audit->record(entry);
        co_return std::unexpected(std::move(dialled).error());
    }
    passage.connection = *std::move(dialled);
    entry.address = passage.connection.address.toString();
    entry.nameTime = passage.connection.nameTime;
    entry.connectTime = passage.connection.connectTime;
    passage.number = self->m_audit->record(entry);
    co_return std::move(passage);
}

void Gate::end(const Passage& passage, quint64 sent, quint64 received)
{
    m_audit->recordEnd(passage.number, passage.entry, sent, received);
}

} // namespace cocoonbox::api::egress
