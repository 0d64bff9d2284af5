// SPDX-License-Identifier: AGPL-3.0-only
#include "common/config/document.h"
#include "common/config/paths.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <sys/stat.h>

using namespace cocoonbox;
using namespace cocoonbox::config;

namespace {

struct Settings {
    QString listen = QStringLiteral("127.0.0.1:1");
    bool keep = false;
    int cpus = 1;
    QStringList hosts;
    QList<int> ports;
    QString word = QStringLiteral("small");
    QStringList flavors;
};

Result<Settings> read(Document document)
{
    Settings settings;
    Section edge = document.section(QStringLiteral("edge"));
    edge.read("listen", settings.listen);
    edge.read("keep-running", settings.keep);
    edge.read("cpus", settings.cpus, {1, 64});
    edge.read("hosts", settings.hosts);
    edge.read("ports", settings.ports, {1, 65535});
    edge.readWord("size", settings.word, {QStringLiteral("small"), QStringLiteral("large")});
    Section flavors = document.section(QStringLiteral("flavors"));
    settings.flavors = flavors.names();
    for (const QString& name : std::as_const(settings.flavors)) {
        int cpus = 0;
        flavors.section(name).read("cpus", cpus);
    }
    TRY_VOID(document.finish());
    return settings;
}

Result<Settings> readText(const QByteArray& toml, const QStringList& environment = {})
{
    TRY_ASSIGN(Document document, Document::parse(toml, QStringLiteral("api.toml")));
    document.applyEnvironment(QStringLiteral("COCOONBOX_TEST"), environment);
    return read(std::move(document));
}

} // namespace

class TestConfig : public QObject {
    Q_OBJECT
private slots:
    void laterSourcesWin()
    {
        QCOMPARE(readText("").value().listen, QStringLiteral("127.0.0.1:1"));
        const QByteArray file =
            "[edge]\nlisten = \"a\"\nkeep-running = true\nhosts = [\"x\", \"y\"]\nports = [80, 443]\n"
            "cpus = 8\n";
        const Settings fromFile = readText(file).value();
        QCOMPARE(fromFile.listen, QStringLiteral("a"));
        QVERIFY(fromFile.keep);
        QCOMPARE(fromFile.hosts, (QStringList{QStringLiteral("x"), QStringLiteral("y")}));
        QCOMPARE(fromFile.ports, (QList<int>{80, 443}));

        const Settings fromEnvironment =
            readText(file, {QStringLiteral("COCOONBOX_TEST__EDGE__LISTEN=b=c"),
                            QStringLiteral("COCOONBOX_TEST__EDGE__KEEP_RUNNING=false"),
                            QStringLiteral("COCOONBOX_TEST__EDGE__CPUS=16"),
                            QStringLiteral("COCOONBOX_TEST__EDGE__PORTS=1,65535"), QStringLiteral("PATH=/bin")})
                .value();
        QCOMPARE(fromEnvironment.listen, QStringLiteral("b=c"));
        QVERIFY(!fromEnvironment.keep);
        QCOMPARE(fromEnvironment.cpus, 16);
        QCOMPARE(fromEnvironment.ports, (QList<int>{1, 65535}));

        Document document = Document::parse(file, QStringLiteral("f")).value();
        document.applyEnvironment(QStringLiteral("COCOONBOX_TEST"), {QStringLiteral("COCOONBOX_TEST__EDGE__LISTEN=b")});
        document.set(QStringLiteral("edge.listen"), QStringLiteral("c"), QStringLiteral("--listen"));
        QCOMPARE(read(std::move(document)).value().listen, QStringLiteral("c"));
    }

    void whatIsWrongIsRefusedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("toml");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const QByteArray& toml, const QString& message) {
            QTest::newRow(name) << toml << message;
        };
        row("syntax", "[edge]\nlisten = \n", QStringLiteral("api.toml:2:"));
        row("unknown key", "[edge]\n\nlisen = \"a\"\n", QStringLiteral("api.toml:3: \"edge.lisen\" is no key"));
        row("unknown table", "[ege]\n", QStringLiteral("api.toml:1: \"ege\""));
        row("unknown root key", "x = 1\n", QStringLiteral("api.toml:1: \"x\""));
        row("number for text", "[edge]\nlisten = 7\n", QStringLiteral("api.toml:2: \"edge.listen\" must be a string"));
        row("text for bool", "[edge]\nkeep-running = \"yes\"\n",
            QStringLiteral("api.toml:2: \"edge.keep-running\" must be true"));
        row("fraction", "[edge]\ncpus = 1.5\n", QStringLiteral("api.toml:2: \"edge.cpus\" must be a whole"));
        row("out of bounds", "[edge]\ncpus = 65\n", QStringLiteral("api.toml:2: \"edge.cpus\" must be from 1 to 64"));
        row("no such word", "[edge]\nsize = \"huge\"\n",
            QStringLiteral("api.toml:2: \"edge.size\" must be one of: small, large"));
        row("text for table", "edge = \"a\"\n", QStringLiteral("api.toml:1: \"edge\" must be a table"));
        row("mixed list", "[edge]\nhosts = [\"a\", 1]\n", QStringLiteral("api.toml:2: \"edge.hosts\" must be a list"));
        row("a number of a list out of bounds", "[edge]\nports = [80, 0]\n",
            QStringLiteral("api.toml:2: \"edge.ports\" must be a list of whole numbers from 1 to 65535"));
        row("a text among numbers", "[edge]\nports = [80, \"443\"]\n", QStringLiteral("api.toml:2: \"edge.ports\""));
        row("text for numbers", "[edge]\nports = [\"443\"]\n", QStringLiteral("api.toml:2: \"edge.ports\""));
        row("dot in a name", "\"edge.listen\" = \"a\"\n", QStringLiteral("api.toml:1: \"edge.listen\" has a dot"));
        row("the first is told", "[edge]\ncpus = 99\nlisten = 1\n", QStringLiteral("api.toml:2:"));
    }
    void whatIsWrongIsRefusedWithItsPlace()
    {
        QFETCH(QByteArray, toml);
        QFETCH(QString, message);
        const Result<Settings> settings = readText(toml);
        QVERIFY(!settings);
        QCOMPARE(settings.error().code, ErrorCode::InvalidArgument);
        QVERIFY2(settings.error().message.startsWith(message), qPrintable(settings.error().message));
    }

    void aMistypedVariableIsRefusedByItsName()
    {
        const Result<Settings> settings = readText("", {QStringLiteral("COCOONBOX_TEST__EDGE__LISEN=a")});
        QVERIFY(settings.error().message.startsWith(u"COCOONBOX_TEST__EDGE__LISEN:"));
    }

    void tablesWithNamesOfTheirOwnAreListed()
    {
        const Settings settings = readText("[flavors.small]\ncpus = 1\n[flavors.large]\ncpus = 8\n",
                                           {QStringLiteral("COCOONBOX_TEST__FLAVORS__HUGE__CPUS=32")})
                                      .value();
        QCOMPARE(settings.flavors,
                 (QStringList{QStringLiteral("huge"), QStringLiteral("large"), QStringLiteral("small")}));
    }

    void whatIsInForceReadsBackTheSame()
    {
        Document document =
            Document::parse("[edge]\nlisten = \"a\\\"b\\\\c\"\nhosts = [\"x\"]\n", QStringLiteral("f")).value();
        Settings settings;
        Section edge = document.section(QStringLiteral("edge"));
        edge.read("listen", settings.listen);
        edge.read("hosts", settings.hosts);
        edge.read("cpus", settings.cpus);
        const QByteArray text = document.effective();
        QCOMPARE(text, QByteArray("\n[edge]\nlisten = \"a\\\"b\\\\c\"\nhosts = [\"x\"]\ncpus = 1\n"));
        QCOMPARE(readText(text).value().listen, QStringLiteral("a\"b\\c"));
    }

    void aFileThatIsNotThereIsSaid()
    {
        QCOMPARE(Document::load(QStringLiteral("/nonexistent/x.toml")).error().reason,
                 QStringLiteral("CONFIG_UNREADABLE"));
    }

    void aPrivateFolderIsMadeAndAnOpenOneRefused()
    {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("a/b"));
        QVERIFY(ensurePrivateDir(path));
        QVERIFY(ensurePrivateDir(path));
        struct stat status{};
        QCOMPARE(::stat(qPrintable(path), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0700u);
        QCOMPARE(::chmod(qPrintable(path), 0777), 0);
        QCOMPARE(ensurePrivateDir(path).error().reason, QStringLiteral("DIRECTORY_UNSAFE"));
        const QString link = dir.filePath(QStringLiteral("link"));
        QVERIFY(QFile::link(dir.path(), link));
        QCOMPARE(ensurePrivateDir(link).error().reason, QStringLiteral("DIRECTORY_UNSAFE"));
    }

    void pathsFollowXdg()
    {
        qputenv("XDG_RUNTIME_DIR", "/run/user/7");
        QCOMPARE(runtimeDir(), QStringLiteral("/run/user/7/cocoonbox"));
        qunsetenv("XDG_RUNTIME_DIR");
        QVERIFY(runtimeDir().startsWith(QDir::tempPath()));
        qputenv("XDG_STATE_HOME", "/home/x/state");
        QCOMPARE(stateDir(), QStringLiteral("/home/x/state/cocoonbox"));
    }
};

QTEST_GUILESS_MAIN(TestConfig)
#include "tst_config.moc"
