// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/selection_owner.h"

#include <algorithm>
#include <cstring>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

constexpr auto kQuietMax = 10s;
constexpr qsizetype kTransfersMax = 16;
constexpr qsizetype kPieceBytesMax = 256 * 1024;
constexpr qsizetype kRequestOverhead = 64; // of ChangeProperty

} // namespace

SelectionOwner::SelectionOwner(XSession& session, Targets content)
    : m_session(session), m_content(std::move(content)),
      m_pieceBytes(std::min<qsizetype>(
          kPieceBytesMax,
          static_cast<qsizetype>(xcb_get_maximum_request_length(session.connection())) * 4 - kRequestOverhead))
{
}

Result<void> SelectionOwner::take(const QByteArray& selection)
{
    const xcb_atom_t atom = m_session.atom(selection);
    const xcb_timestamp_t time = m_session.now();
    xcb_set_selection_owner(m_session.connection(), m_session.window(), atom, time);
    const Reply<xcb_get_selection_owner_reply_t> owner(xcb_get_selection_owner_reply(
        m_session.connection(), xcb_get_selection_owner(m_session.connection(), atom), nullptr));
    if (!owner) return screenUnreachable();
    if (owner->owner != m_session.window())
        return fail(ErrorCode::Aborted, u"Another program took the clipboard at the same moment. Try again."_s,
                    u"SELECTION_REFUSED"_s);
    m_owned.insert(atom, time);
    return {};
}

void SelectionOwner::release()
{
    for (const auto& [selection, time] : std::exchange(m_owned, {}).asKeyValueRange())
        xcb_set_selection_owner(m_session.connection(), XCB_NONE, selection, time);
    m_session.sync();
}

void SelectionOwner::handle(const xcb_generic_event_t& event)
{
    switch (event.response_type & 0x7f) {
    case XCB_SELECTION_REQUEST: return onRequest(reinterpret_cast<const xcb_selection_request_event_t&>(event));
    case XCB_SELECTION_CLEAR:
        m_owned.remove(reinterpret_cast<const xcb_selection_clear_event_t&>(event).selection);
        return;
    case XCB_PROPERTY_NOTIFY: {
        const auto& changed = reinterpret_cast<const xcb_property_notify_event_t&>(event);
        if (changed.state == XCB_PROPERTY_DELETE) onDeleted(changed);
        return;
    }
    default: return;
    }
}

void SelectionOwner::nudge()
{
    if (m_lastAsking == XCB_NONE) return;
    // Who takes contents in pieces hears of its window's properties, and of those of other names does nothing.
    const xcb_atom_t name = m_session.atom("COCOONBOX_NUDGE");
    xcb_change_property(m_session.connection(), XCB_PROP_MODE_APPEND, m_lastAsking, name, XCB_ATOM_STRING, 8, 0,
                        nullptr);
    xcb_delete_property(m_session.connection(), m_lastAsking, name);
    m_session.flush();
}

void SelectionOwner::onRequest(const xcb_selection_request_event_t& request)
{
    // An old client names no property: the target's name stands in for it.
    const xcb_atom_t property = request.property != XCB_ATOM_NONE ? request.property : request.target;
    const bool isGiven =
        m_owned.contains(request.selection) && (!accepts || accepts(request.requestor)) && answer(request, property);
    if (isGiven) m_lastAsking = request.requestor;
    xcb_selection_notify_event_t notify{};
    notify.response_type = XCB_SELECTION_NOTIFY;
    notify.time = request.time;
    notify.requestor = request.requestor;
    notify.selection = request.selection;
    notify.target = request.target;
    notify.property = isGiven ? property : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
    // Events are sent as 32 bytes, whatever the structure's size.
    char bytes[32] = {};
    std::memcpy(bytes, &notify, std::min(sizeof bytes, sizeof notify));
    xcb_send_event(m_session.connection(), 0, request.requestor, 0, bytes);
    m_session.flush();
}

bool SelectionOwner::answer(const xcb_selection_request_event_t& request, xcb_atom_t property)
{
    if (request.target == m_session.atom("TARGETS")) {
        giveTargets(request, property);
        return true;
    }
    if (request.target == m_session.atom("TIMESTAMP")) {
        const xcb_timestamp_t time = m_owned.value(request.selection);
        xcb_change_property(m_session.connection(), XCB_PROP_MODE_REPLACE, request.requestor, property,
                            XCB_ATOM_INTEGER, 32, 1, &time);
        return true;
    }
    const auto content = m_content.constFind(m_session.atomName(request.target));
    if (content == m_content.cend() || m_transfers.size() >= kTransfersMax) return false;
    giveContent(request, property, *content);
    return true;
}

void SelectionOwner::giveTargets(const xcb_selection_request_event_t& request, xcb_atom_t property)
{
    QList<xcb_atom_t> atoms{m_session.atom("TARGETS"), m_session.atom("TIMESTAMP")};
    for (const auto& [target, bytes] : m_content.asKeyValueRange())
        atoms.append(m_session.atom(target));
    xcb_change_property(m_session.connection(), XCB_PROP_MODE_REPLACE, request.requestor, property, XCB_ATOM_ATOM, 32,
                        static_cast<quint32>(atoms.size()), atoms.constData());
}

void SelectionOwner::giveContent(const xcb_selection_request_event_t& request, xcb_atom_t property,
                                 const QByteArray& bytes)
{
    ++m_asked;
    // The deletion of the property is the reader's word that it has it.
    const quint32 events[] = {XCB_EVENT_MASK_PROPERTY_CHANGE};
    if (request.requestor != m_session.window())
        xcb_change_window_attributes(m_session.connection(), request.requestor, XCB_CW_EVENT_MASK, events);
    Transfer transfer{request.requestor, property, request.target, bytes, 0, bytes.size() > m_pieceBytes, Clock::now()};
    if (transfer.inPieces) {
        const auto size = static_cast<quint32>(bytes.size());
        xcb_change_property(m_session.connection(), XCB_PROP_MODE_REPLACE, request.requestor, property,
                            m_session.atom("INCR"), 32, 1, &size);
    } else {
        givePiece(transfer);
    }
    m_transfers.append(transfer);
}

void SelectionOwner::givePiece(Transfer& transfer)
{
    const qsizetype size = std::min(m_pieceBytes, transfer.bytes.size() - transfer.at);
    xcb_change_property(m_session.connection(), XCB_PROP_MODE_REPLACE, transfer.window, transfer.property,
                        transfer.type, 8, static_cast<quint32>(size), transfer.bytes.constData() + transfer.at);
    transfer.at += size;
    transfer.touched = Clock::now();
    m_session.flush();
}

void SelectionOwner::onDeleted(const xcb_property_notify_event_t& changed)
{
    const auto found = std::ranges::find_if(m_transfers, [&](const Transfer& transfer) {
        return transfer.window == changed.window && transfer.property == changed.atom;
    });
    if (found == m_transfers.end()) return;
    // In pieces, an empty one says that it was the last; its deletion ends the transfer.
    const bool hasMore = found->inPieces && found->at < found->bytes.size();
    if (hasMore) return givePiece(*found);
    if (std::exchange(found->inPieces, false)) return givePiece(*found);
    ++m_taken;
    m_transfers.erase(found);
}

void SelectionOwner::dropStale()
{
    m_transfers.removeIf([](const Transfer& transfer) { return Clock::now() - transfer.touched > kQuietMax; });
}

} // namespace cocoonbox::agent::toolhost::desktop
