// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/machines/machines.h"

#include <map>
#include <optional>

namespace cocoonbox::api::machines {

// What a backend knows of its machines: at most one a box, none of them Gone. Every change of an entry gets a new
// revision, so that an older answer of the backend can be told from a newer one. Domain thread only.
class KnownMachines final {
public:
    QList<Machine> all() const; // in order of creation
    std::optional<Machine> find(const QString& id) const;
    std::optional<Machine> findByBox(const QString& boxId) const;
    // NotFound MACHINE_UNKNOWN.
    Result<Machine> get(const QString& id) const;
    Result<Machine> getByBox(const QString& boxId) const;

    // Adds or replaces; Gone removes. True when that changed anything.
    bool put(const Machine& machine);

    // Grows with every change of the entry; 0 for an unknown id.
    quint64 revision(const QString& id) const;

private:
    struct Entry {
        Machine machine;
        quint64 revision = 0;
    };
    std::map<QString, Entry> m_entries;
    quint64 m_lastRevision = 0;
};

// FailedPrecondition MACHINE_NOT_RUNNING, with the state and what to do.
std::unexpected<Error> notRunning(const Machine& machine);

} // namespace cocoonbox::api::machines
