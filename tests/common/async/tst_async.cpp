// SPDX-License-Identifier: AGPL-3.0-only
#include "common/async/event_queue.h"
#include "common/async/task_scope.h"

#include <QCoroTask>
#include <QElapsedTimer>
#include <QTest>
#include <QTimer>
#include <thread>

using namespace cocoonbox;
using namespace std::chrono_literals;

namespace {

Task<void> sleepLong(std::stop_token stop)
{
    co_return co_await sleepFor(1h, stop);
}

Task<void> ignoreTheToken()
{
    co_return co_await sleepFor(200ms);
}

QCoro::Task<QList<int>> readAll(EventQueue<int>* queue)
{
    QList<int> all;
    while (const std::optional<int> value = co_await queue->next())
        all.append(*value);
    co_return all;
}

} // namespace

class TestAsync : public QObject {
    Q_OBJECT
private slots:
    void sleepEndsInTime()
    {
        QElapsedTimer elapsed;
        elapsed.start();
        QVERIFY(QCoro::waitFor(sleepFor(30ms)));
        QVERIFY(elapsed.elapsed() >= 29);
    }

    void sleepIsCancelledFromAnyThread()
    {
        std::stop_source source;
        std::jthread other([&source] {
            std::this_thread::sleep_for(20ms);
            source.request_stop();
        });
        QElapsedTimer elapsed;
        elapsed.start();
        const Result<void> result = QCoro::waitFor(sleepFor(1h, source.get_token()));
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
        QVERIFY(elapsed.elapsed() < 5000);
    }

    void pollTellsWhatTookTooLong()
    {
        const Result<void> result =
            QCoro::waitFor(pollUntil([] { return false; }, 2ms, 20ms, QStringLiteral("The kettle")));
        QCOMPARE(result.error().code, ErrorCode::DeadlineExceeded);
        QVERIFY(result.error().message.startsWith(u"The kettle"));
        int tries = 0;
        QVERIFY(QCoro::waitFor(pollUntil([&tries] { return ++tries == 3; }, 1ms, 5s, QStringLiteral("Counting"))));
        QCOMPARE(tries, 3);
    }

    void aPromiseKeepsItsFirstValue()
    {
        const Promise<int> promise;
        promise.set(1);
        promise.set(2);
        const auto read = [](Promise<int> p) -> QCoro::Task<int> { co_return co_await p.get(); };
        QCOMPARE(QCoro::waitFor(read(promise)), 1);
    }

    void aQueueHandsOnInOrderAndRefusesWhatItCannotHold()
    {
        EventQueue<int> queue(2);
        QVERIFY(queue.push(1));
        QVERIFY(queue.push(2));
        QVERIFY(!queue.push(3));
        auto all = readAll(&queue);
        QVERIFY(queue.push(4));
        queue.close();
        QVERIFY(!queue.push(5));
        QCOMPARE(QCoro::waitFor(all), (QList<int>{1, 2, 4}));
    }

    void drainingAScopeStopsItsTasks()
    {
        TaskScope scope;
        scope.spawn(sleepLong(scope.stopToken()), QStringLiteral("long"));
        QCOMPARE(scope.liveCount(), 1);
        QVERIFY(scope.drain(5s));
        QCOMPARE(scope.liveCount(), 0);
    }

    void aStuckTaskIsNamedAndDoesNotHoldTheDrain()
    {
        TaskScope scope;
        scope.spawn(ignoreTheToken(), QStringLiteral("deaf task"));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("deaf task")));
        QVERIFY(!scope.drain(10ms));
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("late task")));
        scope.spawn(ignoreTheToken(), QStringLiteral("late task"));
        QVERIFY(QCoro::waitFor(sleepFor(250ms)));
    }

    void postedWorkRunsOnTheMainThread()
    {
        const Promise<bool> ran;
        std::jthread other([ran] { postToDomain([ran] { ran.set(QThread::isMainThread()); }); });
        const auto read = [](Promise<bool> p) -> QCoro::Task<bool> { co_return co_await p.get(); };
        QVERIFY(QCoro::waitFor(read(ran)));
    }
};

QTEST_GUILESS_MAIN(TestAsync)
#include "tst_async.moc"
