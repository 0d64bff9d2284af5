// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/desktop/x_session.h"

#include <functional>
#include <QMap>

namespace cocoonbox::agent::toolhost::desktop {

// A content by the targets under which it is given out.
using Targets = QMap<QByteArray, QByteArray>;

// Owns selections and answers who asks for them, large contents piece by piece (INCR). Every event of the session goes
// through `handle`.
class SelectionOwner {
public:
    SelectionOwner(XSession& session, Targets content);

    // Whom to answer, by the window that asks; everybody unless set. Others are told that there is nothing.
    std::function<bool(xcb_window_t)> accepts;

    // Aborted: SELECTION_REFUSED when somebody else took it at the same moment.
    Result<void> take(const QByteArray& selection);
    void handle(const xcb_generic_event_t& event);
    // Wakes who asked last and has gone quiet: Chromium now and then sleeps on an answer that it has read already,
    // until anything else happens to it, and a paste that takes longer than its owner stays is lost.
    void nudge();
    void dropStale(); // transfers whose reader went quiet
    // Gives up what is still ours: the selection has no owner then.
    void release();

    bool isOwner() const { return !m_owned.isEmpty(); }
    // Contents (no lists of targets) that somebody asked for, and those that were taken to the end.
    int askedCount() const { return m_asked; }
    int takenCount() const { return m_taken; }

private:
    struct Transfer {
        xcb_window_t window = XCB_NONE;
        xcb_atom_t property = XCB_ATOM_NONE;
        xcb_atom_t type = XCB_ATOM_NONE;
        QByteArray bytes;
        qsizetype at = 0;
        bool inPieces = false;
        Clock::time_point touched;
    };
    void onRequest(const xcb_selection_request_event_t& request);
    void onDeleted(const xcb_property_notify_event_t& changed);
    bool answer(const xcb_selection_request_event_t& request, xcb_atom_t property);
    void giveTargets(const xcb_selection_request_event_t& request, xcb_atom_t property);
    void giveContent(const xcb_selection_request_event_t& request, xcb_atom_t property, const QByteArray& bytes);
    void givePiece(Transfer& transfer);

    XSession& m_session;
    Targets m_content;
    QMap<xcb_atom_t, xcb_timestamp_t> m_owned;
    QList<Transfer> m_transfers;
    qsizetype m_pieceBytes;
    xcb_window_t m_lastAsking = XCB_NONE;
    int m_asked = 0;
    int m_taken = 0;
};

} // namespace cocoonbox::agent::toolhost::desktop
