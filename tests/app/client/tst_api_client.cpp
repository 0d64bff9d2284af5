// SPDX-License-Identifier: AGPL-3.0-only
// ApiClient against a real server: values, errors with words that help, watching over restarts, operations over cuts.
#include "app/client/api_client.h"
#include "fake_api.h"

#include <QCoroTask>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

using namespace cocoonbox;
using namespace cocoonbox::app::client;
using namespace cocoonbox::tests;
using namespace Qt::StringLiterals;

namespace {

std::unique_ptr<ApiClient> clientOf(const QUrl& url, const QByteArray& token = "good-token")
{
    Account account;
    account.apiUrl = url;
    account.token = Secret(token);
    auto client = ApiClient::create(account, {u"test"_s, u"1"_s});
    if (!client) qFatal("%s", qPrintable(client.error().message));
    return *std::move(client);
}

} // namespace

class TestApiClient final : public QObject {
    Q_OBJECT
private slots:
    void asksWhoIsSignedIn()
    {
        FakeApi api;
        const auto client = clientOf(api.url());
        const auto user = QCoro::waitFor(client->whoAmI());
        QVERIFY(user);
        QCOMPARE(user->name, u"Ada"_s);
    }

    void passesTheApisErrorOn()
    {
        FakeApi api;
        const auto client = clientOf(api.url());
        const auto box = QCoro::waitFor(client->box(u"box_none"_s));
        QVERIFY(!box);
        QCOMPARE(box.error().code, ErrorCode::NotFound);
        QCOMPARE(box.error().reason, u"BOX_UNKNOWN"_s);
        const auto stranger = QCoro::waitFor(clientOf(api.url(), "bad")->whoAmI());
        QCOMPARE(stranger.error().code, ErrorCode::Unauthenticated);
    }

    void saysWhenNothingAnswers()
    {
        FakeApi api;
        const QUrl url = api.url();
        api.stop();
        const auto user = QCoro::waitFor(clientOf(url)->whoAmI());
        QVERIFY(!user);
        QCOMPARE(user.error().reason, u"API_UNREACHABLE"_s);
        QVERIFY(user.error().message.contains(url.toString()));
    }

    void refusesToStartSignedOutOrInPlaintextAbroad()
    {
        Account account;
        account.apiUrl = QUrl(u"http://127.0.0.1:1"_s);
        QCOMPARE(ApiClient::create(account, {}).error().reason, u"SIGNED_OUT"_s);
        account.token = Secret("x");
        account.apiUrl = QUrl(u"http://example.org"_s);
        QCOMPARE(ApiClient::create(account, {}).error().reason, u"PLAINTEXT_REFUSED"_s);
    }

    void watchesBoxesOverRestartsOfTheApi()
    {
        FakeApi api;
        api.addBox(u"main"_s, BoxState::Hibernated);
        const auto client = clientOf(api.url());
        client->startWatching();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connected);
        QCOMPARE(client->boxes().size(), 1);
        api.boxes[0].state = BoxState::Running;
        api.boxesChanged();
        QTRY_COMPARE(client->findBox(u"box_1"_s)->state, BoxState::Running);

        api.stop();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connecting);
        QCOMPARE(client->boxes().size(), 1); // what was known stays shown
        QTest::qWait(2500);
        QVERIFY(client->connectionMessage().contains(u"Nothing answers"_s));
        api.addBox(u"second"_s, BoxState::Starting);
        api.start();
        QElapsedTimer back;
        back.start();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connected);
        QVERIFY2(back.elapsed() < 2000, qPrintable(QString::number(back.elapsed())));
        QCOMPARE(client->boxes().size(), 2);
        QVERIFY(client->connectionMessage().isEmpty());
    }

    void retriesAtOnceWhenTold()
    {
        FakeApi api;
        const auto client = clientOf(api.url());
        client->startWatching();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connected);
        api.stop();
        QTest::qWait(3500); // the pauses are long by now
        api.start();
        client->retryNow();
        QElapsedTimer back;
        back.start();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connected);
        QVERIFY2(back.elapsed() < 400, qPrintable(QString::number(back.elapsed())));
    }

    void stopsTryingWithATokenThatIsNotKnown()
    {
        FakeApi api;
        const auto client = clientOf(api.url(), "old");
        client->startWatching();
        QTRY_COMPARE(client->connectionState(), ConnectionState::SignedOut);
        QVERIFY(!client->connectionMessage().isEmpty());
    }

    void followsAnOperationOnceOverCuts()
    {
        FakeApi api;
        api.addBox(u"main"_s, BoxState::Hibernated);
        api.cutOperationsAfter = 2;
        const auto client = clientOf(api.url());
        const auto box = QCoro::waitFor(client->ensureBox({}));
        QStringList steps;
        const auto end = QCoro::waitFor(client->followOperation(
            box->operationId, [&](const OperationEvent& event) { steps.append(event.detail); }));
        QVERIFY(end);
        QCOMPARE(steps, QStringList({u"step 1"_s, u"step 2"_s, u"step 3"_s, u"step 4"_s, u"step 5"_s}));
        QCOMPARE(QCoro::waitFor(client->box(box->boxId))->state, BoxState::Running);
    }

    void reportsAFailedOperation()
    {
        FakeApi api;
        api.addBox(u"main"_s, BoxState::Hibernated);
        api.operationFailure = Error{ErrorCode::Internal, u"The disk is full."_s, {}, {}, {}};
        const auto client = clientOf(api.url());
        const auto box = QCoro::waitFor(client->ensureBox({}));
        const auto end = QCoro::waitFor(client->followOperation(box->operationId, [](const OperationEvent&) {}));
        QCOMPARE(end.error().reason, u"OPERATION_FAILED"_s);
        QCOMPARE(end.error().message, u"The disk is full."_s);
    }

    void goesAwayInTheMiddleOfAnything()
    {
        FakeApi api;
        auto client = clientOf(api.url());
        client->startWatching();
        QTRY_COMPARE(client->connectionState(), ConnectionState::Connected);
        client.reset();
        QTRY_COMPARE(api.watchers(), 0);
    }
};

QTEST_GUILESS_MAIN(TestApiClient)
#include "tst_api_client.moc"
