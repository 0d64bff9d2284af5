// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/audit.h"
#include "api/egress/dialer.h"
#include "api/egress/policy.h"

namespace cocoonbox::api::egress {

// Who speaks, as the socket proves.
struct Speaker {
    QString boxId;
    QString userId;
};

struct Destination {
    QByteArray host;   // without brackets
    int port = 0;      // 0: it could not be told, and is denied
    QByteArray method; // of HTTP, "CONNECT" or "SOCKS5" (which rules see as CONNECT)
};

// Who goes where.
struct Passage {
    Dialled connection;
    AuditEntry entry;
    quint64 number = 0; // of the entry in the audit
};

// The one way out for every protocol: the policy decides, the dialler connects past the address guard, the audit has it
// before the box hears of it. Domain thread. Shared by the doors and what runs in them.
class Gate final {
public:
    // An empty policy denies everything.
    Gate(Policy policy, AddressGuard guard, std::unique_ptr<Audit> audit);

    // From the next connection on; what is open stays open.
    void change(Policy policy, AddressGuard guard);
    bool opensSocks() const { return m_policy.opensSocks(); }

    // PermissionDenied: EGRESS_DENIED (message "egress denied: HOST"). The errors of Dialer::dial.
    static Task<Passage> pass(std::shared_ptr<Gate> self, Speaker speaker, Destination destination,
                              std::stop_token stop);
    // The passage is over: bytes from the box, and back to it.
    void end(const Passage& passage, quint64 sent, quint64 received);

private:
    Policy m_policy;
    Dialer m_dialer;
    std::unique_ptr<Audit> m_audit;
};

} // namespace cocoonbox::api::egress
