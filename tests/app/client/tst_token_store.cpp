// SPDX-License-Identifier: AGPL-3.0-only
// The sign-in on disk, where no keychain answers, and which account a command line means.
#include "app/client/account.h"
#include "app/client/token_store.h"

#include <QCoroTask>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::client;
using namespace Qt::StringLiterals;

namespace {

const QUrl kUrl(u"http://127.0.0.1:7400"_s);
const QUrl kOther(u"https://boxes.example.org"_s);

QProcessEnvironment environment(const QString& dir)
{
    QProcessEnvironment env;
    env.insert(u"COCOONBOX_CONFIG_DIR"_s, dir);
    env.insert(u"COCOONBOX_TOKEN_STORE"_s, u"file"_s);
    return env;
}

} // namespace

class TestTokenStore final : public QObject {
    Q_OBJECT
private slots:
    void keepsTheTokenInAFileOfItsOwnerOnly()
    {
        QTemporaryDir dir;
        TokenStore store(TokenStore::optionsFrom(environment(dir.filePath(u"new"_s))));
        const auto place = QCoro::waitFor(store.save(kUrl, Secret("tok-1")));
        QVERIFY(place);
        QVERIFY(place->startsWith(dir.path()));
        QCOMPARE(QFile::permissions(*place) & ~QFile::Permissions(QFile::ReadUser | QFile::WriteUser),
                 QFile::ReadOwner | QFile::WriteOwner);
        const auto loaded = QCoro::waitFor(store.load(kUrl));
        QVERIFY(loaded && *loaded);
        QCOMPARE((*loaded)->token.reveal("test"), "tok-1");
        QCOMPARE((*loaded)->place, *place);
        QCOMPARE(store.lastApiUrl(), kUrl);
        QCOMPARE(QDir(dir.filePath(u"new"_s)).entryList({u"*new-*"_s}, QDir::Files).size(), 0);
    }

    void fallsBackToTheFileWithinTheLimitWhenNoKeychainAnswers()
    {
        // No session bus: whatever keychain there is cannot answer.
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        QTemporaryDir dir;
        TokenStore store({.configDir = dir.path(), .keychain = TokenStore::Keychain::Ask});
        QElapsedTimer timer;
        timer.start();
        const auto place = QCoro::waitFor(store.save(kUrl, Secret("tok-2")));
        QVERIFY(place);
        QVERIFY(place->startsWith(dir.path()));
        QVERIFY(timer.elapsed() < 3000);
        timer.start();
        QCOMPARE((*QCoro::waitFor(store.load(kUrl)))->token.reveal("test"), "tok-2");
        QVERIFY(timer.elapsed() < 500); // the keychain is not asked again
    }

    void keepsATokenForEachAddress()
    {
        QTemporaryDir dir;
        TokenStore store(TokenStore::optionsFrom(environment(dir.path())));
        QVERIFY(QCoro::waitFor(store.save(kUrl, Secret("one"))));
        QVERIFY(QCoro::waitFor(store.save(kOther, Secret("two"))));
        QCOMPARE((*QCoro::waitFor(store.load(kUrl)))->token.reveal("test"), "one");
        QCOMPARE((*QCoro::waitFor(store.load(kOther)))->token.reveal("test"), "two");
        QVERIFY(QCoro::waitFor(store.forget(kUrl)));
        QVERIFY(!*QCoro::waitFor(store.load(kUrl)));
        QVERIFY(*QCoro::waitFor(store.load(kOther)));
        QVERIFY(QCoro::waitFor(store.forget(kUrl)));
    }

    void refusesATokenThatOthersCanRead()
    {
        QTemporaryDir dir;
        TokenStore store(TokenStore::optionsFrom(environment(dir.path())));
        const auto place = QCoro::waitFor(store.save(kUrl, Secret("seen")));
        QFile::setPermissions(*place, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup);
        const auto loaded = QCoro::waitFor(store.load(kUrl));
        QVERIFY(!loaded);
        QCOMPARE(loaded.error().reason, u"FILE_EXPOSED"_s);
    }

    void saysWhyItCannotBeKept()
    {
        TokenStore store({.configDir = u"/proc/nowhere"_s, .keychain = TokenStore::Keychain::LeaveAlone});
        const auto place = QCoro::waitFor(store.save(kUrl, Secret("x")));
        QVERIFY(!place);
        QCOMPARE(place.error().reason, u"DIRECTORY_UNWRITABLE"_s);
    }

    void precedenceIsFlagEnvironmentStoredDefault()
    {
        QTemporaryDir dir;
        QProcessEnvironment env = environment(dir.path());
        TokenStore store(TokenStore::optionsFrom(env));

        auto account = QCoro::waitFor(resolveAccount(store, {}, env));
        QCOMPARE(account->apiUrl, kUrl);
        QCOMPARE(account->urlOrigin, Origin::Default);
        QVERIFY(!account->isSignedIn());

        QVERIFY(QCoro::waitFor(store.save(kOther, Secret("stored"))));
        account = QCoro::waitFor(resolveAccount(store, {}, env));
        QCOMPARE(account->apiUrl, kOther);
        QCOMPARE(account->urlOrigin, Origin::Stored);
        QCOMPARE(account->tokenOrigin, Origin::Stored);

        env.insert(u"COCOONBOX_API_URL"_s, u"http://127.0.0.1:1234/path?x"_s);
        account = QCoro::waitFor(resolveAccount(store, {}, env));
        QCOMPARE(account->apiUrl, QUrl(u"http://127.0.0.1:1234"_s));
        QCOMPARE(account->urlOrigin, Origin::Environment);
        QVERIFY(!account->isSignedIn()); // the stored token is of another address

        env.insert(u"COCOONBOX_TOKEN"_s, u" env \n"_s);
        account = QCoro::waitFor(resolveAccount(store, kOther.toString(), env));
        QCOMPARE(account->apiUrl, kOther);
        QCOMPARE(account->urlOrigin, Origin::Flag);
        QCOMPARE(account->token.reveal("test"), "env");
        QCOMPARE(account->tokenOrigin, Origin::Environment);
    }

    void refusesWhatIsNoAddress_data()
    {
        QTest::addColumn<QString>("url");
        for (const auto& url :
             {u"127.0.0.1:7400"_s, u"ftp://host"_s, u"https://"_s, u"https://user:pw@host"_s, u"nonsense"_s})
            QTest::newRow(qPrintable(url)) << url;
    }
    void refusesWhatIsNoAddress()
    {
        QFETCH(QString, url);
        const auto parsed = parseApiUrl(url);
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().reason, u"URL_INVALID"_s);
    }
};

QTEST_GUILESS_MAIN(TestTokenStore)
#include "tst_token_store.moc"
