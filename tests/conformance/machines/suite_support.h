// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/ids.h"
#include "tests/conformance/machines/machines_rig.h"

#include <QCoroTask>

// What the suite's files share.
namespace cocoonbox::api::machines {

using States = QList<MachineState>;

// The states that one machine went through since this was made.
class Heard {
public:
    Heard(Machines& machines, QString boxId) : m_boxId(std::move(boxId))
    {
        m_connection = QObject::connect(&machines, &Machines::changed, &machines, [this](const Machine& machine) {
            if (machine.boxId == m_boxId) states.append(machine.state);
        });
    }
    ~Heard() { QObject::disconnect(m_connection); }

    States states;

private:
    QString m_boxId;
    QMetaObject::Connection m_connection;
};

template <class T>
QString reasonOf(const Result<T>& result)
{
    return result ? QStringLiteral("no error") : result.error().reason;
}

inline MachineState stateOf(Machines& machines, const QString& id)
{
    for (const Machine& machine : machines.machines())
        if (machine.id == id) return machine.state;
    return MachineState::Gone;
}

inline Identity identityFor(const QString& boxId)
{
    return {boxId, randomHex128(), QStringLiteral("key-1"), QByteArray(32, '\x2a')};
}

inline QString socketName(Channel channel)
{
    return channel == Channel::Agent ? QStringLiteral("agent.sock") : QStringLiteral("rfb.sock");
}

inline QString channelDirectory(const MachinesRig& rig, const QString& boxId, Channel channel)
{
    return rig.dataDirectory() + QStringLiteral("/boxes/") + boxId +
           (channel == Channel::Agent ? QStringLiteral("/run/agent") : QStringLiteral("/run/screen"));
}

} // namespace cocoonbox::api::machines
