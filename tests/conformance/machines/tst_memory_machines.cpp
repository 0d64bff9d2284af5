// SPDX-License-Identifier: AGPL-3.0-only
#include "api/machines/memory/memory_machines.h"
#include "common/base/ids.h"
#include "tests/conformance/machines/machines_suite.h"

#include <QCoroTask>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <sys/stat.h>

namespace cocoonbox::api::machines {

class MemoryRig final : public MachinesRig {
public:
    // A long path: sockets must work where sockaddr_un's 107 bytes do not reach.
    MemoryRig() : m_data(m_root.filePath(QString(150, u'd')))
    {
        auto machines = MemoryMachines::create(m_data);
        if (!machines) qFatal("%s", qPrintable(machines.error().message));
        m_machines = *std::move(machines);
    }

    Machines& machines() override { return *m_machines; }
    MachineSpec spec(const QString& boxId) const override
    {
        return {boxId, QStringLiteral("an image"), *flavorNamed(u"small")};
    }
    QString dataDirectory() const override { return m_data; }
    void writeDisk(const QString& id, const QString& name, const QByteArray& text) override
    {
        m_machines->disk(id)[name] = text;
    }
    QByteArray readDisk(const QString& id, const QString& name) override { return m_machines->disk(id).value(name); }
    void setTrap(const Machine& machine, Channel channel, Trap trap, const QString& linkTarget) override
    {
        const QString path = m_machines->channelDirectory(machine.boxId, channel) +
                             (channel == Channel::Agent ? QStringLiteral("/agent.sock") : QStringLiteral("/rfb.sock"));
        const QByteArray name = QFile::encodeName(path);
        switch (trap) {
        case Trap::LinkToSocket: QVERIFY(QFile::link(linkTarget, path)); return;
        case Trap::Fifo: QCOMPARE(::mkfifo(name.constData(), 0666), 0); return;
        case Trap::Directory: QVERIFY(QDir().mkdir(path)); return;
        case Trap::File: {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            return;
        }
        }
    }
    void kill(const Machine& machine) override { m_machines->die(machine.id, QStringLiteral("It crashed.")); }

private:
    QTemporaryDir m_root;
    QString m_data;
    std::unique_ptr<MemoryMachines> m_machines;
};

// What only the memory backend can do.
class MemoryOnly final : public QObject {
    Q_OBJECT
private slots:
    void aFailureThatWasAskedForChangesNothing()
    {
        const QTemporaryDir data;
        const auto machines = *MemoryMachines::create(data.path());
        const auto machine =
            QCoro::waitFor(machines->claim({newId(u"box_"), QStringLiteral("an image"), *flavorNamed(u"small")}));
        QVERIFY(machine);
        machines->failNext(
            MemoryMachines::Call::Wake,
            {ErrorCode::ResourceExhausted, QStringLiteral("The disk is full."), QStringLiteral("DISK_FULL"), {}, {}});

        const auto refused = QCoro::waitFor(machines->wake(machine->id));

        QVERIFY(!refused);
        QCOMPARE(refused.error().reason, QStringLiteral("DISK_FULL"));
        QCOMPARE(machines->machines().constFirst().state, MachineState::Stopped);
        QVERIFY(QCoro::waitFor(machines->wake(machine->id)));
    }
};

} // namespace cocoonbox::api::machines

int main(int argc, char** argv)
{
    using namespace cocoonbox::api::machines;
    QCoreApplication app(argc, argv);
    MemoryRig rig;
    MachinesSuite suite(rig);
    MemoryOnly only;
    return QTest::qExec(&suite, argc, argv) + (argc > 1 ? 0 : QTest::qExec(&only, argc, argv));
}

#include "tst_memory_machines.moc"
