// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/conformance/machines/machines_suite.h"

#include "common/net/unix_socket.h"
#include "tests/conformance/machines/suite_support.h"

#include <fcntl.h>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <sys/stat.h>
#include <thread>

// The second half of the suite: how a machine is reached, and what the host keeps for it.
namespace cocoonbox::api::machines {

void MachinesSuite::anEndpointNeedsARunningMachine()
{
    const Machine machine = claimed();

    QCOMPARE(reasonOf(m_rig.machines().endpoint(machine.id)), QStringLiteral("MACHINE_NOT_RUNNING"));
    QVERIFY(QCoro::waitFor(m_rig.machines().wake(machine.id)));
    QVERIFY(m_rig.machines().endpoint(machine.id));
    QVERIFY(QCoro::waitFor(m_rig.machines().hibernate(machine.id)));
    QCOMPARE(reasonOf(m_rig.machines().endpoint(machine.id)), QStringLiteral("MACHINE_NOT_RUNNING"));
}

void MachinesSuite::dialConnectsToWhatTheBoxServes_data()
{
    QTest::addColumn<Channel>("channel");
    QTest::newRow("agent") << Channel::Agent;
    QTest::newRow("screen") << Channel::Screen;
}

void MachinesSuite::dialConnectsToWhatTheBoxServes()
{
    QFETCH(Channel, channel);
    const Machine machine = running();
    const auto directory = net::openDirectory(channelDirectory(m_rig, machine.boxId, channel));
    QVERIFY(directory);
    const auto listener = net::listenUnixIn(directory->get(), socketName(channel));
    QVERIFY(listener);

    const auto socket = m_rig.machines().endpoint(machine.id)->dial(channel);

    QVERIFY2(socket, qPrintable(reasonOf(socket)));
    const net::UniqueFd ours(*socket);
    QVERIFY((::fcntl(ours.get(), F_GETFL) & O_NONBLOCK) != 0);
    QVERIFY((::fcntl(ours.get(), F_GETFD) & FD_CLOEXEC) != 0);
    const auto theirs = net::acceptFrom(listener->get());
    QVERIFY(theirs && theirs->isValid());
    QCOMPARE(::write(theirs->get(), "hello", 5), 5);
    QByteArray heard(5, '\0');
    QCOMPARE(::read(ours.get(), heard.data(), 5), 5);
    QCOMPARE(heard, QByteArray("hello"));
}

void MachinesSuite::dialBeforeTheBoxListensIsWorthAnotherTry()
{
    const Machine machine = running();
    const Endpoint endpoint = *m_rig.machines().endpoint(machine.id);

    const auto missing = endpoint.dial(Channel::Agent);
    QCOMPARE(reasonOf(missing), QStringLiteral("CHANNEL_NOT_READY"));
    QVERIFY(isRetryable(missing.error().code));

    const QString directory = channelDirectory(m_rig, machine.boxId, Channel::Agent);
    QVERIFY(net::listenUnixIn(net::openDirectory(directory)->get(), QStringLiteral("agent.sock")));
    QVERIFY(QFileInfo::exists(directory + QStringLiteral("/agent.sock"))); // its listener is closed again
    QCOMPARE(reasonOf(endpoint.dial(Channel::Agent)), QStringLiteral("CHANNEL_NOT_READY"));
}

void MachinesSuite::dialNeverOpensWhatIsNoSocket_data()
{
    QTest::addColumn<Channel>("channel");
    QTest::addColumn<Trap>("trap");
    for (const auto& [name, channel] : {std::pair{"agent", Channel::Agent}, std::pair{"screen", Channel::Screen}}) {
        QTest::addRow("%s: a link to a socket", name) << channel << Trap::LinkToSocket;
        QTest::addRow("%s: a FIFO", name) << channel << Trap::Fifo;
        QTest::addRow("%s: a file", name) << channel << Trap::File;
        QTest::addRow("%s: a directory", name) << channel << Trap::Directory;
    }
}

void MachinesSuite::dialNeverOpensWhatIsNoSocket()
{
    QFETCH(Channel, channel);
    QFETCH(Trap, trap);
    const Machine machine = running();
    // The victim is a socket of the host that listens: following the link would succeed.
    const QString directory = channelDirectory(m_rig, machine.boxId, channel);
    const auto victim = net::listenUnixIn(net::openDirectory(directory)->get(), QStringLiteral("victim.sock"));
    QVERIFY(victim);
    m_rig.setTrap(machine, channel, trap, QStringLiteral("victim.sock"));
    QElapsedTimer elapsed;
    elapsed.start();

    const auto socket = m_rig.machines().endpoint(machine.id)->dial(channel);

    QCOMPARE(reasonOf(socket), QStringLiteral("CHANNEL_HOSTILE"));
    QVERIFY(elapsed.elapsed() < 500);
    const auto reached = net::acceptFrom(victim->get());
    QVERIFY(reached && !reached->isValid());
}

void MachinesSuite::dialWorksOnOtherThreads()
{
    const Machine machine = running();
    const auto directory = net::openDirectory(channelDirectory(m_rig, machine.boxId, Channel::Agent));
    const auto listener = net::listenUnixIn(directory->get(), QStringLiteral("agent.sock"));
    QVERIFY(listener);
    const Endpoint endpoint = *m_rig.machines().endpoint(machine.id);
    std::atomic<int> connected = 0;

    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([endpoint, &connected] {
            for (int call = 0; call < 8; ++call) {
                const auto socket = endpoint.dial(Channel::Agent);
                if (!socket) continue;
                ++connected;
                ::close(*socket);
            }
        });
    threads.clear();

    QCOMPARE(connected.load(), 64);
}

void MachinesSuite::deliverReplacesTheIdentity()
{
    const Machine machine = claimed();
    Identity identity = identityFor(machine.boxId);
    QVERIFY(QCoro::waitFor(m_rig.machines().deliver(machine.id, identity)));
    identity.wakeId = QStringLiteral("the second wake");
    identity.model = QStringLiteral("large-1");

    QVERIFY(QCoro::waitFor(m_rig.machines().deliver(machine.id, identity)));

    const QString path =
        m_rig.dataDirectory() + QStringLiteral("/boxes/") + machine.boxId + QStringLiteral("/run/identity");
    QCOMPARE(QDir(path).entryList(QDir::Files | QDir::Hidden), QStringList{QStringLiteral("identity")});
    QFile file(path + QStringLiteral("/identity"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject fields = QJsonDocument::fromJson(file.readAll()).object();
    QCOMPARE(fields.size(), 5);
    QCOMPARE(fields.value(QStringLiteral("model")).toString(), QStringLiteral("large-1"));
    QCOMPARE(fields.value(QStringLiteral("box_id")).toString(), machine.boxId);
    QCOMPARE(fields.value(QStringLiteral("wake_id")).toString(), QStringLiteral("the second wake"));
    QCOMPARE(fields.value(QStringLiteral("key_id")).toString(), QStringLiteral("key-1"));
    QCOMPARE(QByteArray::fromBase64(fields.value(QStringLiteral("public_key")).toString().toLatin1()),
             identity.publicKey);
    struct stat found = {};
    QCOMPARE(::stat(QFile::encodeName(file.fileName()).constData(), &found), 0);
    QCOMPARE(found.st_mode & 0777U, 0644U);
}

void MachinesSuite::deliverRefusesWhatDoesNotFit_data()
{
    const QString own = QStringLiteral("own");
    QTest::addColumn<QString>("boxId");
    QTest::addColumn<QString>("wakeId");
    QTest::addColumn<int>("keyBytes");
    QTest::newRow("another box") << newId(u"box_") << own << 32;
    QTest::newRow("no wake id") << own << QString() << 32;
    QTest::newRow("a long wake id") << own << QString(129, u'x') << 32;
    QTest::newRow("a short key") << own << own << 31;
}

void MachinesSuite::deliverRefusesWhatDoesNotFit()
{
    QFETCH(QString, boxId);
    QFETCH(QString, wakeId);
    QFETCH(int, keyBytes);
    const Machine machine = claimed();
    const QString own = boxId == u"own" ? machine.boxId : boxId;

    const auto delivered = QCoro::waitFor(m_rig.machines().deliver(
        machine.id, Identity{own, wakeId, QStringLiteral("key-1"), QByteArray(keyBytes, 'k')}));

    QCOMPARE(reasonOf(delivered), QStringLiteral("IDENTITY_INVALID"));
}

void MachinesSuite::metaIsKeptOverHibernateAndForgottenByRelease()
{
    Machines& machines = m_rig.machines();
    const Machine machine = running();
    QVERIFY(QCoro::waitFor(machines.meta(machine.id))->isEmpty());
    QVERIFY(QCoro::waitFor(machines.setMeta(machine.id, QStringLiteral("wake-id"), QStringLiteral("w1"))));
    QVERIFY(QCoro::waitFor(machines.setMeta(machine.id, QStringLiteral("wake-id"), QStringLiteral("w2 é"))));
    QVERIFY(QCoro::waitFor(machines.setMeta(machine.id, QStringLiteral("short-lived"), QStringLiteral("x"))));
    QVERIFY(QCoro::waitFor(machines.setMeta(machine.id, QStringLiteral("short-lived"), QString())));
    QVERIFY(QCoro::waitFor(machines.hibernate(machine.id)));
    QVERIFY(QCoro::waitFor(machines.wake(machine.id)));

    const auto kept = QCoro::waitFor(machines.meta(machine.id));
    QVERIFY(kept);
    QCOMPARE(*kept, (QHash<QString, QString>{{QStringLiteral("wake-id"), QStringLiteral("w2 é")}}));

    QVERIFY(QCoro::waitFor(machines.release(machine.id)));
    const auto next = QCoro::waitFor(machines.claim(m_rig.spec(machine.boxId)));
    QVERIFY(next && next->id != machine.id);
    QVERIFY(QCoro::waitFor(machines.meta(next->id))->isEmpty());
}

void MachinesSuite::metaIsBounded()
{
    Machines& machines = m_rig.machines();
    const Machine machine = claimed();
    const auto set = [&](const QString& key, const QString& value) {
        return reasonOf(QCoro::waitFor(machines.setMeta(machine.id, key, value)));
    };
    QCOMPARE(set({}, QStringLiteral("x")), QStringLiteral("META_INVALID"));
    QCOMPARE(set(QStringLiteral("Upper"), QStringLiteral("x")), QStringLiteral("META_INVALID"));
    QCOMPARE(set(QString(kMetaKeyCharsMax + 1, u'k'), QStringLiteral("x")), QStringLiteral("META_INVALID"));
    QCOMPARE(set(QStringLiteral("k"), QString(kMetaValueBytesMax + 1, u'v')), QStringLiteral("META_INVALID"));
    QCOMPARE(set(QStringLiteral("k"), QString(kMetaValueBytesMax / 2 + 1, u'é')), QStringLiteral("META_INVALID"));
    for (int i = 0; i < kMetaKeysMax; ++i)
        QCOMPARE(set(QStringLiteral("key.%1").arg(i), QString(kMetaValueBytesMax, u'\x1')), QStringLiteral("no error"));

    QCOMPARE(set(QStringLiteral("one-too-many"), QStringLiteral("x")), QStringLiteral("META_FULL"));
    QCOMPARE(set(QStringLiteral("key.0"), QStringLiteral("other")), QStringLiteral("no error"));
    QCOMPARE(QCoro::waitFor(machines.meta(machine.id))->size(), kMetaKeysMax);
}

void MachinesSuite::theDoorDirectoryStandsFromClaimToRelease()
{
    Machines& machines = m_rig.machines();
    const Machine machine = claimed();

    const auto door = machines.doorDirectory(machine.boxId);

    QVERIFY(door);
    struct stat found = {};
    QCOMPARE(::lstat(QFile::encodeName(*door).constData(), &found), 0);
    QVERIFY(S_ISDIR(found.st_mode));
    QCOMPARE(found.st_mode & 0777U, 0750U);
    if (::geteuid() == 0) QCOMPARE(found.st_gid, 990U);
    QVERIFY(net::listenUnixIn(net::openDirectory(*door)->get(), QStringLiteral("http.sock"), {.mode = 0666}));
    QVERIFY(QCoro::waitFor(machines.release(machine.id)));
    QCOMPARE(reasonOf(machines.doorDirectory(machine.boxId)), QStringLiteral("MACHINE_UNKNOWN"));
    QVERIFY(!QFileInfo::exists(*door));
}

} // namespace cocoonbox::api::machines
