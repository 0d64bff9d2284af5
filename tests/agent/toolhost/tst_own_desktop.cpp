// SPDX-License-Identifier: AGPL-3.0-only
// The clipboard and the windows of a real X server, through toolhost's own programs.
#include "tests/agent/toolhost/own_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::testing;
using namespace Qt::StringLiterals;

class TestOwnDesktop : public QObject {
    Q_OBJECT
private slots:
    // Xvfb chooses a free display and says its number.
    void initTestCase()
    {
        m_x.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_x.start("Xvfb", {"-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"});
        QVERIFY(m_x.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(m_x.canReadLine() || m_x.waitForReadyRead(100), 10'000);
        m_display = ':' + QString::fromLatin1(m_x.readLine().trimmed());
    }
    void cleanupTestCase()
    {
        m_x.terminate();
        m_x.waitForFinished();
    }

    void anEmptyClipboardIsSaidToBeEmpty() { QCOMPARE(own({"desktop", "paste"})->end(), u"CLIPBOARD_EMPTY"_s); }

    void contentsComeBackAsTheyWere_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << u"text/plain;charset=utf-8"_s << QByteArray("grüße 世界 🙂 é\r\n\tend");
        QTest::newRow("empty text") << u"text/plain;charset=utf-8"_s << QByteArray();
        QTest::newRow("text of 1 MiB") << u"text/plain;charset=utf-8"_s << QByteArray(1024 * 1024, 'x');
        QByteArray picture("\x89PNG\r\n");
        for (quint32 i = 0; i < 5'000'000; ++i)
            picture.append(static_cast<char>(i * 7919 >> 5));
        QTest::newRow("a picture in pieces") << u"image/png"_s << picture;
        QTest::newRow("exactly one piece") << u"image/png"_s << QByteArray(256 * 1024, 'p');
    }
    void contentsComeBackAsTheyWere()
    {
        QFETCH(QString, type);
        QFETCH(QByteArray, content);
        copy(type, content);
        const auto paste = own({"desktop", "paste", type});
        QCOMPARE(paste->end(), QString());
        const qsizetype line = paste->output.indexOf('\n');
        QCOMPARE(QJsonDocument::fromJson(paste->output.first(line)).object().value("size").toInteger(), content.size());
        QVERIFY(paste->output.sliced(line + 1) == content);
    }

    void aTypeThatIsNotThereIsNamed()
    {
        copy(u"text/plain;charset=utf-8"_s, "words");
        const auto paste = own({"desktop", "paste", "image/png"});
        QVERIFY(paste->waitForFinished());
        const Error error = agent::toolhost::port::failureFrom(paste->readAllStandardError(), paste->exitCode());
        QCOMPARE(error.reason, u"CLIPBOARD_TYPE_MISSING"_s);
        QVERIFY2(error.message.contains("text/plain"), qPrintable(error.message));
    }
    void tooMuchAndTooLittleChangeNothing()
    {
        copy(u"text/plain;charset=utf-8"_s, "before");
        const auto large = own({"desktop", "copy", "text/plain;charset=utf-8"});
        large->say(QByteArray(1024 * 1024 + 1, 'x'));
        large->complete();
        QCOMPARE(large->end(), u"CLIPBOARD_TOO_LARGE"_s);
        const auto half = own({"desktop", "copy", "text/plain;charset=utf-8"});
        half->say("half");
        QCOMPARE(half->end(), u"INPUT_BROKEN"_s);
        const auto paste = own({"desktop", "paste"});
        QCOMPARE(paste->end(), QString());
        QVERIFY(paste->output.endsWith("before"));
    }
    void everyChangeIsTold()
    {
        copy(u"text/plain;charset=utf-8"_s, "12345");
        const auto watch = own({"desktop", "watch"});
        const auto nextKinds = [&] {
            (void)QTest::qWaitFor([&] { return watch->canReadLine() || watch->waitForReadyRead(50); });
            return QJsonDocument::fromJson(watch->readLine()).object().value("kinds").toArray();
        };
        QJsonArray kinds = nextKinds();
        QCOMPARE(kinds.size(), 1);
        QCOMPARE(kinds.first().toObject().value("type").toString(), u"text/plain;charset=utf-8"_s);
        QCOMPARE(kinds.first().toObject().value("size").toInt(), 5);
        copy(u"image/png"_s, "picture");
        kinds = nextKinds();
        QCOMPARE(kinds.size(), 1);
        QCOMPARE(kinds.first().toObject().value("type").toString(), u"image/png"_s);
    }
    void aCopyIsANewStateOfTheDesktop()
    {
        const auto token = [&] {
            const auto state = own({"desktop", "state"});
            return state->end().isEmpty() ? state->lastLine().value("clipboard").toString() : u"failed"_s;
        };
        copy(u"text/plain;charset=utf-8"_s, "same");
        const QString before = token();
        QVERIFY(before.contains(u':'));
        QCOMPARE(token(), before);
        copy(u"text/plain;charset=utf-8"_s, "same");
        QVERIFY(token() != before);
    }
    void textGoesNowhereWithoutAWindow()
    {
        copy(u"text/plain;charset=utf-8"_s, "kept");
        for (const char* words : {"short", "grüße 世界"}) {
            const auto type = own({"desktop", "type"});
            type->say(words);
            type->complete();
            QCOMPARE(type->end(), u"TEXT_NOT_TAKEN"_s);
        }
        const auto paste = own({"desktop", "paste"});
        QCOMPARE(paste->end(), QString());
        QVERIFY(paste->output.endsWith("kept"));
    }
    void withoutAScreenThatIsSaid()
    {
        OwnProgram lost(m_dir.path(), {"desktop", "paste"}, u":97531"_s);
        QCOMPARE(lost.end(), u"SCREEN_UNREACHABLE"_s);
    }

private:
    std::unique_ptr<OwnProgram> own(const QStringList& words)
    {
        return std::make_unique<OwnProgram>(m_dir.path(), words, m_display);
    }
    void copy(const QString& type, const QByteArray& content)
    {
        const auto copy = own({"desktop", "copy", type});
        copy->say(content);
        copy->complete();
        QCOMPARE(copy->end(), QString());
    }

    QTemporaryDir m_dir;
    QProcess m_x;
    QString m_display;
};

QTEST_GUILESS_MAIN(TestOwnDesktop)
#include "tst_own_desktop.moc"
