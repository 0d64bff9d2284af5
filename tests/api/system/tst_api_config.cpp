// SPDX-License-Identifier: AGPL-3.0-only
#include "api/api_config.h"

#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::api;

class TestApiConfig : public QObject {
    Q_OBJECT
private slots:
    void everyKeyIsRead()
    {
        const auto config = load("data-dir = '/d'\n"
                                 "[edge]\nlisten = '0.0.0.0:7'\ncertificate-file = '/c'\nkey-file = '/k'\n"
                                 "[machines]\nbackend = 'memory'\nimage = 'i'\npodman-root = '/r'\npodman-runroot = "
                                 "'/rr'\nruntime = 'runc'\n"
                                 "[models]\nbase-url = 'http://m'\napi-key-file = '/mk'\ndefault-model = 'm1'\n"
                                 "[egress]\nsocks5 = false\ninternal-allow = ['10.8.0.1/32:443']\n"
                                 "[egress.rules.web]\nhost = '*.example.org'\nmethods = ['GET']\nports = [80, 443]\n"
                                 "[boxes]\nkeep-running = true\ndefault-flavor = 'big'\n"
                                 "[flavors.big]\ncpus = 8\nmemory-mib = 16384\npids = 4096\n");
        QVERIFY2(config, qPrintable(config ? QString() : config.error().message));
        QCOMPARE(config->dataDir, QStringLiteral("/d"));
        QCOMPARE(config->databaseUrl, QStringLiteral("sqlite:/d/api.db"));
        QCOMPARE(config->edge.listen, QStringLiteral("0.0.0.0:7"));
        QCOMPARE(config->edge.keyFile, QStringLiteral("/k"));
        QCOMPARE(config->machines.backend, QStringLiteral("memory"));
        QCOMPARE(config->machines.podmanRunroot, QStringLiteral("/rr"));
        QCOMPARE(config->machines.runtime, QStringLiteral("runc"));
        QCOMPARE(config->models.baseUrl, QStringLiteral("http://m"));
        QCOMPARE(config->models.defaultModel, QStringLiteral("m1"));
        QVERIFY(!config->egress.socks5);
        QCOMPARE(config->egress.internalAllow, QStringList{QStringLiteral("10.8.0.1/32:443")});
        QVERIFY(policyOf(config->egress).find("a.example.org", 443, "get"));
        QVERIFY(!policyOf(config->egress).find("a.example.org", 444, "get"));
        QVERIFY(!policyOf(config->egress).find("a.example.org", 443, "POST"));
        QVERIFY(config->boxes.keepRunning);
        QCOMPARE(config->boxes.flavors[QStringLiteral("big")].memoryMib, 16384);
        QCOMPARE(config->boxes.flavors[QStringLiteral("small")].cpus, 2);
    }

    void anEmptyFileIsTheEmbeddedDefault()
    {
        const auto config = load("");
        QVERIFY(config);
        QCOMPARE(config->edge.listen, QStringLiteral("127.0.0.1:7400"));
        QCOMPARE(config->machines.backend, QStringLiteral("podman"));
        QCOMPARE(config->boxes.defaultFlavor, QStringLiteral("small"));
        QCOMPARE(config->boxes.flavors[QStringLiteral("small")].memoryMib, 4096);
        QVERIFY(config->dataDir.endsWith(u"/cocoonbox/api"));
        QVERIFY(!config->boxes.keepRunning);
        QVERIFY(!policyOf(config->egress).find("example.org", 443, "CONNECT"));
    }

    void theEnvironmentWins()
    {
        const auto config =
            load("[edge]\nlisten = '127.0.0.1:1'\n", {QStringLiteral("COCOONBOX_API__EDGE__LISTEN=127.0.0.1:2")});
        QCOMPARE(config->edge.listen, QStringLiteral("127.0.0.1:2"));
    }

    void whatCannotBeIsRefused_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::addColumn<QString>("part");
        QTest::newRow("unknown") << QByteArray("[edge]\nport = 1\n") << QStringLiteral("api.toml:2: \"edge.port\"");
        QTest::newRow("half a certificate") << QByteArray("[edge]\ncertificate-file = '/c'\n")
                                            << QStringLiteral("api.toml:2: \"edge.certificate-file\"");
        QTest::newRow("backend") << QByteArray("[machines]\nbackend = 'docker'\n")
                                 << QStringLiteral("one of: podman, memory");
        QTest::newRow("relative") << QByteArray("data-dir = 'd'\n") << QStringLiteral("absolute");
        QTest::newRow("flavor") << QByteArray("[boxes]\ndefault-flavor = 'x'\n")
                                << QStringLiteral("api.toml:2: \"boxes.default-flavor\" is none");
        QTest::newRow("a rule for no host") << QByteArray("[egress.rules.r]\nports = [80]\n")
                                            << QStringLiteral("\"egress.rules.r.host\" must be a host name");
        QTest::newRow("a star inside") << QByteArray("[egress.rules.r]\nhost = 'a.*.b'\n")
                                       << QStringLiteral("api.toml:2: \"egress.rules.r.host\"");
        QTest::newRow("port 0") << QByteArray("[egress.rules.r]\nhost = '*'\nports = [0]\n")
                                << QStringLiteral("api.toml:3: \"egress.rules.r.ports\"");
        QTest::newRow("no prefix") << QByteArray("[egress]\ninternal-allow = ['10.8.0.1']\n")
                                   << QStringLiteral("api.toml:2: \"egress.internal-allow\"");
        QTest::newRow("too small") << QByteArray("[flavors.small]\nmemory-mib = 1\n") << QStringLiteral("api.toml:2:");
    }
    void whatCannotBeIsRefused()
    {
        QFETCH(QByteArray, toml);
        QFETCH(QString, part);
        const auto config = load(toml);
        QVERIFY(!config);
        QVERIFY2(config.error().message.contains(part), qPrintable(config.error().message));
    }

    void whatIsPrintedReadsBackTheSame()
    {
        const auto config = load("[flavors.big]\ncpus = 8\n");
        const auto again = load(config->effective);
        QVERIFY2(again, qPrintable(again ? QString() : again.error().message));
        QCOMPARE(again->effective, config->effective);
        QVERIFY(config->effective.contains("[flavors.big]\ncpus = 8\n"));
    }

private:
    Result<ApiConfig> load(const QByteArray& toml, const QStringList& environment = {})
    {
        const QString name = m_dir.filePath(QStringLiteral("api.toml"));
        QFile file(name);
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) qFatal("cannot write");
        file.write(toml);
        file.close();
        return ApiConfig::load(name, environment);
    }
    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestApiConfig)
#include "tst_api_config.moc"
