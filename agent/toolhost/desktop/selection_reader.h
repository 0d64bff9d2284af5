// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/desktop/x_session.h"

#include <functional>

namespace cocoonbox::agent::toolhost::desktop {

inline constexpr qsizetype kImageBytesMax = 32 * 1024 * 1024;
inline constexpr qsizetype kTextBytesMax = 1024 * 1024;
qsizetype bytesMaxOf(const QByteArray& type);

// The types that clients know (session.proto) among the targets of a selection, the richest first. Under which target a
// type is asked for: the first of `targetsOf` that the owner names.
QList<QByteArray> knownTypes(const QList<QByteArray>& targets);
QList<QByteArray> targetsOf(const QByteArray& type);

// Window and moment of a selection's owner; another pair means that something else was copied.
struct Ownership {
    xcb_window_t owner = XCB_NONE;
    quint32 since = 0; // 0: the owner does not say
};

// Asks the owner of a selection. The caller owns no selection meanwhile.
class SelectionReader {
public:
    SelectionReader(XSession& session, const QByteArray& selection);

    std::function<void(const xcb_generic_event_t&)> onOther; // an event that came meanwhile and is none of ours

    bool hasOwner() const;
    Ownership ownership(Deadline deadline);
    // Empty when there is no owner or it does not say. DeadlineExceeded: CLIPBOARD_TIMEOUT.
    Result<QList<QByteArray>> targets(Deadline deadline);
    // NotFound: CLIPBOARD_TYPE_MISSING. ResourceExhausted: CLIPBOARD_TOO_LARGE. DeadlineExceeded: CLIPBOARD_TIMEOUT.
    Result<QByteArray> read(const QByteArray& target, qsizetype bytesMax, Deadline deadline);

private:
    Result<bool> convert(xcb_atom_t target, Deadline deadline);
    Result<Property> take(xcb_atom_t target, qsizetype bytesMax, Deadline deadline);
    Result<QByteArray> readPieces(qsizetype bytesMax, Deadline deadline);

    XSession& m_session;
    xcb_atom_t m_selection;
    xcb_atom_t m_property;
};

} // namespace cocoonbox::agent::toolhost::desktop
