// SPDX-License-Identifier: AGPL-3.0-only
// The baton and the gate.
#include "agent/serve/session/baton.h"
#include "agent/serve/session/gate.h"
#include "agent/serve/session/hand_backs.h"
#include "tests/agent/serve/waiting.h"

#include <QFile>
#include <QTemporaryDir>

using namespace cocoonbox;
using namespace cocoonbox::agent::serve::session;
using namespace cocoonbox::test;
using namespace std::chrono_literals;

namespace {

class SetClock final : public Clock {
public:
    qint64 now = 1'700'000'000'000;
    qint64 nowMs() const override { return now; }
};

void writeFile(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT
private slots:
    void onePersonHoldsTheScreen()
    {
        SetClock clock;
        Baton baton(clock);
        const Baton::Hold ann = *baton.take("Ann", false);
        QCOMPARE(baton.state().heldBy, QString("Ann"));
        QCOMPARE(baton.state().sinceMs, clock.now);
        QCOMPARE(baton.take("Ben", false).error().reason, QString("BATON_HELD"));
        QVERIFY(!ann.ended.isSet());
        const Baton::Hold ben = *baton.take("Ben", true);
        QVERIFY(ann.ended.isSet());
        baton.release(ann.id); // the robbed one's call ends; Ben keeps it
        QVERIFY(baton.isHeld());
        baton.release(ben.id);
        QVERIFY(!baton.isHeld());
        QCOMPARE(baton.take("", false).error().reason, QString("LABEL_INVALID"));
        QCOMPARE(baton.take(QString(65, 'x'), false).error().reason, QString("LABEL_INVALID"));
    }

    void aTakeOverStopsTheAgentsActionsAndIsQuietWhenTheyHaveEnded()
    {
        SetClock clock;
        Baton baton(clock);
        QVERIFY(QCoro::waitFor(baton.untilQuiet(1s)));
        auto first = baton.beginAction();
        auto second = baton.beginAction();
        QVERIFY(first && second && !first->stop().stop_requested());
        const Baton::Hold ann = *baton.take("Ann", false);
        QVERIFY(first->stop().stop_requested() && second->stop().stop_requested());
        QVERIFY(!baton.beginAction()); // at once, not only when it is quiet
        QCOMPARE(reasonOf(baton.untilQuiet(10ms)), QString("ACTION_STUCK"));
        bool isFirstGone = false;
        QTimer::singleShot(10, [&] { first.reset(); });
        QTimer::singleShot(30, [&] {
            isFirstGone = true;
            second.reset();
        });
        QVERIFY(QCoro::waitFor(baton.untilQuiet(5s)));
        QVERIFY(isFirstGone);
        baton.release(ann.id);
        QVERIFY(baton.beginAction());
    }

    void onlyTheHolderIsKnownByItsTakeOver()
    {
        SetClock clock;
        Baton baton(clock);
        QVERIFY(!baton.isHolder({}));
        const Baton::Hold ann = *baton.take("Ann", false);
        QVERIFY(!ann.takeoverId.isEmpty() && baton.isHolder(ann.takeoverId) && !baton.isHolder("Ann"));
        const Baton::Hold ben = *baton.take("Ben", true);
        QVERIFY(ben.takeoverId != ann.takeoverId);
        QVERIFY(!baton.isHolder(ann.takeoverId) && baton.isHolder(ben.takeoverId));
        baton.release(ben.id);
        QVERIFY(!baton.isHolder(ben.takeoverId));
    }

    void everyAgentIsToldOfAHandBackOnceAndNewOnesNotOfOldOnes()
    {
        HandBacks handBacks;
        handBacks.beginLook();
        handBacks.endLook("first", 1000);
        QCOMPARE(handBacks.takeFor("a", 0).size(), 1);
        QCOMPARE(handBacks.takeFor("a", 0).size(), 0);
        handBacks.beginLook();
        handBacks.endLook({}, 1500); // nothing was different
        for (int i = 0; i < 6; ++i) {
            handBacks.beginLook();
            handBacks.endLook(QString::number(i), 2000);
        }
        QCOMPARE(handBacks.takeFor("a", 0).size(), HandBacks::kKeptMax);
        QCOMPARE(handBacks.takeFor("b", 2000).size(), HandBacks::kKeptMax);
        QCOMPARE(handBacks.takeFor("c", 2001).size(), 0);
    }

    void whoNeedsTheRecordWaitsForTheLookAndNoLonger()
    {
        HandBacks handBacks;
        QCoro::waitFor(handBacks.settled(5s));
        handBacks.beginLook();
        QTimer::singleShot(20, [&] { handBacks.endLook("told", 1); });
        QCoro::waitFor(handBacks.settled(5s));
        QCOMPARE(handBacks.takeFor("a", 0).size(), 1);
        handBacks.beginLook();
        QElapsedTimer timer;
        timer.start();
        QCoro::waitFor(handBacks.settled(20ms));
        QVERIFY(timer.elapsed() < 4000);
    }

    void waitingEndsByReleaseByTimeAndByToken()
    {
        SetClock clock;
        Baton baton(clock);
        QVERIFY(QCoro::waitFor(baton.untilFree(1s, {})));
        Baton::Hold hold = *baton.take("Ann", false);
        QCOMPARE(reasonOf(baton.untilFree(20ms, {})), QString("SCREEN_STILL_HELD"));
        std::stop_source stop;
        QTimer::singleShot(20, [&] { stop.request_stop(); });
        QCOMPARE(QCoro::waitFor(baton.untilFree(5s, stop.get_token())).error().code, ErrorCode::Cancelled);
        // Stolen meanwhile is not free.
        QTimer::singleShot(20, [&] { hold = *baton.take("Ben", true); });
        QTimer::singleShot(60, [&] { baton.release(hold.id); });
        QElapsedTimer timer;
        timer.start();
        QVERIFY(QCoro::waitFor(baton.untilFree(5s, {})));
        QVERIFY(timer.elapsed() >= 50);
    }

    void theGateRefusesEachFaultByItsOwnReason()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("identity");
        SetClock clock;
        const qint64 now = clock.now / 1000;
        const crypto::KeyPair key = *crypto::KeyPair::generate();
        const crypto::KeyPair stranger = *crypto::KeyPair::generate();
        const QString keyId = key.publicKey().keyId();
        Gate gate(file, clock);
        const auto sign = [&](const QString& box, const QString& wake, qint64 expires) {
            return crypto::signCredential({keyId, box, wake, expires}, key);
        };
        const auto reason = [&](const QByteArray& credential) {
            const auto result = gate.check(credential);
            if (!result && result.error().code != ErrorCode::Unauthenticated) qFatal("another code");
            return result ? QString("in") : result.error().reason;
        };
        QCOMPARE(reason({}), QString("CREDENTIAL_MISSING"));
        QCOMPARE(reason(sign("box_1", "wake1", now + 60)), QString("IDENTITY_UNAVAILABLE"));
        writeFile(file, "{");
        QCOMPARE(reason(sign("box_1", "wake1", now + 60)), QString("IDENTITY_UNAVAILABLE"));
        writeFile(file, crypto::encodeIdentity({"box_1", "wake1", keyId, key.publicKey()}));
        QCOMPARE(reason(sign("box_1", "wake1", now + 60)), QString("in"));
        QCOMPARE(reason("v1.junk"), QString("CREDENTIAL_MALFORMED"));
        QCOMPARE(reason(sign("box_2", "wake1", now + 60)), QString("CREDENTIAL_WRONG_BOX"));
        QCOMPARE(reason(sign("box_1", "wake0", now + 60)), QString("CREDENTIAL_OLD_WAKE"));
        QCOMPARE(reason(sign("box_1", "wake1", now - 200)), QString("CREDENTIAL_EXPIRED"));
        QCOMPARE(reason(crypto::signCredential({keyId, "box_1", "wake1", now + 60}, stranger)),
                 QString("CREDENTIAL_TAMPERED"));
        // The host writes a new identity at a wake; what was signed before it is dead from then on.
        const QByteArray before = sign("box_1", "wake1", now + 60);
        QCOMPARE(reason(before), QString("in"));
        writeFile(file + ".new", crypto::encodeIdentity({"box_1", "wake2", keyId, key.publicKey()}));
        QVERIFY(::rename(QFile::encodeName(file + ".new").constData(), QFile::encodeName(file).constData()) == 0);
        QCOMPARE(reason(before), QString("CREDENTIAL_OLD_WAKE"));
        QCOMPARE(reason(sign("box_1", "wake2", now + 60)), QString("in"));
    }
};

QTEST_GUILESS_MAIN(TestSession)
#include "tst_agent_session.moc"
