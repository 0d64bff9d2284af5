// SPDX-License-Identifier: AGPL-3.0-only
#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/secret.h"

#include <QSet>
#include <QTest>

using namespace cocoonbox;

namespace {

Result<int> half(int number)
{
    if (number % 2 != 0) return fail(ErrorCode::InvalidArgument, QStringLiteral("odd"), QStringLiteral("ODD"));
    return number / 2;
}

Result<int> quarter(int number)
{
    TRY_ASSIGN(const int once, half(number));
    TRY_ASSIGN(const int twice, half(once));
    return twice;
}

Result<void> mustBeEven(int number)
{
    TRY_VOID(half(number));
    return {};
}

template <class T>
concept Printable = requires(QDebug debug, const T& value) { debug << value; };

} // namespace

class TestBase : public QObject {
    Q_OBJECT
private slots:
    void aFailedStepEndsTheFunctionWithItsError()
    {
        QCOMPARE(quarter(12).value(), 3);
        QCOMPARE(quarter(6).error().reason, QStringLiteral("ODD"));
        QVERIFY(mustBeEven(2));
        QVERIFY(!mustBeEven(3));
    }

    void contextStandsBeforeTheMessage()
    {
        const Error error =
            Error(half(1).error()).withContext(QStringLiteral("halving")).withDetail(QStringLiteral("1"));
        QCOMPARE(error.message, QStringLiteral("halving: odd"));
        QCOMPARE(error.detail, QStringLiteral("1"));
        QCOMPARE(error.reason, QStringLiteral("ODD"));
    }

    void everyCodeHasItsOwnName()
    {
        QSet<QString> names;
        for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code)
            names.insert(errorCodeName(static_cast<ErrorCode>(code)));
        QCOMPARE(names.size(), static_cast<int>(ErrorCode::Internal) + 1);
        QCOMPARE(errorCodeName(ErrorCode::Internal), QStringLiteral("INTERNAL"));
    }

    void idsAreUniqueShapedAndGrowWithTime()
    {
        QSet<QString> ids;
        for (int i = 0; i < 1000; ++i)
            ids.insert(newId(u"box_"));
        QCOMPARE(ids.size(), 1000);
        for (const QString& id : std::as_const(ids))
            QVERIFY2(isId(id, u"box_"), qPrintable(id));
        const QString early = newId(u"op_");
        QTest::qSleep(2);
        QVERIFY(early < newId(u"op_"));
    }

    void whatIsNoIdIsRefused()
    {
        const QString good = newId(u"box_");
        QVERIFY(!isId(good, u"op_"));
        QVERIFY(!isId(good.chopped(1), u"box_"));
        QVERIFY(!isId(good + u'0', u"box_"));
        QVERIFY(!isId(QString(good).replace(10, 1, u'/'), u"box_"));
        QVERIFY(!isId(QString(good).replace(10, 1, u'u'), u"box_")); // Crockford's base32 has no u
        QVERIFY(!isId({}, u"box_"));
    }

    void nonceIsLongAndNew()
    {
        QCOMPARE(randomHex128().size(), 32);
        QVERIFY(randomHex128() != randomHex128());
    }

    void aSecretIsKeptApartAndCannotBePrinted()
    {
        static_assert(!Printable<Secret>);
        static_assert(Printable<QString>);
        const QByteArray shared = "token";
        Secret secret(shared);
        const Secret copy = secret;
        Secret moved = std::move(secret);
        QCOMPARE(moved.reveal("test"), QByteArray("token"));
        QCOMPARE(copy.reveal("test"), QByteArray("token"));
        moved = Secret();
        QVERIFY(moved.isEmpty());
        QCOMPARE(shared, QByteArray("token"));
    }
};

QTEST_GUILESS_MAIN(TestBase)
#include "tst_base.moc"
