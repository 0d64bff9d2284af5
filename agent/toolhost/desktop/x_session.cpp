// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/x_session.h"

#include <cerrno>
#include <poll.h>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

constexpr auto kTimeLimit = 1s;

} // namespace

std::unexpected<Error> screenUnreachable()
{
    return fail(ErrorCode::Unavailable,
                u"The box's screen does not answer; it starts with the box and again after a failure. Try again in a "
                "few seconds."_s,
                u"SCREEN_UNREACHABLE"_s);
}

Result<std::unique_ptr<XSession>> XSession::open()
{
    std::unique_ptr<XSession> session(new XSession);
    session->m_connection = xcb_connect(nullptr, nullptr);
    if (xcb_connection_has_error(session->m_connection)) return screenUnreachable();
    const xcb_setup_t* setup = xcb_get_setup(session->m_connection);
    const xcb_screen_iterator_t screens = xcb_setup_roots_iterator(setup);
    if (screens.rem == 0) return screenUnreachable();
    session->m_resourceMask = setup->resource_id_mask;
    session->m_root = screens.data->root;
    session->m_window = xcb_generate_id(session->m_connection);
    const quint32 events[] = {XCB_EVENT_MASK_PROPERTY_CHANGE};
    xcb_create_window(session->m_connection, 0, session->m_window, session->m_root, -10, -10, 1, 1, 0,
                      XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, XCB_CW_EVENT_MASK, events);
    return session;
}

XSession::~XSession()
{
    if (m_connection) xcb_disconnect(m_connection);
}

xcb_atom_t XSession::atom(const QByteArray& name)
{
    const auto known = m_atoms.constFind(name);
    if (known != m_atoms.cend()) return *known;
    const auto cookie = xcb_intern_atom(m_connection, 0, static_cast<quint16>(name.size()), name.constData());
    const Reply<xcb_intern_atom_reply_t> reply(xcb_intern_atom_reply(m_connection, cookie, nullptr));
    const xcb_atom_t atom = reply ? reply->atom : static_cast<xcb_atom_t>(XCB_ATOM_NONE);
    m_atoms.insert(name, atom);
    return atom;
}

QByteArray XSession::atomName(xcb_atom_t atom)
{
    const auto cookie = xcb_get_atom_name(m_connection, atom);
    const Reply<xcb_get_atom_name_reply_t> reply(xcb_get_atom_name_reply(m_connection, cookie, nullptr));
    if (!reply) return {};
    return QByteArray(xcb_get_atom_name_name(reply.get()), xcb_get_atom_name_name_length(reply.get()));
}

std::optional<Property> XSession::property(xcb_window_t window, xcb_atom_t name, qsizetype bytesMax, bool remove)
{
    const auto words = static_cast<quint32>(bytesMax / 4 + 1);
    const auto cookie = xcb_get_property(m_connection, remove, window, name, XCB_GET_PROPERTY_TYPE_ANY, 0, words);
    const Reply<xcb_get_property_reply_t> reply(xcb_get_property_reply(m_connection, cookie, nullptr));
    if (!reply || reply->type == XCB_ATOM_NONE || reply->bytes_after > 0) return std::nullopt;
    const auto* value = static_cast<const char*>(xcb_get_property_value(reply.get()));
    return Property{reply->type, reply->format, QByteArray(value, xcb_get_property_value_length(reply.get()))};
}

QList<quint32> XSession::numbers(xcb_window_t window, const QByteArray& name)
{
    const std::optional<Property> value = property(window, atom(name), 64 * 1024);
    if (!value || value->format != 32) return {};
    QList<quint32> numbers(value->bytes.size() / 4);
    std::memcpy(numbers.data(), value->bytes.constData(), static_cast<size_t>(numbers.size()) * 4);
    return numbers;
}

xcb_timestamp_t XSession::now()
{
    const xcb_atom_t name = atom("COCOONBOX_TIME");
    xcb_change_property(m_connection, XCB_PROP_MODE_APPEND, m_window, name, XCB_ATOM_STRING, 8, 0, nullptr);
    const Deadline deadline = Clock::now() + kTimeLimit;
    std::deque<Event> others = std::exchange(m_kept, {});
    xcb_timestamp_t time = XCB_CURRENT_TIME;
    while (time == XCB_CURRENT_TIME) {
        Result<Event> event = next(deadline);
        if (!event || !*event) break;
        const auto* changed = reinterpret_cast<const xcb_property_notify_event_t*>(event->get());
        if (((*event)->response_type & 0x7f) == XCB_PROPERTY_NOTIFY && changed->atom == name)
            time = changed->time;
        else
            others.push_back(*std::move(event));
    }
    m_kept = std::move(others);
    return time;
}

Result<Event> XSession::next(Deadline deadline)
{
    if (!m_kept.empty()) {
        Event kept = std::move(m_kept.front());
        m_kept.pop_front();
        return kept;
    }
    flush();
    for (;;) {
        if (Event event{xcb_poll_for_event(m_connection)}) return event;
        if (xcb_connection_has_error(m_connection)) return screenUnreachable();
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) return Event();
        pollfd wait{xcb_get_file_descriptor(m_connection), POLLIN, 0};
        (void)::poll(&wait, 1, static_cast<int>(std::min<qint64>(left, 60'000)));
    }
}

void XSession::sync()
{
    const Reply<xcb_get_input_focus_reply_t> reply(
        xcb_get_input_focus_reply(m_connection, xcb_get_input_focus(m_connection), nullptr));
}

QByteArray XSession::answer(unsigned sequence)
{
    xcb_generic_error_t* refused = nullptr;
    const Reply<void> reply(xcb_wait_for_reply(m_connection, sequence, &refused));
    const Reply<xcb_generic_error_t> error(refused);
    if (!reply) return {};
    const auto* head = static_cast<const xcb_generic_reply_t*>(reply.get());
    return QByteArray(static_cast<const char*>(reply.get()), 32 + static_cast<qsizetype>(head->length) * 4);
}

std::optional<const xcb_query_extension_reply_t*> XSession::extension(xcb_extension_t* extension)
{
    const xcb_query_extension_reply_t* reply = xcb_get_extension_data(m_connection, extension);
    if (!reply || !reply->present) return std::nullopt;
    return reply;
}

} // namespace cocoonbox::agent::toolhost::desktop
