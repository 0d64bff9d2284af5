// SPDX-License-Identifier: AGPL-3.0-only
#include "app/client/transcript.h"

#include <algorithm>

namespace cocoonbox::app::client {

namespace {

constexpr qsizetype kDraftUnitsMax = 1024 * 1024;

qsizetype unitsOf(const Entry& entry)
{
    const ToolCall& call = entry.toolCall;
    return entry.text.size() + call.summary.size() + call.argumentsJson.size() + call.output.size();
}

} // namespace

std::optional<Transcript::Change> Transcript::put(const Entry& entry)
{
    const auto at = std::lower_bound(m_entries.begin(), m_entries.end(), entry.seq,
                                     [](const Entry& kept, qint64 seq) { return kept.seq < seq; });
    const qsizetype index = at - m_entries.begin();
    if (at != m_entries.end() && at->seq == entry.seq) {
        if (*at == entry) return std::nullopt;
        m_units += unitsOf(entry) - unitsOf(*at);
        *at = entry;
        return Change{index, false};
    }
    if (m_cut && index == 0) return std::nullopt;
    m_units += unitsOf(entry);
    m_entries.insert(index, entry);
    return Change{index, true};
}

bool Transcript::cutToLimit()
{
    if (m_entries.size() <= kTranscriptEntriesMax && m_units <= kTranscriptUnitsMax) return false;
    // A tenth below the limits, so that it is not done again at each new entry. The newest always stays.
    qsizetype dropped = 0;
    const auto over = [&] {
        return m_entries.size() - dropped > kTranscriptEntriesMax * 9 / 10 || m_units > kTranscriptUnitsMax / 10 * 9;
    };
    while (dropped + 1 < m_entries.size() && over())
        m_units -= unitsOf(m_entries[dropped++]);
    m_entries.remove(0, dropped);
    m_cut = m_cut || dropped > 0;
    return dropped > 0;
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
