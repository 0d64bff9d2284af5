// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/transcript.h"

#include <algorithm>

namespace cocoonbox::app::client {

namespace {

constexpr qsizetype kDraftUnitsMax = 1024 * 1024;

} // namespace

std::optional<Transcript::Change> Transcript::put(const Entry& entry)
{
    const auto at = std::lower_bound(m_entries.begin(), m_entries.end(), entry.seq,
                                     [](const Entry& kept, qint64 seq) { return kept.seq < seq; });
    const qsizetype index = at - m_entries.begin();
    if (at != m_entries.end() && at->seq == entry.seq) {
        if (*at == entry) return std::nullopt;
        *at = entry;
        return Change{index, false};
    }
    if (m_cut && index == 0) return std::nullopt;
    m_entries.insert(index, entry);
    return Change{index, true};
}

bool Transcript::cutToLimit()
{
    const qsizetype over = m_entries.size() - kTranscriptEntriesMax;
    if (over <= 0) return false;
    m_entries.remove(0, over + kTranscriptEntriesMax / 10);   // not one by one at each new entry
    m_cut = true;
    return true;
}

bool Transcript::continueDraft(const QString& turnId, qint64 position, const QString& text)
{
    const bool anew = position == 0;
    const bool fits = anew || (turnId == m_draft.turnId && position <= m_draft.text.size());
    if (!fits || position + text.size() > kDraftUnitsMax) {
        dropDraft();
        return false;
    }
    m_draft.turnId = turnId;
    m_draft.text.truncate(position);
    m_draft.text += text;
    return true;
}

bool Transcript::dropDraft()
{
    const bool had = !m_draft.text.isEmpty();
    m_draft = {};
    return had;
}

} // namespace cocoonbox::app::client
