// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/desktop_state.h"

#include "agent/toolhost/desktop/selection_reader.h"
#include "agent/toolhost/own/own_io.h"

#include <QJsonArray>
#include <QJsonObject>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

xcb_extension_t g_xfixes{"XFIXES", 0};

constexpr quint8 kQueryVersion = 0;
constexpr quint8 kSelectSelectionInput = 2;
constexpr quint32 kAllChanges = 7; // a new owner, the owner's window closed, its client gone
constexpr auto kAskMax = 2s;
constexpr auto kSettle = 40ms; // programs take the clipboard twice in a row
constexpr auto kForever = std::chrono::hours(24);

// Panels and the desktop itself are no windows of anybody's work.
bool isProgram(XSession& session, xcb_window_t window)
{
    const QList<quint32> kinds = session.numbers(window, "_NET_WM_WINDOW_TYPE");
    return !kinds.contains(session.atom("_NET_WM_WINDOW_TYPE_DOCK")) &&
           !kinds.contains(session.atom("_NET_WM_WINDOW_TYPE_DESKTOP")) &&
           !session.numbers(window, "_NET_WM_STATE").contains(session.atom("_NET_WM_STATE_SKIP_TASKBAR"));
}

QString titleOf(XSession& session, xcb_window_t window)
{
    auto title = session.property(window, session.atom("_NET_WM_NAME"), 4096);
    if (title) return QString::fromUtf8(title->bytes).simplified().left(kTitleCharsMax);
    title = session.property(window, XCB_ATOM_WM_NAME, 4096);
    return title ? QString::fromLatin1(title->bytes).simplified().left(kTitleCharsMax) : QString();
}

Result<void> followClipboard(XSession& session)
{
    struct Version {
        quint32 header = 0;
        quint32 major = 2;
        quint32 minor = 0;
    };
    struct Select {
        quint32 header = 0;
        quint32 window = 0;
        quint32 selection = 0;
        quint32 mask = kAllChanges;
    };
    if (!session.extension(&g_xfixes)) return screenUnreachable();
    session.request(&g_xfixes, kQueryVersion, Version{}, true);
    session.request(
        &g_xfixes, kSelectSelectionInput,
        Select{.header = 0, .window = session.window(), .selection = session.atom("CLIPBOARD"), .mask = kAllChanges});
    return {};
}

QJsonArray kindsNow(XSession& session, const std::function<void(const xcb_generic_event_t&)>& onOther)
{
    const Deadline deadline = Clock::now() + kAskMax;
    SelectionReader reader(session, "CLIPBOARD");
    reader.onOther = onOther;
    const Result<QList<QByteArray>> there = reader.targets(deadline);
    QJsonArray kinds;
    for (const QByteArray& type : knownTypes(there.value_or(QList<QByteArray>()))) {
        qint64 size = 0; // a picture is not fetched to tell its size
        for (const QByteArray& target : targetsOf(type)) {
            if (type.startsWith("image/") || !there->contains(target)) continue;
            size = reader.read(target, kTextBytesMax, deadline).transform(&QByteArray::size).value_or(0);
            break;
        }
        kinds.append(QJsonObject{{u"type"_s, QString::fromLatin1(type)}, {u"size"_s, size}});
    }
    return kinds;
}

} // namespace

Result<void> tellState(int out)
{
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    QJsonArray windows;
    for (const xcb_window_t window : session->numbers(session->root(), "_NET_CLIENT_LIST"))
        if (windows.size() < kWindowsMax && isProgram(*session, window))
            windows.append(QJsonObject{{u"id"_s, qint64(window)}, {u"title"_s, titleOf(*session, window)}});
    const qint64 focus = session->numbers(session->root(), "_NET_ACTIVE_WINDOW").value(0);
    const Ownership owned = SelectionReader(*session, "CLIPBOARD").ownership(Clock::now() + kAskMax);
    own::writeLine(
        out,
        {{u"windows"_s, windows}, {u"focus"_s, focus}, {u"clipboard"_s, u"%1:%2"_s.arg(owned.owner).arg(owned.since)}});
    return {};
}

Result<void> watchClipboard(int out)
{
    TRY_ASSIGN(const std::unique_ptr<XSession> session, XSession::open());
    TRY_VOID(followClipboard(*session));
    const quint8 changed = (*session->extension(&g_xfixes))->first_event;
    bool isNews = true;
    const auto look = [&isNews, changed](const xcb_generic_event_t& event) {
        isNews = isNews || (event.response_type & 0x7f) == changed;
    };
    for (;;) {
        TRY_ASSIGN(const Event event, session->next(Clock::now() + (isNews ? kSettle : kForever)));
        if (event) look(*event);
        if (event || !isNews) continue;
        isNews = false;
        if (!own::writeLine(out, {{u"kinds"_s, kindsNow(*session, look)}}))
            return fail(ErrorCode::Cancelled, u"Nobody reads any more."_s);
    }
}

} // namespace cocoonbox::agent::toolhost::desktop
