// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/gate.h"
#include "api/egress/policy.h"
#include "common/config/document.h"

#include <memory>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

// The table `[egress]` of cocoonbox-api's configuration and of cocoonbox-egress's.
namespace cocoonbox::api {

struct EgressRuleConfig {
    QString host;
    QStringList methods; // empty: any
    QList<int> ports;    // empty: any
};

// What boxes reach (egress/policy.h): nothing but the models until a rule allows it.
struct EgressConfig {
    bool socks5 = true;        // the SOCKS5 door, for what the rules allow
    QStringList internalAllow; // prefixes besides the public internet (egress/address_guard.h)
    QMap<QString, EgressRuleConfig> rules;
};

// Wrong rules and prefixes are refused with their place by the document's `finish`.
void readEgress(config::Section section, EgressConfig& egress);
egress::Policy policyOf(const EgressConfig& config);
// With its audit in `auditDir`; `clock` outlives it. PREFIX_INVALID, AUDIT_UNWRITABLE.
Result<std::shared_ptr<egress::Gate>> makeGate(const EgressConfig& config, const QString& auditDir, const Clock& clock);
// Other rules from the next connection on. PREFIX_INVALID.
Result<void> changeGate(egress::Gate& gate, const EgressConfig& config);

} // namespace cocoonbox::api
