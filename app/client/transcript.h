// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/client/agent_types.h"

#include <optional>

namespace cocoonbox::app::client {

inline constexpr qsizetype kTranscriptEntriesMax = 5000;
inline constexpr qsizetype kTranscriptUnitsMax = 32 * 1024 * 1024; // UTF-16 code units of all texts together

// One agent's entries in order of seq, and the draft after them. A pure value: the same events in, the same state out,
// however often some of them come again.
class Transcript {
public:
    const QList<Entry>& entries() const { return m_entries; }
    const Draft& draft() const { return m_draft; }
    bool isLoaded() const { return m_loaded; }
    bool isCut() const { return m_cut; } // older entries were dropped at the limit
    qint64 lastSeq() const { return m_entries.isEmpty() ? 0 : m_entries.last().seq; }

    struct Change {
        qsizetype index;
        bool added; // else changed
    };
    // Puts the entry at its seq. Nothing when it is there already and the same, or older than what is kept.
    std::optional<Change> put(const Entry& entry);
    // Drops the oldest beyond the limits; true when it did, and indexes have moved.
    bool cutToLimit();
    // Continues the draft at `position` (UTF-16 code units; 0 starts it anew). False when text is missing in between:
    // the draft is then dropped until it starts anew.
    bool continueDraft(const QString& turnId, qint64 position, const QString& text);
    bool dropDraft(); // whether there was one
    void setLoaded() { m_loaded = true; }

private:
    QList<Entry> m_entries;
    qsizetype m_units = 0;
    Draft m_draft;
    bool m_loaded = false;
    bool m_cut = false;
};

} // namespace cocoonbox::app::client
