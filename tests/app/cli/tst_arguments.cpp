// SPDX-License-Identifier: AGPL-3.0-only
// The command line as tables: what is read, what is refused, which code an error has.
#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/cli/exit_code.h"

#include <QSet>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::cli;
using namespace Qt::StringLiterals;

namespace {

const QList<OptionSpec> kOptions{
    {u"agent"_s, u'a', u"ID"_s, u"which"_s},
    {u"json"_s, {}, {}, u"json"_s},
    {u"env"_s, u'e', u"N=V"_s, u"more"_s, true},
};

} // namespace

class TestArguments final : public QObject {
    Q_OBJECT
private slots:
    void readsOptionsAndWords_data()
    {
        QTest::addColumn<QStringList>("given");
        QTest::addColumn<bool>("verbatim");
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QString>("agent");
        QTest::newRow("words") << QStringList{u"a"_s, u"b"_s} << false << QStringList{u"a"_s, u"b"_s} << QString();
        QTest::newRow("option after") << QStringList{u"a"_s, u"--agent"_s, u"x"_s} << false << QStringList{u"a"_s}
                                      << u"x"_s;
        QTest::newRow("equals") << QStringList{u"--agent=x=y"_s, u"a"_s} << false << QStringList{u"a"_s} << u"x=y"_s;
        QTest::newRow("letter") << QStringList{u"-a"_s, u"x"_s} << false << QStringList() << u"x"_s;
        QTest::newRow("dashes end options")
            << QStringList{u"--"_s, u"--agent"_s} << false << QStringList{u"--agent"_s} << QString();
        QTest::newRow("a dash is a word") << QStringList{u"-"_s} << false << QStringList{u"-"_s} << QString();
        QTest::newRow("verbatim") << QStringList{u"-a"_s, u"x"_s, u"ls"_s, u"-l"_s, u"--json"_s} << true
                                  << QStringList{u"ls"_s, u"-l"_s, u"--json"_s} << u"x"_s;
        QTest::newRow("verbatim after dashes") << QStringList{u"--"_s, u"ls"_s, u"--"_s, u"-l"_s} << true
                                               << QStringList{u"ls"_s, u"--"_s, u"-l"_s} << QString();
        QTest::newRow("empty value") << QStringList{u"--agent="_s} << false << QStringList() << u""_s;
    }
    void readsOptionsAndWords()
    {
        QFETCH(QStringList, given);
        QFETCH(bool, verbatim);
        QFETCH(QStringList, words);
        QFETCH(QString, agent);
        const auto read = readArguments(given, kOptions, verbatim ? Words::Verbatim : Words::Mixed);
        QVERIFY(read);
        QCOMPARE(read->words(), words);
        QCOMPARE(read->value(u"agent"_s), agent);
    }

    void keepsRepeatedOptionsInOrder()
    {
        const auto read = readArguments({u"-e"_s, u"A=1"_s, u"--env"_s, u"B=2"_s}, kOptions, Words::Mixed);
        QCOMPARE(read->values(u"env"_s), QStringList({u"A=1"_s, u"B=2"_s}));
    }

    void refuses_data()
    {
        QTest::addColumn<QStringList>("given");
        QTest::newRow("unknown") << QStringList{u"--what"_s};
        QTest::newRow("unknown letter") << QStringList{u"-x"_s};
        QTest::newRow("joined letters") << QStringList{u"-ae"_s};
        QTest::newRow("no value") << QStringList{u"--agent"_s};
        QTest::newRow("value for a switch") << QStringList{u"--json=yes"_s};
        QTest::newRow("twice") << QStringList{u"--agent"_s, u"1"_s, u"-a"_s, u"2"_s};
    }
    void refuses()
    {
        QFETCH(QStringList, given);
        const auto read = readArguments(given, kOptions, Words::Mixed);
        QVERIFY(!read);
        QCOMPARE(read.error().reason, u"USAGE"_s);
        QCOMPARE(exitCodeOf(read.error()), 2);
    }

    void readsTimes()
    {
        using namespace std::chrono_literals;
        QCOMPARE(*readDuration(u"30"_s), 30s);
        QCOMPARE(*readDuration(u"500ms"_s), 500ms);
        QCOMPARE(*readDuration(u"1.5s"_s), 1500ms);
        QCOMPARE(*readDuration(u"2m"_s), 120s);
        QCOMPARE(*readDuration(u"1h"_s), 3600s);
        for (const auto& bad : {u""_s, u"0"_s, u"-1"_s, u"1d"_s, u"s"_s, u"1e9h"_s, u"999999999h"_s, u"٣"_s})
            QVERIFY2(!readDuration(bad), qPrintable(bad));
    }

    void everyErrorHasItsCode_data()
    {
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<int>("exit");
        QTest::newRow("usage") << ErrorCode::InvalidArgument << 2;
        QTest::newRow("sign in") << ErrorCode::Unauthenticated << 4;
        QTest::newRow("not found") << ErrorCode::NotFound << 5;
        QTest::newRow("conflict") << ErrorCode::FailedPrecondition << 6;
        QTest::newRow("timeout") << ErrorCode::DeadlineExceeded << 7;
        QTest::newRow("refused") << ErrorCode::PermissionDenied << 9;
        QTest::newRow("cancelled") << ErrorCode::Cancelled << 130;
        QTest::newRow("unreachable") << ErrorCode::Unavailable << 1;
    }
    void everyErrorHasItsCode()
    {
        QFETCH(ErrorCode, code);
        QFETCH(int, exit);
        QCOMPARE(exitCodeOf({code, {}, {}, {}, {}}), exit);
    }

    void verbsAndTheirOptionsAreUnambiguous()
    {
        QSet<QString> names;
        for (const Command& command : allCommands()) {
            QVERIFY(command.run);
            QVERIFY(!command.summary.isEmpty() && !command.summary.endsWith(u'.'));
            for (const QString& name : QStringList{command.name} + command.aliases) {
                QVERIFY2(!names.contains(name), qPrintable(name));
                names.insert(name);
            }
            QSet<QString> options;
            for (const OptionSpec& option : command.options + globalOptions()) {
                QVERIFY2(!options.contains(option.name), qPrintable(command.name + option.name));
                options.insert(option.name);
                if (option.letter.isNull()) continue;
                QVERIFY2(!options.contains(option.letter), qPrintable(command.name + option.letter));
                options.insert(option.letter);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestArguments)
#include "tst_arguments.moc"
