// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <QByteArray>
#include <QHash>
#include <QList>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

namespace cocoonbox::agent::toolhost::desktop {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

struct FreeReply {
    void operator()(void* reply) const { std::free(reply); }
};
template <class T>
using Reply = std::unique_ptr<T, FreeReply>;
using Event = Reply<xcb_generic_event_t>;

std::unexpected<Error> screenUnreachable();

// A property's value, whole.
struct Property {
    xcb_atom_t type = XCB_ATOM_NONE;
    int format = 0; // bits of an item
    QByteArray bytes;
};

// One connection to the X server of the user, with an unmapped window of our own. Blocking, with deadlines; xcb and not
// Xlib, which ends the process when the server goes. For the short programs of port/own_program.h.
class XSession {
public:
    // Unavailable: SCREEN_UNREACHABLE.
    static Result<std::unique_ptr<XSession>> open();
    ~XSession();
    XSession(const XSession&) = delete;

    xcb_connection_t* connection() const { return m_connection; }
    xcb_window_t root() const { return m_root; }
    xcb_window_t window() const { return m_window; }
    // Of the client that made `resource`; 0: the server itself.
    quint32 clientOf(xcb_window_t resource) const { return resource & ~m_resourceMask; }

    xcb_atom_t atom(const QByteArray& name);
    QByteArray atomName(xcb_atom_t atom);
    // Nothing when it is not there or larger than `bytesMax`. `remove` deletes it.
    std::optional<Property> property(xcb_window_t window, xcb_atom_t name, qsizetype bytesMax, bool remove = false);
    QList<quint32> numbers(xcb_window_t window, const QByteArray& name); // of a property of 32-bit items
    // The server's time now.
    xcb_timestamp_t now();

    // The next event; nothing at the deadline. Unavailable: SCREEN_UNREACHABLE when the server is gone.
    Result<Event> next(Deadline deadline);
    void flush() { xcb_flush(m_connection); }
    // Until the server has done what it was asked.
    void sync();
    // The server's number for events and requests of an extension; nothing when it has none such.
    std::optional<const xcb_query_extension_reply_t*> extension(xcb_extension_t* extension);
    // A request as it goes over the wire: 4 bytes for xcb's header, then the fields. An answer to it is dropped.
    template <class Request>
    void request(xcb_extension_t* extension, quint8 opcode, Request fields, bool isAnswered = false)
    {
        iovec parts[3] = {};
        parts[2] = {&fields, sizeof fields}; // xcb wants two free places before
        const xcb_protocol_request_t protocol{1, extension, opcode, !isAnswered};
        const unsigned sequence = xcb_send_request(m_connection, 0, parts + 2, &protocol);
        if (isAnswered) xcb_discard_reply(m_connection, sequence);
    }

    // The same for one that is answered: the answer whole, as it came; empty when the server refused.
    template <class Request>
    QByteArray ask(xcb_extension_t* extension, quint8 opcode, Request fields)
    {
        iovec parts[3] = {};
        parts[2] = {&fields, sizeof fields};
        const xcb_protocol_request_t protocol{1, extension, opcode, 0};
        return answer(xcb_send_request(m_connection, XCB_REQUEST_CHECKED, parts + 2, &protocol));
    }

private:
    XSession() = default;
    QByteArray answer(unsigned sequence);

    xcb_connection_t* m_connection = nullptr;
    xcb_window_t m_root = XCB_NONE;
    xcb_window_t m_window = XCB_NONE;
    quint32 m_resourceMask = 0;
    QHash<QByteArray, xcb_atom_t> m_atoms;
    std::deque<Event> m_kept; // came while something else was waited for
};

} // namespace cocoonbox::agent::toolhost::desktop
