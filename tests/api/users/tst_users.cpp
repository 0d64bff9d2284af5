// SPDX-License-Identifier: AGPL-3.0-only
#include "api/users/user_service.h"

#include <QCoroTask>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <thread>

using namespace cocoonbox;
using namespace cocoonbox::api::users;

class TestUsers : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_database = QCoro::waitFor(sql::Database::open({QStringLiteral("sqlite:") + file()})).value();
        QVERIFY(QCoro::waitFor(sql::migrate(*m_database, {UserStore::migrations()})));
        m_users = newService();
    }
    void cleanup()
    {
        m_users.reset();
        m_database.reset();
    }

    void aTokenNamesItsUser()
    {
        const Grant ada = create(QStringLiteral(" Ada "));
        const Grant ben = create(QStringLiteral("Ben"));
        QCOMPARE(ada.user.name, QStringLiteral("Ada"));
        QCOMPARE(m_users->check(ada.token.reveal("test"))->userId, ada.user.userId);
        QCOMPARE(m_users->check(ben.token.reveal("test"))->userId, ben.user.userId);
        QVERIFY(ada.user.userId != ben.user.userId);
    }

    void aTokenIsLongAndRandom()
    {
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        static const QRegularExpression shape(QStringLiteral("\\Acbx_[0-9a-hjkmnp-tv-z]{52}\\z"));
        QVERIFY2(shape.match(QString::fromLatin1(token)).hasMatch(), token.constData());
        QVERIFY(token != create(QStringLiteral("Ben")).token.reveal("test"));
    }

    void whatIsNoTokenIsNobodys()
    {
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        QVERIFY(!m_users->check({}));
        QVERIFY(!m_users->check("cbx_"));
        QVERIFY(!m_users->check(token.chopped(1)));
        QVERIFY(!m_users->check(token + '0'));
        QVERIFY(!m_users->check(token.toUpper()));
        QVERIFY(!m_users->check(QByteArray("cbx_").append(QByteArray(10'000, 'x'))));
    }

    void theTokenItselfIsStoredNowhere()
    {
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        m_database.reset();
        for (const QString& suffix : {QString(), QStringLiteral("-wal")}) {
            QFile stored(file() + suffix);
            if (!stored.open(QIODevice::ReadOnly)) continue;
            const QByteArray bytes = stored.readAll();
            QVERIFY(!bytes.contains(token));
            QVERIFY(!bytes.contains(token.sliced(4)));
        }
    }

    void aUserMayHaveSeveralTokens()
    {
        const Grant first = create(QStringLiteral("Ada"));
        const auto second = QCoro::waitFor(m_users->createToken(QStringLiteral("Ada")));
        QVERIFY(second);
        QCOMPARE(second->user.userId, first.user.userId);
        QVERIFY(m_users->check(first.token.reveal("test")));
        QCOMPARE(m_users->check(second->token.reveal("test"))->name, QStringLiteral("Ada"));
    }

    void namesAreCheckedAndUnique()
    {
        create(QStringLiteral("Ada"));
        QCOMPARE(reasonOf(QStringLiteral("Ada")), QStringLiteral("USER_EXISTS"));
        for (const QString& name : {QString(), QStringLiteral("  "), QString(65, u'x'), QStringLiteral("a\nb")})
            QCOMPARE(reasonOf(name), QStringLiteral("USER_NAME_INVALID"));
        QCOMPARE(QCoro::waitFor(m_users->createToken(QStringLiteral("Nobody"))).error().reason,
                 QStringLiteral("USER_UNKNOWN"));
    }

    void tokensOfAnotherProcessAreKnownAfterALoad()
    {
        const auto other = newService();
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        QVERIFY(!other->check(token));
        QVERIFY(QCoro::waitFor(other->load()));
        QVERIFY(other->check(token));
    }

    void checksRunOnAnyThreadWhileTokensAreLoaded()
    {
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        std::atomic<int> misses = 0;
        std::atomic<bool> stop = false;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                while (!stop)
                    if (!m_users->check(token)) ++misses;
            });
        for (int i = 0; i < 50; ++i)
            QVERIFY(QCoro::waitFor(m_users->load()));
        stop = true;
        threads.clear();
        QCOMPARE(misses.load(), 0);
    }

    void anAuthorizationIsReadByItsScheme()
    {
        const QByteArray token = create(QStringLiteral("Ada")).token.reveal("test");
        QCOMPARE(authorise(*m_users, "Bearer " + token)->name, QStringLiteral("Ada"));
        QCOMPARE(authorise(*m_users, "bearer " + token)->name, QStringLiteral("Ada"));
        for (const QByteArray& missing : {QByteArray(), QByteArray("Bearer "), QByteArray("Basic x"), token}) {
            const auto refused = authorise(*m_users, missing);
            QCOMPARE(refused.error().code, ErrorCode::Unauthenticated);
            QCOMPARE(refused.error().reason, QStringLiteral("TOKEN_MISSING"));
        }
        QCOMPARE(authorise(*m_users, "Bearer cbx_x").error().reason, QStringLiteral("TOKEN_UNKNOWN"));
        rpc::RequestContext context;
        QCOMPARE(authorise(*m_users, context).error().reason, QStringLiteral("TOKEN_MISSING"));
        context.metadata.insert("authorization", "Bearer " + token);
        QVERIFY(authorise(*m_users, context));
    }

private:
    QString file() const { return m_dir->filePath(QStringLiteral("users.db")); }
    std::unique_ptr<UserService> newService() { return std::make_unique<UserService>(UserStore(*m_database), m_clock); }
    Grant create(const QString& name)
    {
        auto grant = QCoro::waitFor(m_users->createUser(name));
        if (!grant) qFatal("%s", qPrintable(grant.error().message));
        return *grant;
    }
    QString reasonOf(const QString& name) { return QCoro::waitFor(m_users->createUser(name)).error().reason; }

    SystemClock m_clock;
    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<sql::Database> m_database;
    std::unique_ptr<UserService> m_users;
};

QTEST_GUILESS_MAIN(TestUsers)
#include "tst_users.moc"
