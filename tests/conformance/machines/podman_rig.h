// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/podman/podman_machines.h"
#include "tests/conformance/machines/machines_rig.h"

#include <QTemporaryDir>

namespace cocoonbox::api::machines {

// Real containers in a podman root of their own, from an image of one file: a static busybox.
class PodmanRig final : public MachinesRig {
public:
    // Why podman cannot be tested here; empty when it can.
    QString open();
    ~PodmanRig() override;

    Machines& machines() override;
    MachineSpec spec(const QString& boxId) const override;
    QString dataDirectory() const override { return m_config.dataDirectory; }
    void writeDisk(const QString& id, const QString& name, const QByteArray& text) override;
    QByteArray readDisk(const QString& id, const QString& name) override;
    void setTrap(const Machine& machine, Channel channel, Trap trap, const QString& linkTarget) override;
    void kill(const Machine& machine) override;

    const PodmanConfig& config() const { return m_config; }
    const PodmanHost& host() const { return m_machines->host(); }
    // The api's part dies and starts again; the boxes do not notice.
    void close() { m_machines.reset(); }
    Result<void> reopen();
    // A shell command as the box's root; what it prints, both streams. A failure of the command is its exit code.
    process::ProcessResult inBox(const QString& id, const QString& script, const QByteArray& input = {});
    // podman with this rig's roots, as an operator would call it beside the api.
    process::ProcessResult podman(const QStringList& arguments, const QByteArray& input = {});

private:
    QString makeImage();

    QTemporaryDir m_root;
    PodmanConfig m_config;
    PodmanHost m_host;
    std::unique_ptr<PodmanMachines> m_machines;
};

} // namespace cocoonbox::api::machines
