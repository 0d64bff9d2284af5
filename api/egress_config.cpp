// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress_config.h"

namespace cocoonbox::api {

namespace {

egress::Rule ruleOf(const QString& name, const EgressRuleConfig& config)
{
    egress::Rule rule{name, config.host.toUtf8(), {}, config.ports};
    for (const QString& method : config.methods)
        rule.methods.append(method.toUtf8());
    return rule;
}

} // namespace

void readEgress(config::Section section, EgressConfig& egress)
{
    section.read("socks5", egress.socks5);
    section.read("internal-allow", egress.internalAllow);
    if (const auto guard = egress::AddressGuard::create(egress.internalAllow); !guard)
        section.refuse("internal-allow", QStringLiteral("has a bad entry. ") + guard.error().message);
    config::Section rules = section.section(QStringLiteral("rules"));
    for (const QString& name : rules.names()) {
        config::Section one = rules.section(name);
        EgressRuleConfig rule;
        one.read("host", rule.host);
        one.read("methods", rule.methods);
        one.read("ports", rule.ports, {1, 65535});
        if (const auto problem = egress::problemOf(ruleOf(name, rule))) one.refuse(problem->key, problem->why);
        egress.rules.insert(name, rule);
    }
}

egress::Policy policyOf(const EgressConfig& config)
{
    QList<egress::Rule> rules;
    for (const auto& [name, rule] : config.rules.asKeyValueRange())
        rules.append(ruleOf(name, rule));
    return egress::Policy(std::move(rules), config.socks5);
}

Result<std::shared_ptr<egress::Gate>> makeGate(const EgressConfig& config, const QString& auditDir, const Clock& clock)
{
    TRY_ASSIGN(auto guard, egress::AddressGuard::create(config.internalAllow));
    TRY_ASSIGN(auto audit, egress::Audit::open(auditDir, clock));
    return std::make_shared<egress::Gate>(policyOf(config), std::move(guard), std::move(audit));
}

Result<void> changeGate(egress::Gate& gate, const EgressConfig& config)
{
    TRY_ASSIGN(auto guard, egress::AddressGuard::create(config.internalAllow));
    gate.change(policyOf(config), std::move(guard));
    return {};
}

} // namespace cocoonbox::api
