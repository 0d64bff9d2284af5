// SPDX-License-Identifier: AGPL-3.0-only
// What the rules allow, and which rules are refused.
#include "api/egress/policy.h"

#include <QTest>

using namespace cocoonbox::api::egress;

class TestPolicy : public QObject {
    Q_OBJECT
private slots:
    void findsTheFirstRuleThatAllows_data();
    void findsTheFirstRuleThatAllows();
    void deniesWithoutRules() { QVERIFY(!Policy().find("example.com", 443, "CONNECT")); }
    void refusesWrongRules_data();
    void refusesWrongRules();
};

void TestPolicy::findsTheFirstRuleThatAllows_data()
{
    QTest::addColumn<QByteArray>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QString>("rule");
    const auto row = [](const char* name, const char* host, int port, const char* method, const char* rule) {
        QTest::newRow(name) << QByteArray(host) << port << QByteArray(method) << QString::fromLatin1(rule);
    };
    row("exact", "api.example.com", 443, "CONNECT", "exact");
    row("in another case", "API.Example.COM", 443, "CONNECT", "exact");
    row("another port", "api.example.com", 8443, "CONNECT", "wild");
    row("a child", "a.example.com", 443, "POST", "wild");
    row("a grandchild", "a.b.example.com", 1, "POST", "wild");
    row("the apex is no child", "example.com", 443, "POST", "");
    row("a name that ends so", "badexample.com", 443, "POST", "");
    row("anything by GET", "elsewhere.org", 80, "get", "any");
    row("nothing by POST", "elsewhere.org", 80, "POST", "");
    row("an address", "2606:4700::1", 443, "CONNECT", "address");
    row("a trailing dot is another name", "api.example.com.", 443, "POST", "");
}

void TestPolicy::findsTheFirstRuleThatAllows()
{
    QFETCH(QByteArray, host);
    QFETCH(int, port);
    QFETCH(QByteArray, method);
    QFETCH(QString, rule);
    const Policy policy({{"exact", "Api.Example.com", {}, {443, 80}},
                         {"wild", "*.example.com", {}, {}},
                         {"any", "*", {"GET"}, {}},
                         {"address", "2606:4700::1", {"CONNECT"}, {}}},
                        true);
    const Rule* found = policy.find(host, port, method);
    QCOMPARE(found ? found->name : QString(), rule);
}

void TestPolicy::refusesWrongRules_data()
{
    QTest::addColumn<Rule>("rule");
    QTest::addColumn<QByteArray>("key");
    const auto row = [](const char* name, const Rule& rule, const char* key) {
        QTest::newRow(name) << rule << QByteArray(key);
    };
    row("good", {"r", "*.example.com", {"GET", "PROPFIND"}, {80, 443}}, "");
    row("everything", {"r", "*", {}, {}}, "");
    row("no host", {"r", "", {}, {}}, "host");
    row("only a suffix's star", {"r", "*.", {}, {}}, "host");
    row("a star inside", {"r", "a.*.com", {}, {}}, "host");
    row("a star without a dot", {"r", "*example.com", {}, {}}, "host");
    row("a URL", {"r", "https://example.com", {}, {}}, "host");
    row("brackets", {"r", "[::1]", {}, {}}, "host");
    row("a blank", {"r", "a b", {}, {}}, "host");
    row("no method", {"r", "a", {""}, {}}, "methods");
    row("two methods in one", {"r", "a", {"GET,POST"}, {}}, "methods");
    row("port 0", {"r", "a", {}, {0}}, "ports");
    row("a port twice", {"r", "a", {}, {80, 80}}, "ports");
}

void TestPolicy::refusesWrongRules()
{
    QFETCH(Rule, rule);
    QFETCH(QByteArray, key);
    const auto problem = problemOf(rule);
    QCOMPARE(problem ? QByteArray(problem->key) : QByteArray(), key);
}

QTEST_APPLESS_MAIN(TestPolicy)
#include "tst_policy.moc"
