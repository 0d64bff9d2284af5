// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/policy.h"

#include <algorithm>

using namespace Qt::StringLiterals;

namespace cocoonbox::api::egress {

namespace {

bool hostMatches(const QByteArray& pattern, const QByteArray& host)
{
    if (pattern == "*") return true;
    const QByteArray wanted = pattern.toLower();
    if (wanted.startsWith("*."))
        return host.endsWith(QByteArrayView(wanted).sliced(1)) && host.size() > wanted.size() - 1;
    return host == wanted;
}

bool isToken(QByteArrayView word)
{
    return !word.isEmpty() && std::ranges::all_of(word, [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

} // namespace

std::optional<RuleProblem> problemOf(const Rule& rule)
{
    if (rule.host.isEmpty() || rule.host == "*." || rule.host.size() > 255)
        return RuleProblem{"host", u"must be a host name, an address, *.suffix or *."_s};
    if (rule.host.indexOf('*', 1) >= 0 ||
        (rule.host.startsWith('*') && rule.host != "*" && !rule.host.startsWith("*.")))
        return RuleProblem{"host", u"may have one * only: alone, or in front of a dot."_s};
    if (std::ranges::any_of(rule.host, [](char c) { return c <= ' ' || c > '~' || c == '/' || c == '[' || c == ']'; }))
        return RuleProblem{"host", u"is a name or a bare address, without a scheme, a path or brackets."_s};
    if (!std::ranges::all_of(rule.methods, isToken)) return RuleProblem{"methods", u"are words such as GET."_s};
    for (qsizetype i = 0; i < rule.ports.size(); ++i) {
        if (rule.ports.at(i) < 1 || rule.ports.at(i) > 65535) return RuleProblem{"ports", u"are from 1 to 65535."_s};
        if (rule.ports.indexOf(rule.ports.at(i)) != i) return RuleProblem{"ports", u"names a port twice."_s};
    }
    return std::nullopt;
}

const Rule* Policy::find(const QByteArray& host, int port, QByteArrayView method) const
{
    const QByteArray name = host.toLower();
    const auto rule = std::ranges::find_if(m_rules, [&](const Rule& r) {
        const bool takesMethod = r.methods.isEmpty() || std::ranges::any_of(r.methods, [&](const QByteArray& m) {
                                     return m.compare(method, Qt::CaseInsensitive) == 0;
                                 });
        return takesMethod && (r.ports.isEmpty() || r.ports.contains(port)) && hostMatches(r.host, name);
    });
    return rule == m_rules.end() ? nullptr : &*rule;
}

} // namespace cocoonbox::api::egress
