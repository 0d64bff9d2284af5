// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/podman/podman_answers.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

namespace cocoonbox::api::machines {

namespace {

const QString kBox = QStringLiteral("box_01kbc3d7v5h8k2m4n6p8q0r2s4");

QByteArray line(const QByteArray& state, const QString& box = kBox)
{
    const QJsonObject labels{{QStringLiteral("cocoonbox.box"), box},
                             {QStringLiteral("cocoonbox.flavor"), QStringLiteral("small")}};
    const QJsonObject container{{QStringLiteral("id"), QString(64, u'a')},
                                {QStringLiteral("image"), QStringLiteral("localhost/x:current")},
                                {QStringLiteral("created"), QStringLiteral("2026-12-01T02:35:02.25Z")},
                                {QStringLiteral("labels"), labels},
                                {QStringLiteral("state"), QJsonDocument::fromJson(state).object()}};
    return QJsonDocument(container).toJson(QJsonDocument::Compact) + '\n';
}

} // namespace

class PodmanAnswersTest final : public QObject {
    Q_OBJECT
private slots:
    void aContainerIsReadWithItsState_data()
    {
        QTest::addColumn<QByteArray>("state");
        QTest::addColumn<MachineState>("expected");
        QTest::addColumn<QString>("inReason");
        QTest::addColumn<qint64>("pid");
        QTest::newRow("never started") << QByteArray(R"({"Status":"created","Pid":0})") << MachineState::Stopped
                                       << QString() << 0LL;
        QTest::newRow("running") << QByteArray(R"({"Status":"running","Pid":77})") << MachineState::Running << QString()
                                 << 77LL;
        QTest::newRow("stop cut short") << QByteArray(R"({"Status":"stopping","Pid":78})") << MachineState::Running
                                        << QString() << 78LL;
        QTest::newRow("stopped by a call") << QByteArray(R"({"Status":"exited","ExitCode":137,"StoppedByUser":true})")
                                           << MachineState::Stopped << QString() << 0LL;
        QTest::newRow("killed") << QByteArray(R"({"Status":"exited","ExitCode":137})") << MachineState::Failed
                                << QStringLiteral("signal 9") << 0LL;
        QTest::newRow("killed, not cleaned up") << QByteArray(R"({"Status":"stopped","ExitCode":143})")
                                                << MachineState::Failed << QStringLiteral("signal 15") << 0LL;
        QTest::newRow("ended") << QByteArray(R"({"Status":"exited","ExitCode":3})") << MachineState::Failed
                               << QStringLiteral("exit code 3") << 0LL;
        QTest::newRow("out of memory") << QByteArray(R"({"Status":"exited","ExitCode":137,"OOMKilled":true})")
                                       << MachineState::Failed << QStringLiteral("ran out of memory") << 0LL;
    }

    void aContainerIsReadWithItsState()
    {
        QFETCH(QByteArray, state);
        QFETCH(MachineState, expected);
        QFETCH(QString, inReason);
        QFETCH(qint64, pid);

        const auto containers = readContainers(line(state));

        QVERIFY(containers);
        QCOMPARE(containers->size(), 1);
        const auto& [machine, foundPid] = containers->constFirst();
        QCOMPARE(machine.state, expected);
        QVERIFY2(machine.reason.contains(inReason) && machine.reason.isEmpty() == inReason.isEmpty(),
                 qPrintable(machine.reason));
        QCOMPARE(foundPid, pid);
        QCOMPARE(machine.boxId, kBox);
        QCOMPARE(machine.flavor, QStringLiteral("small"));
        QCOMPARE(machine.image, QStringLiteral("localhost/x:current"));
        QCOMPARE(machine.createdAtMs, 1796092502250LL);
    }

    void severalLinesAreSeveralContainers()
    {
        QCOMPARE(readContainers(line(R"({"Status":"created"})") + line(R"({"Status":"running","Pid":1})"))->size(), 2);
        QCOMPARE(readContainers("\n")->size(), 0);
    }

    void whatIsNotOursIsRefused_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::newRow("no JSON") << QByteArray("Error: something\n");
        QTest::newRow("a box id that is a path") << line(R"({"Status":"created"})", QStringLiteral("../../../../etc"));
        QTest::newRow("no state") << line("null");
        QTest::newRow("cut short") << line(R"({"Status":"created"})").left(90);
    }

    void whatIsNotOursIsRefused()
    {
        QFETCH(QByteArray, lines);

        const auto containers = readContainers(lines);

        QVERIFY(!containers);
        QCOMPARE(containers.error().reason, QStringLiteral("PODMAN_UNREADABLE"));
    }

    void failuresOfPodmanAreTypedWithAdvice_data()
    {
        QTest::addColumn<QByteArray>("said");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("reason");
        QTest::newRow("image") << QByteArray("Error: localhost/nope:latest: image not known")
                               << ErrorCode::FailedPrecondition << QStringLiteral("IMAGE_MISSING");
        QTest::newRow("container") << QByteArray("Error: no container with name or ID \"p9\" found: no such container")
                                   << ErrorCode::NotFound << QStringLiteral("MACHINE_UNKNOWN");
        QTest::newRow("disk") << QByteArray("Error: mkdir /x/overlay: no space left on device")
                              << ErrorCode::ResourceExhausted << QStringLiteral("DISK_FULL");
        QTest::newRow("name")
            << QByteArray("Error: creating container storage: the container name \"c\" is already in use by 12")
            << ErrorCode::AlreadyExists << QStringLiteral("MACHINE_NAME_TAKEN");
        QTest::newRow("runtime")
            << QByteArray("Error: unable to start container: runc: runc create failed: x: OCI runtime error")
            << ErrorCode::FailedPrecondition << QStringLiteral("RUNTIME_REFUSED");
        QTest::newRow("subuid") << QByteArray("cannot find UID/GID for user joe: no subuid ranges found")
                                << ErrorCode::FailedPrecondition << QStringLiteral("ROOTLESS_UNPREPARED");
        QTest::newRow("mount") << QByteArray("Error: statfs /data/boxes/b/run/agent: no such file or directory")
                               << ErrorCode::FailedPrecondition << QStringLiteral("DATA_DIR_UNUSABLE");
        QTest::newRow("other") << QByteArray("Error: something new") << ErrorCode::Internal
                               << QStringLiteral("PODMAN_FAILED");
    }

    void failuresOfPodmanAreTypedWithAdvice()
    {
        QFETCH(QByteArray, said);
        QFETCH(ErrorCode, code);
        QFETCH(QString, reason);

        const auto checked = checkPodman({125, {}, said}, QStringLiteral("Starting the box"));

        QVERIFY(!checked);
        QCOMPARE(checked.error().code, code);
        QCOMPARE(checked.error().reason, reason);
        QCOMPARE(checked.error().detail, QString::fromUtf8(said));
        QVERIFY(checked.error().message.startsWith(QStringLiteral("Starting the box: ")));
        QVERIFY2(!checked.error().message.contains(u'/') || reason == u"IMAGE_MISSING" ||
                     reason == u"ROOTLESS_UNPREPARED",
                 "no path of the host in what people read");
    }

    void successIsNoFailureWhateverWasPrinted()
    {
        QVERIFY(checkPodman({0, {}, "level=warning msg=\"no such container\""}, {}));
    }

    void anAbsentOrSlowPodmanIsTyped()
    {
        const Error absent = podmanFailure({ErrorCode::NotFound, {}, QStringLiteral("PROGRAM_NOT_FOUND"), {}, {}}, {});
        const Error slow =
            podmanFailure({ErrorCode::DeadlineExceeded, {}, QStringLiteral("PROCESS_TIMEOUT"), {}, {}}, {});

        QCOMPARE(absent.reason, QStringLiteral("PODMAN_MISSING"));
        QCOMPARE(absent.code, ErrorCode::FailedPrecondition);
        QCOMPARE(slow.reason, QStringLiteral("MACHINE_TIMEOUT"));
    }
};

} // namespace cocoonbox::api::machines

QTEST_GUILESS_MAIN(cocoonbox::api::machines::PodmanAnswersTest)
#include "tst_podman_answers.moc"
