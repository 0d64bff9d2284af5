// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/session/baton.h"
#include "agent/serve/session/clipboard_board.h"
#include "agent/serve/session/draft_board.h"
#include "agent/serve/transcript/transcript.h"

#include <variant>

namespace cocoonbox::agent::serve::session {

// A piece of a draft as it is sent: `text` continues at `position`.
struct DraftPiece {
    QString agentId;
    QString turnId;
    qint64 position = 0;
    QString text;
};
using FeedItem = std::variant<transcript::Event, DraftPiece, BatonState, ClipboardState>;

// What one viewer is to be told next. It keeps places, not queues: durable events are read from the transcript when the
// viewer takes them, and of drafts, baton and clipboard it is told the present state, so a slow viewer costs no memory.
// Durable events come before drafts: a draft that began after an entry is never seen before that entry.
// Domain thread; one awaiting caller.
class EventFeed final {
public:
    EventFeed(transcript::Transcript& transcript, const DraftBoard& drafts, const Baton& baton,
              ClipboardBoard& clipboard, qint64 fromOffset);
    ~EventFeed();
    EventFeed(const EventFeed&) = delete;

    // Waits for news. Cancelled by the token.
    Task<FeedItem> next(std::stop_token stop);
    // Durable events not yet handed out.
    qint64 backlog() const { return m_transcript.lastOffset() - m_handedOut; }

private:
    struct DraftPlace {
        quint64 generation = 0;
        qsizetype position = 0;
    };
    static constexpr int kPageEvents = 32;
    static constexpr qsizetype kPieceUnitsMax = 64 * 1024;

    Task<void> readPage();
    std::optional<DraftPiece> nextDraft();
    std::optional<DraftPiece> pieceOf(const QString& agentId, const DraftBoard::Draft& draft);
    void wake();

    transcript::Transcript& m_transcript;
    const DraftBoard& m_drafts;
    const Baton& m_baton;
    ClipboardBoard& m_clipboard;
    QObject m_connections;
    QList<transcript::Event> m_page;
    qint64 m_read; // offset of the last event that was read
    qint64 m_handedOut;
    quint64 m_batonSeen = 0;
    quint64 m_clipboardSeen = 0;
    QMap<QString, DraftPlace> m_places;
    std::optional<Promise<bool>> m_waiting;
};

} // namespace cocoonbox::agent::serve::session
