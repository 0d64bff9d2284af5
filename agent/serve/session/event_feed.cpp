// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/serve/session/event_feed.h"

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::serve::session {

EventFeed::EventFeed(transcript::Transcript& transcript, const DraftBoard& drafts, const Baton& baton,
                     ClipboardBoard& clipboard, qint64 fromOffset)
    : m_transcript(transcript), m_drafts(drafts), m_baton(baton), m_clipboard(clipboard), m_read(fromOffset),
      m_handedOut(fromOffset)
{
    QObject::connect(&transcript, &transcript::Transcript::advanced, &m_connections, [this] { wake(); });
    QObject::connect(&drafts, &DraftBoard::changed, &m_connections, [this] { wake(); });
    QObject::connect(&baton, &Baton::changed, &m_connections, [this] { wake(); });
    QObject::connect(&clipboard, &ClipboardBoard::changed, &m_connections, [this] { wake(); });
    m_clipboard.follow();
}

EventFeed::~EventFeed()
{
    m_clipboard.unfollow();
}

void EventFeed::wake()
{
    if (!m_waiting) return;
    const Promise<bool> waiting = *std::exchange(m_waiting, std::nullopt);
    waiting.set(true);
}

Task<FeedItem> EventFeed::next(std::stop_token stop)
{
    while (!stop.stop_requested()) {
        if (m_batonSeen != m_baton.generation()) {
            m_batonSeen = m_baton.generation();
            co_return FeedItem(m_baton.state());
        }
        if (m_clipboardSeen != m_clipboard.generation()) {
            m_clipboardSeen = m_clipboard.generation();
            co_return FeedItem(m_clipboard.state());
        }
        if (!m_page.isEmpty()) {
            transcript::Event event = m_page.takeFirst();
            m_handedOut = event.offset;
            co_return FeedItem(std::move(event));
        }
        if (m_read < m_transcript.lastOffset()) {
            CO_TRY_VOID(co_await readPage());
            continue;
        }
        if (auto piece = nextDraft()) co_return FeedItem(*std::move(piece));
        m_waiting = Promise<bool>();
        const Promise<bool> waiting = *m_waiting;
        const std::stop_callback onStop(stop, [waiting] { postToDomain([waiting] { waiting.set(true); }); });
        co_await waiting.get();
    }
    co_return fail(ErrorCode::Cancelled, u"Cancelled."_s);
}

Task<void> EventFeed::readPage()
{
    const qint64 last = m_transcript.lastOffset();
    CO_TRY_ASSIGN(m_page, co_await m_transcript.eventsAfter(m_read, kPageEvents));
    // The newest offset always has its event, so an empty page means that the reader had it already.
    m_read = m_page.isEmpty() ? last : m_page.last().offset;
    co_return {};
}

std::optional<DraftPiece> EventFeed::nextDraft()
{
    for (auto place = m_places.begin(); place != m_places.end();)
        place = m_drafts.drafts().contains(place.key()) ? std::next(place) : m_places.erase(place);
    for (const auto& [agentId, draft] : m_drafts.drafts().asKeyValueRange())
        if (auto piece = pieceOf(agentId, draft)) return piece;
    return std::nullopt;
}

std::optional<DraftPiece> EventFeed::pieceOf(const QString& agentId, const DraftBoard::Draft& draft)
{
    DraftPlace& place = m_places[agentId];
    const bool anew = place.generation != draft.generation;
    // Text that was shown and is no longer true must go, even when nothing follows it yet.
    const bool mustReset = anew && place.position > 0;
    if (anew) place = {draft.generation, 0};
    QString text = draft.text.mid(place.position, kPieceUnitsMax);
    if (!text.isEmpty() && text.back().isHighSurrogate()) text.chop(1); // its other half is still to come
    if (text.isEmpty() && !mustReset) return std::nullopt;
    DraftPiece piece{agentId, draft.turnId, place.position, text};
    place.position += text.size();
    return piece;
}

} // namespace cocoonbox::agent::serve::session
