// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/app_model.h"
#include "tests/app/gui/fake_links.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app;
using namespace cocoonbox::app::gui;
using namespace cocoonbox::test;
using client::BoxState;
using client::ConnectionState;
using Stage = AppModel::Stage;

class TestAppModel : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString settings() const { return m_folder.filePath(QStringLiteral("app.ini")); }

    static FakeAccountLink withToken()
    {
        FakeAccountLink accounts;
        accounts.account.apiUrl = QUrl(QStringLiteral("http://127.0.0.1:7400"));
        accounts.account.token = Secret("t");
        return accounts;
    }

private slots:
    void withoutATokenOneIsAskedFor()
    {
        FakeAccountLink accounts;
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        QCOMPARE(model.stage(), Stage::Starting);
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedOut);
        QVERIFY(!accounts.api);
    }

    void withATokenTheWindowOpensAtOnce()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        QVERIFY(accounts.api->watching);
        QTRY_COMPARE(model.userName(), QStringLiteral("Mira"));
        QVERIFY2(accounts.remembered.isEmpty(), "a token from the environment is not stored");
    }

    void signInKeepsTheTokenAndSaysWhere()
    {
        FakeAccountLink accounts;
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedOut);

        model.signIn(QStringLiteral("http://127.0.0.1:7400"), QStringLiteral(" secret\n"));

        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        QCOMPARE(accounts.remembered, QList<QByteArray>{"secret"});
        QVERIFY(model.notice().contains(QStringLiteral("system keychain")));
    }

    void wrongTokenStaysOnThePageWithTheReason()
    {
        FakeAccountLink accounts;
        accounts.onConnect = [](FakeApiLink& api) {
            api.user = std::unexpected(
                Error{ErrorCode::Unauthenticated, QStringLiteral("The token is not known."), {}, {}, {}});
        };
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.signIn(QStringLiteral("127.0.0.1:7400"), QStringLiteral("wrong"));
        QTRY_COMPARE(model.signInError(), QStringLiteral("The token is not known."));
        QVERIFY(model.stage() != Stage::SignedIn);
        QVERIFY(accounts.remembered.isEmpty());
    }

    void anEmptyTokenIsNotTried()
    {
        FakeAccountLink accounts;
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.signIn(QStringLiteral("http://127.0.0.1:7400"), QStringLiteral("  "));
        QVERIFY(!model.signInError().isEmpty());
        QVERIFY(!accounts.api);
    }

    void theNamedBoxIsOpenedFirst()
    {
        FakeAccountLink accounts = withToken();
        accounts.onConnect = [](FakeApiLink& api) {
            api.listed = true;
            api.boxList = {makeBox(QStringLiteral("a"), BoxState::Running),
                           makeBox(QStringLiteral("b"), BoxState::Running)};
        };
        Preferences preferences(settings());
        AppModel model(accounts, preferences, QStringLiteral("b"));
        model.start({});
        QTRY_VERIFY(model.currentBox());
        QCOMPARE(model.currentBox()->name(), QStringLiteral("b"));

        model.openBox(QStringLiteral("box_a"));
        QCOMPARE(model.currentBox()->name(), QStringLiteral("a"));
        QCOMPARE(accounts.api->links.keys(), QStringList{QStringLiteral("box_a")});
    }

    void aDeletedBoxIsClosed()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        accounts.api->sayBoxes({makeBox(QStringLiteral("a"), BoxState::Running)});
        QVERIFY(model.currentBox());
        accounts.api->sayBoxes({});
        QVERIFY(!model.currentBox());
        QVERIFY(accounts.api->links.isEmpty());
    }

    void aRevokedTokenLeadsBackToSignIn()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        accounts.api->say(ConnectionState::SignedOut, QStringLiteral("The token is not known any more."));
        QTRY_COMPARE(model.stage(), Stage::SignedOut);
        QCOMPARE(model.signInError(), QStringLiteral("The token is not known any more."));
        QVERIFY(!accounts.api);
    }

    void signOutForgetsTheToken()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        model.signOut();
        QCOMPARE(model.stage(), Stage::SignedOut);
        QTRY_COMPARE(accounts.forgotten.size(), 1);
        QVERIFY(model.userName().isEmpty());
    }

    void connectionTroubleIsSaidAndRetried()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        accounts.api->say(ConnectionState::Connecting, QStringLiteral("The api does not answer."));
        QVERIFY2(model.connectionMessage().isEmpty(), "trouble that passes at once is not worth a banner");
        QTRY_COMPARE(model.connectionMessage(), QStringLiteral("The api does not answer."));
        accounts.api->say(ConnectionState::Connecting, QStringLiteral("Still not."));
        QCOMPARE(model.connectionMessage(), QStringLiteral("Still not."));
        model.retry();
        QCOMPARE(accounts.api->retries, 1);
        accounts.api->say(ConnectionState::Connected, {});
        QVERIFY(model.connectionMessage().isEmpty());
    }

    void theFirstBoxIsCreatedOnce()
    {
        FakeAccountLink accounts = withToken();
        Preferences preferences(settings());
        AppModel model(accounts, preferences, {});
        model.start({});
        QTRY_COMPARE(model.stage(), Stage::SignedIn);
        model.createBox();
        QTRY_VERIFY(!model.isCreatingBox());
        QCOMPARE(accounts.api->ensured, QStringList{QString()});
    }
};

QTEST_GUILESS_MAIN(TestAppModel)
#include "tst_app_model.moc"
