// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/box_directories.h"
#include "api/machines/machines.h"

namespace cocoonbox::api::machines {

// What a box may put in the place of its socket to lead the host astray.
enum class Trap { LinkToSocket, Fifo, File, Directory };

// A backend under test, and the hands that act inside its boxes.
class MachinesRig {
public:
    virtual ~MachinesRig() = default;

    virtual Machines& machines() = 0;
    virtual MachineSpec spec(const QString& boxId) const = 0;
    // <data-dir>, whose layout all backends share.
    virtual QString dataDirectory() const = 0;

    // Inside the running box: on its own disk, in its channel directory.
    virtual void writeDisk(const QString& id, const QString& name, const QByteArray& text) = 0;
    virtual QByteArray readDisk(const QString& id, const QString& name) = 0;
    virtual void setTrap(const Machine& machine, Channel channel, Trap trap, const QString& linkTarget) = 0;
    // Ends the box's programs as a crash does.
    virtual void kill(const Machine& machine) = 0;
};

} // namespace cocoonbox::api::machines
