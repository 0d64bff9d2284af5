// SPDX-License-Identifier: AGPL-3.0-only
// The real program with machines that run nothing: its commands, its start, its end.
#include "cocoonbox/control/v1/boxes.grpc.pb.h"
#include "cocoonbox/control/v1/users.grpc.pb.h"
#include "common/rpc/call.h"
#include "common/rpc/channel.h"

#include <csignal>
#include <QCoroTask>
#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

namespace pb = cocoonbox::control::v1;
using namespace cocoonbox;

namespace {

const QString kProgram = QStringLiteral(COCOONBOX_BINARY_DIR "/bin/cocoonbox-api");

struct Ended {
    int code = -1;
    QByteArray output;
    QByteArray talk;
};

bool until(std::function<bool()> condition)
{
    return QCoro::waitFor(pollUntil(std::move(condition), std::chrono::milliseconds(10), std::chrono::seconds(10),
                                    QStringLiteral("the test")))
        .has_value();
}

} // namespace

class TestApiProgram : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        write("");
    }
    void cleanup()
    {
        m_api.kill();
        m_api.waitForFinished();
    }

    void aTokenIsPrintedOnceAndWorks()
    {
        const QByteArray token =
            tokenOf(run({QStringLiteral("user"), QStringLiteral("create"), QStringLiteral("Ada")}));
        serve();
        const auto user = whoAmI(token);
        QVERIFY2(user, qPrintable(user ? QString() : user.error().message));
        QCOMPARE(user->name(), std::string("Ada"));
        QCOMPARE(whoAmI("cbx_wrong").error().reason, QStringLiteral("TOKEN_UNKNOWN"));
    }

    void aTokenMadeWhileItServesIsKnown()
    {
        serve();
        const QByteArray first =
            tokenOf(run({QStringLiteral("user"), QStringLiteral("create"), QStringLiteral("Ada")}));
        QVERIFY(until([&] { return whoAmI(first).has_value(); }));
        const QByteArray second =
            tokenOf(run({QStringLiteral("token"), QStringLiteral("create"), QStringLiteral("Ada")}));
        QVERIFY(until([&] { return whoAmI(second).has_value(); }));
        QVERIFY(whoAmI(first));
    }

    void boxesOutliveAKillOfTheApi()
    {
        const QByteArray token =
            tokenOf(run({QStringLiteral("user"), QStringLiteral("create"), QStringLiteral("Ada")}));
        serve();
        const auto box = ensure(token);
        QVERIFY2(box, qPrintable(box ? QString() : box.error().message));
        m_api.kill();
        m_api.waitForFinished();
        serve();
        QCOMPARE(ensure(token)->box_id(), box->box_id());
    }

    void itEndsInOrderOnASignal_data()
    {
        QTest::addColumn<int>("number");
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGINT") << SIGINT;
    }
    void itEndsInOrderOnASignal()
    {
        QFETCH(int, number);
        const QByteArray token =
            tokenOf(run({QStringLiteral("user"), QStringLiteral("create"), QStringLiteral("Ada")}));
        serve();
        QVERIFY(ensure(token));
        QElapsedTimer elapsed;
        elapsed.start();
        ::kill(static_cast<pid_t>(m_api.processId()), number);
        QVERIFY(m_api.waitForFinished(30'000));
        QCOMPARE(m_api.exitStatus(), QProcess::NormalExit);
        QCOMPARE(m_api.exitCode(), 0);
        QVERIFY2(elapsed.elapsed() < 15'000, qPrintable(QString::number(elapsed.elapsed())));
    }

    void twoCannotServeOneFolder()
    {
        serve();
        const Ended second = run({QStringLiteral("serve")});
        QCOMPARE(second.code, 1);
        QVERIFY2(second.talk.contains("serves from"), second.talk.constData());
    }

    void wrongUseAndWrongConfigurationAreSaid()
    {
        QCOMPARE(run({}).code, 2);
        QCOMPARE(run({QStringLiteral("dance")}).code, 2);
        QCOMPARE(run({QStringLiteral("serve"), QStringLiteral("--fast")}).code, 2);
        QVERIFY(run({QStringLiteral("version")}).output.startsWith("cocoonbox-api "));
        QCOMPARE(run({QStringLiteral("serve"), QStringLiteral("--check-config")}).code, 0);
        QVERIFY(
            run({QStringLiteral("serve"), QStringLiteral("--print-config")}).output.contains("backend = \"memory\""));
        write("[boxes]\nkeep = true\n");
        const Ended refused = run({QStringLiteral("serve"), QStringLiteral("--check-config")});
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.talk.contains("boxes.keep"), refused.talk.constData());
        QVERIFY(refused.output.isEmpty());
    }

    void plaintextBeyondLoopbackIsRefused()
    {
        write("", "0.0.0.0:0");
        const Ended refused = run({QStringLiteral("serve")});
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.talk.contains("TLS"), refused.talk.constData());
    }

private:
    QString configFile() const { return m_dir->filePath(QStringLiteral("api.toml")); }
    void write(const QByteArray& more, const QByteArray& listen = "127.0.0.1:0")
    {
        QFile file(configFile());
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write("data-dir = '" + m_dir->filePath(QStringLiteral("data")).toUtf8() + "'\n[edge]\nlisten = '" +
                   listen + "'\n[machines]\nbackend = 'memory'\n" + more);
    }
    Ended run(QStringList arguments)
    {
        QProcess process;
        process.start(kProgram, arguments + QStringList{QStringLiteral("--config"), configFile()});
        if (!process.waitForFinished(30'000)) qFatal("%s does not end", qPrintable(arguments.join(u' ')));
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    static QByteArray tokenOf(const Ended& ended)
    {
        if (ended.code != 0 || ended.output.count('\n') != 1) qFatal("no token: %s", ended.talk.constData());
        return ended.output.trimmed();
    }
    void serve()
    {
        m_api.setProcessChannelMode(QProcess::SeparateChannels);
        m_api.setReadChannel(QProcess::StandardError);
        m_api.start(kProgram, {QStringLiteral("serve"), QStringLiteral("--config"), configFile()});
        static const QRegularExpression ready(QStringLiteral("listens on (127.0.0.1:\\d+)"));
        QString talk;
        QRegularExpressionMatch match;
        while (!match.hasMatch()) {
            if (!m_api.waitForReadyRead(20'000)) {
                talk += QString::fromUtf8(m_api.readAllStandardError());
                if (!(match = ready.match(talk)).hasMatch()) qFatal("the api does not start: %s", qPrintable(talk));
            }
            talk += QString::fromUtf8(m_api.readAllStandardError());
            match = ready.match(talk);
        }
        m_channel = rpc::makeChannel(QUrl(QStringLiteral("http://") + match.captured(1))).value();
    }
    static rpc::CallOptions as(const QByteArray& token)
    {
        rpc::CallOptions options;
        options.metadata = {{"authorization", "Bearer " + token}};
        return options;
    }
    Result<pb::User> whoAmI(const QByteArray& token)
    {
        const auto stub = pb::Users::NewStub(m_channel);
        return QCoro::waitFor(
            rpc::call(stub->async(), &pb::Users::Stub::async::WhoAmI, pb::WhoAmIRequest(), as(token)));
    }
    Result<pb::Box> ensure(const QByteArray& token)
    {
        const auto stub = pb::Boxes::NewStub(m_channel);
        return QCoro::waitFor(
            rpc::call(stub->async(), &pb::Boxes::Stub::async::Ensure, pb::EnsureRequest(), as(token)));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QProcess m_api;
    std::shared_ptr<grpc::Channel> m_channel;
};

QTEST_GUILESS_MAIN(TestApiProgram)
#include "tst_api_program.moc"
