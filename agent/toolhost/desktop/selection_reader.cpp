// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/selection_reader.h"

#include <algorithm>
#include <cstring>
#include <QString>

using namespace Qt::StringLiterals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

std::unexpected<Error> tooLarge(qsizetype bytesMax)
{
    return fail(ErrorCode::ResourceExhausted,
                u"The clipboard holds more than %1 MiB, which is the limit. Move it as a file."_s.arg(bytesMax >> 20),
                u"CLIPBOARD_TOO_LARGE"_s);
}

std::unexpected<Error> timedOut()
{
    return fail(ErrorCode::DeadlineExceeded,
                u"The program that owns the clipboard does not answer. Copy again, or from another program."_s,
                u"CLIPBOARD_TIMEOUT"_s);
}

} // namespace

qsizetype bytesMaxOf(const QByteArray& type)
{
    return type.startsWith("image/") ? kImageBytesMax : kTextBytesMax;
}

QList<QByteArray> targetsOf(const QByteArray& type)
{
    if (type.startsWith("text/plain")) return {"UTF8_STRING", "text/plain;charset=utf-8", "STRING"};
    return {type};
}

QList<QByteArray> knownTypes(const QList<QByteArray>& targets)
{
    QList<QByteArray> types;
    for (const QByteArray& type : {"image/png"_ba, "text/html"_ba, "text/plain;charset=utf-8"_ba})
        if (std::ranges::any_of(targetsOf(type), [&](const QByteArray& target) { return targets.contains(target); }))
            types.append(type);
    return types;
}

SelectionReader::SelectionReader(XSession& session, const QByteArray& selection)
    : m_session(session), m_selection(session.atom(selection)), m_property(session.atom("COCOONBOX_SELECTION"))
{
}

bool SelectionReader::hasOwner() const
{
    const Reply<xcb_get_selection_owner_reply_t> owner(xcb_get_selection_owner_reply(
        m_session.connection(), xcb_get_selection_owner(m_session.connection(), m_selection), nullptr));
    return owner && owner->owner != XCB_NONE;
}

Ownership SelectionReader::ownership(Deadline deadline)
{
    const Reply<xcb_get_selection_owner_reply_t> owner(xcb_get_selection_owner_reply(
        m_session.connection(), xcb_get_selection_owner(m_session.connection(), m_selection), nullptr));
    if (!owner || owner->owner == XCB_NONE) return {};
    Ownership ownership{owner->owner, 0};
    const Result<Property> since = take(m_session.atom("TIMESTAMP"), 64, deadline);
    if (since && since->bytes.size() >= 4) std::memcpy(&ownership.since, since->bytes.constData(), 4);
    return ownership;
}

Result<QList<QByteArray>> SelectionReader::targets(Deadline deadline)
{
    if (!hasOwner()) return QList<QByteArray>();
    const Result<Property> atoms = take(m_session.atom("TARGETS"), 64 * 1024, deadline);
    if (!atoms && atoms.error().code == ErrorCode::NotFound) return QList<QByteArray>();
    if (!atoms) return std::unexpected(atoms.error());
    QList<QByteArray> names;
    for (qsizetype at = 0; at + 4 <= atoms->bytes.size() && names.size() < 64; at += 4) {
        xcb_atom_t atom = XCB_ATOM_NONE;
        std::memcpy(&atom, atoms->bytes.constData() + at, 4);
        names.append(m_session.atomName(atom));
    }
    return names;
}

Result<QByteArray> SelectionReader::read(const QByteArray& target, qsizetype bytesMax, Deadline deadline)
{
    TRY_ASSIGN(const Property first, take(m_session.atom(target), bytesMax, deadline));
    QByteArray content = first.bytes;
    if (first.type == m_session.atom("INCR")) {
        TRY_ASSIGN(content, readPieces(bytesMax, deadline));
    }
    if (target == "STRING") return QString::fromLatin1(content).toUtf8();
    return content;
}

// Whether the owner answers with the content, once it has answered at all.
Result<bool> SelectionReader::convert(xcb_atom_t target, Deadline deadline)
{
    xcb_delete_property(m_session.connection(), m_session.window(), m_property);
    xcb_convert_selection(m_session.connection(), m_session.window(), m_selection, target, m_property, m_session.now());
    for (;;) {
        TRY_ASSIGN(const Event event, m_session.next(deadline));
        if (!event) return timedOut();
        if ((event->response_type & 0x7f) != XCB_SELECTION_NOTIFY) {
            if (onOther) onOther(*event);
            continue;
        }
        const auto* notify = reinterpret_cast<const xcb_selection_notify_event_t*>(event.get());
        if (notify->selection == m_selection && notify->target == target) return notify->property != XCB_ATOM_NONE;
    }
}

Result<Property> SelectionReader::take(xcb_atom_t target, qsizetype bytesMax, Deadline deadline)
{
    TRY_ASSIGN(const bool isGiven, convert(target, deadline));
    if (!isGiven)
        return fail(ErrorCode::NotFound, u"The clipboard cannot be had in that type."_s, u"CLIPBOARD_TYPE_MISSING"_s);
    // Deleting it is also the owner's sign to send the first piece.
    const std::optional<Property> value = m_session.property(m_session.window(), m_property, bytesMax, true);
    if (!value) return tooLarge(bytesMax);
    return *value;
}

Result<QByteArray> SelectionReader::readPieces(qsizetype bytesMax, Deadline deadline)
{
    QByteArray content;
    for (;;) {
        TRY_ASSIGN(const Event event, m_session.next(deadline));
        if (!event) return timedOut();
        const auto* changed = reinterpret_cast<const xcb_property_notify_event_t*>(event.get());
        const bool isPiece = (event->response_type & 0x7f) == XCB_PROPERTY_NOTIFY && changed->atom == m_property &&
                             changed->state == XCB_PROPERTY_NEW_VALUE;
        if (!isPiece && onOther) onOther(*event);
        if (!isPiece) continue;
        const std::optional<Property> piece = m_session.property(m_session.window(), m_property, bytesMax, true);
        if (!piece) continue; // the one before was read at the same time
        if (piece->bytes.isEmpty()) return content;
        content += piece->bytes;
        if (content.size() > bytesMax) return tooLarge(bytesMax);
    }
}

} // namespace cocoonbox::agent::toolhost::desktop
