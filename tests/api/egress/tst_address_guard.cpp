// SPDX-License-Identifier: AGPL-3.0-only
// Which addresses a box may be let to: the public internet in every form, what is opened, and nothing else.
#include "api/egress/address_guard.h"

#include <QRandomGenerator>
#include <QTest>

using namespace cocoonbox;
using api::egress::AddressGuard;
using api::egress::isPublicAddress;

class TestAddressGuard : public QObject {
    Q_OBJECT
private slots:
    void knowsThePublicInternet_data();
    void knowsThePublicInternet();
    void blocksEveryFormOfABlockedAddress();
    void opensOnlyNamedPrefixesAndPorts();
    void readsEntries_data();
    void readsEntries();
};

void TestAddressGuard::knowsThePublicInternet_data()
{
    QTest::addColumn<bool>("isPublic");
    const char* const kPublic[] = {"1.1.1.1",      "8.8.8.8",          "93.184.216.34",  "172.15.255.255",
                                   "172.32.0.1",   "100.63.255.255",   "100.128.0.1",    "2606:4700::1",
                                   "2a00:1450::5", "64:ff9b::808:808", "::ffff:8.8.8.8", "2400:cb00::1"};
    const char* const kBlocked[] = {"0.0.0.0",
                                    "0.1.2.3",
                                    "10.0.0.1",
                                    "10.255.255.255",
                                    "100.64.0.1",
                                    "100.127.255.255",
                                    "127.0.0.1",
                                    "127.255.255.254",
                                    "169.254.169.254",
                                    "172.16.0.1",
                                    "172.31.255.255",
                                    "192.0.0.8",
                                    "192.0.2.1",
                                    "192.88.99.2",
                                    "192.168.1.1",
                                    "198.18.0.1",
                                    "198.19.255.255",
                                    "198.51.100.7",
                                    "203.0.113.9",
                                    "224.0.0.1",
                                    "239.255.255.255",
                                    "240.0.0.1",
                                    "255.255.255.255",
                                    "::",
                                    "::1",
                                    "::7f00:1",
                                    "::ffff:127.0.0.1",
                                    "::ffff:10.0.0.1",
                                    "64:ff9b::7f00:1",
                                    "64:ff9b::a9fe:a9fe",
                                    "64:ff9b:1::1",
                                    "100::1",
                                    "100:0:0:1::1",
                                    "2001::1",
                                    "2001:0:4136:e378::1",
                                    "2001:db8::1",
                                    "2002:7f00:1::1",
                                    "2002:a00:1::",
                                    "3fff::1",
                                    "5f00::1",
                                    "fc00::1",
                                    "fd12:3456::1",
                                    "fe80::1",
                                    "fec0::1",
                                    "ff02::1"};
    for (const char* address : kPublic)
        QTest::newRow(address) << true;
    for (const char* address : kBlocked)
        QTest::newRow(address) << false;
}

void TestAddressGuard::knowsThePublicInternet()
{
    QFETCH(bool, isPublic);
    const QHostAddress address(QString::fromLatin1(QTest::currentDataTag()));
    QVERIFY(!address.isNull());
    QCOMPARE(isPublicAddress(address), isPublic);
}

void TestAddressGuard::blocksEveryFormOfABlockedAddress()
{
    QRandomGenerator chance(7);
    for (int i = 0; i < 20'000; ++i) {
        const QHostAddress four(chance.generate());
        const QString text = four.toString();
        const bool isPublic = isPublicAddress(four);
        const QHostAddress mapped("::ffff:" + text);
        QVERIFY2(isPublicAddress(mapped) == isPublic, qPrintable(mapped.toString()));
        const QHostAddress nat64("64:ff9b::" + text);
        QVERIFY2(isPublicAddress(nat64) == isPublic, qPrintable(nat64.toString()));
        for (const QString& form : {"::" + text, "2002:" + QString::number(four.toIPv4Address() >> 16, 16) + ":1::"})
            QVERIFY2(!isPublicAddress(QHostAddress(form)), qPrintable(form));
    }
}

void TestAddressGuard::opensOnlyNamedPrefixesAndPorts()
{
    const auto guard = AddressGuard::create({"10.8.0.0/24:443,8443", "fdc8::1/128", "127.0.0.1/32:8080"});
    QVERIFY(guard);
    QVERIFY(guard->admits(QHostAddress("10.8.0.9"), 8443));
    QVERIFY(!guard->admits(QHostAddress("10.8.0.9"), 80));
    QVERIFY(!guard->admits(QHostAddress("10.8.1.9"), 443));
    QVERIFY(guard->admits(QHostAddress("fdc8::1"), 1));
    QVERIFY(!guard->admits(QHostAddress("fdc8::2"), 1));
    QVERIFY(guard->admits(QHostAddress("64:ff9b::7f00:1"), 8080)); // the same destination in other clothes
    QVERIFY(guard->admits(QHostAddress("::ffff:127.0.0.1"), 8080));
    QVERIFY(!guard->admits(QHostAddress("::1"), 8080));
    QVERIFY(guard->admits(QHostAddress("8.8.8.8"), 53));
    QVERIFY(!AddressGuard().admits(QHostAddress("127.0.0.1"), 8080));
    QVERIFY(AddressGuard::create({"0.0.0.0/0", "::/0"})->admits(QHostAddress("192.168.1.1"), 22));
}

void TestAddressGuard::readsEntries_data()
{
    QTest::addColumn<bool>("isGood");
    for (const char* good : {"10.8.0.1/32", "10.8.0.1/32:18090", "10.0.0.0/8:1,65535", "fdc8::1/128:443", "0.0.0.0/0"})
        QTest::newRow(good) << true;
    for (const char* bad : {"", "10.8.0.1", "10.8.0.1/33", "10.8.0.1/-1", "10.8/16", "127.1/32", "10.8.0.1/32:",
                            "10.8.0.1/32:0", "10.8.0.1/32:65536", "10.8.0.1/32:80,80", "10.8.0.1/32:80,",
                            "10.8.0.1/32:+80", "fdc8::1/129", "host.example/32", "010.8.0.1/32", "10.8.0.1/ 32"})
        QTest::newRow(bad) << false;
}

void TestAddressGuard::readsEntries()
{
    QFETCH(bool, isGood);
    const auto guard = AddressGuard::create({QString::fromLatin1(QTest::currentDataTag())});
    QCOMPARE(guard.has_value(), isGood);
    if (!guard) QCOMPARE(guard.error().reason, QStringLiteral("PREFIX_INVALID"));
}

QTEST_APPLESS_MAIN(TestAddressGuard)
#include "tst_address_guard.moc"
