// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <optional>
#include <QByteArray>
#include <QList>
#include <QString>

// What a box may reach: a list of what is allowed, in order; everything else is denied (seed 002, Configuration).
namespace cocoonbox::api::egress {

struct Rule {
    QString name;    // for the audit
    QByteArray host; // "api.example.com", "*.example.com" (not example.com itself), "*", or an address as text
    QList<QByteArray> methods; // "GET", "CONNECT"; empty: any. A SOCKS tunnel counts as CONNECT
    QList<int> ports;          // empty: any
};

// What is wrong with a rule, as the end of a sentence about its key; nothing when it may stand.
struct RuleProblem {
    const char* key;
    QString why;
};
std::optional<RuleProblem> problemOf(const Rule& rule);

// A value; copies share. Rules that problemOf refuses must not get in.
class Policy final {
public:
    Policy() = default; // denies everything
    Policy(QList<Rule> rules, bool opensSocks) : m_rules(std::move(rules)), m_opensSocks(opensSocks) {}

    // The first rule that allows it; null: denied. `host` without brackets, in any case.
    const Rule* find(const QByteArray& host, int port, QByteArrayView method) const;
    // Without it the SOCKS door refuses everything.
    bool opensSocks() const { return m_opensSocks; }

private:
    QList<Rule> m_rules;
    bool m_opensSocks = false;
};

} // namespace cocoonbox::api::egress
