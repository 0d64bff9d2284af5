// SPDX-License-Identifier: AGPL-3.0-only
#include "agent/toolhost/desktop/text_input.h"

#include "agent/toolhost/desktop/selection_reader.h"

#include <algorithm>
#include <csignal>
#include <thread>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace cocoonbox::agent::toolhost::desktop {

namespace {

constexpr qsizetype kTypedCharsMax = 64;       // longer text is pasted at once rather than typed for seconds
constexpr qsizetype kTypedRunCharsMax = 4'096; // where lines are keys, as the agent types
constexpr int kBurst = 16;
constexpr auto kBurstPause = 4ms; // a program that falls behind drops nothing, but its window would freeze
constexpr auto kFirstAskMax = 1500ms;
constexpr auto kTakenMax = 20s;
constexpr auto kLinger = 300ms; // some programs ask once more, and drop the text when they cannot
constexpr auto kNudgeAfter = 30ms;
constexpr auto kSaveMax = 500ms;
constexpr qsizetype kSavedBytesMax = 8 * 1024 * 1024;
constexpr int kParentsMax = 16;

// What a clipboard's content is worth keeping as.
const QList<QByteArray>& keptTargets()
{
    static const QList<QByteArray> kTargets{"UTF8_STRING",
                                            "text/plain;charset=utf-8",
                                            "text/plain",
                                            "STRING",
                                            "text/html",
                                            "image/png",
                                            "text/uri-list",
                                            "text/_moz_htmlcontext",
                                            "x-special/gnome-copied-files"};
    return kTargets;
}

volatile std::sig_atomic_t g_isHungUp = 0;

std::unexpected<Error> cancelled()
{
    return fail(ErrorCode::Cancelled, u"It was stopped; a part of the text may be in."_s, u"TEXT_STOPPED"_s);
}

std::unexpected<Error> notTaken()
{
    return fail(ErrorCode::FailedPrecondition,
                u"Nothing on the box's screen takes text now. Click into a text field there first."_s,
                u"TEXT_NOT_TAKEN"_s);
}

bool isTypable(const Keyboard& keyboard, const QString& text)
{
    return std::ranges::all_of(text.toUcs4(), [&](uint character) { return keyboard.canType(character); });
}

Targets textTargets(const QString& text)
{
    const QByteArray utf8 = text.toUtf8();
    return {{"UTF8_STRING", utf8}, {"text/plain;charset=utf-8", utf8}, {"text/plain", utf8}, {"TEXT", utf8}};
}

} // namespace

void TextInput::endOnHangUp()
{
    (void)std::signal(SIGHUP, [](int) { g_isHungUp = 1; });
}

Result<void> TextInput::insert(const QString& text, Lines lines)
{
    TRY_ASSIGN(Keyboard keyboard, Keyboard::open(m_session));
    keyboard.liftModifiers();
    if (lines == Lines::AsText) return insertPiece(keyboard, text);
    qsizetype start = 0;
    for (qsizetype at = 0; at <= text.size(); ++at) {
        const bool isKey = at < text.size() && (text[at] == u'\n' || text[at] == u'\t');
        if (at < text.size() && !isKey) continue;
        const QString run = text.sliced(start, at - start);
        if (!run.isEmpty() && run.size() <= kTypedRunCharsMax && isTypable(keyboard, run)) {
            TRY_VOID(type(keyboard, run));
        } else if (!run.isEmpty()) {
            TRY_ASSIGN(const xcb_window_t window, focus());
            TRY_VOID(paste(keyboard, run, window));
        }
        if (g_isHungUp) return cancelled();
        if (isKey) keyboard.stroke(text[at] == u'\n' ? kKeyReturn : kKeyTab);
        m_session.sync();
        start = at + 1;
    }
    m_session.sync();
    return {};
}

Result<void> TextInput::insertPiece(const Keyboard& keyboard, const QString& text)
{
    TRY_ASSIGN(const xcb_window_t window, focus());
    const bool isTyped = text.size() <= kTypedCharsMax && isTypable(keyboard, text);
    if (!isTyped) return paste(keyboard, text, window);
    TRY_VOID(type(keyboard, text));
    if (onTaken) onTaken();
    return {};
}

Result<xcb_window_t> TextInput::focus()
{
    const Reply<xcb_get_input_focus_reply_t> reply(
        xcb_get_input_focus_reply(m_session.connection(), xcb_get_input_focus(m_session.connection()), nullptr));
    if (!reply) return screenUnreachable();
    // The server's own windows are the root, which nobody types into.
    if (reply->focus <= XCB_INPUT_FOCUS_POINTER_ROOT || m_session.clientOf(reply->focus) == 0) return notTaken();
    return reply->focus;
}

Result<void> TextInput::type(Keyboard keyboard, const QString& text)
{
    int strokes = 0;
    for (const uint character : text.toUcs4()) {
        keyboard.stroke(keysymOf(character));
        if (++strokes % kBurst != 0) continue;
        m_session.sync();
        if (g_isHungUp) return cancelled();
        std::this_thread::sleep_for(kBurstPause);
    }
    m_session.sync();
    return {};
}

// Terminals paste the primary selection with Shift+Insert. Elsewhere it is left alone: who loses it drops the mark on
// the text that the paste is to replace.
bool TextInput::isTerminal(xcb_window_t focus)
{
    xcb_window_t window = focus;
    for (int depth = 0; depth < kParentsMax && window != XCB_NONE && window != m_session.root(); ++depth) {
        if (const auto name = m_session.property(window, XCB_ATOM_WM_CLASS, 1024)) {
            const QByteArray lower = name->bytes.toLower();
            return lower.contains("term") || lower.contains("konsole") || lower.contains("kitty") ||
                   lower.contains("rxvt") || lower.contains("alacritty");
        }
        const Reply<xcb_query_tree_reply_t> tree(
            xcb_query_tree_reply(m_session.connection(), xcb_query_tree(m_session.connection(), window), nullptr));
        window = tree ? tree->parent : static_cast<xcb_window_t>(XCB_NONE);
    }
    return false;
}

Targets TextInput::saveClipboard()
{
    const Deadline deadline = Clock::now() + kSaveMax;
    SelectionReader reader(m_session, "CLIPBOARD");
    const Result<QList<QByteArray>> there = reader.targets(deadline);
    if (!there) return {};
    Targets saved;
    qsizetype room = kSavedBytesMax;
    for (const QByteArray& target : keptTargets()) {
        if (!there->contains(target)) continue;
        const Result<QByteArray> content = reader.read(target, room, deadline);
        if (!content) continue;
        saved.insert(target, target == "STRING" ? QString::fromUtf8(*content).toLatin1() : *content);
        room -= content->size();
    }
    return saved;
}

Result<void> TextInput::paste(Keyboard keyboard, const QString& text, xcb_window_t focus)
{
    if (!keyboard.has(kKeyInsert) || !keyboard.has(kKeyShift)) return notTaken();
    // What an earlier piece of this text saved stays the content to put back.
    if (!m_restored) m_restored = saveClipboard();
    SelectionOwner owner(m_session, textTargets(text));
    owner.accepts = [this, client = m_session.clientOf(focus)](xcb_window_t window) {
        return m_session.clientOf(window) == client;
    };
    TRY_VOID(owner.take("CLIPBOARD"));
    if (isTerminal(focus)) {
        TRY_VOID(owner.take("PRIMARY"));
    }
    keyboard.stroke(kKeyInsert, true);
    keyboard.flush();
    const Result<void> taken = waitUntilTaken(owner);
    if (m_restored->isEmpty()) owner.release(); // otherwise it is ours until the former content takes its place
    return taken;
}

Result<void> TextInput::waitUntilTaken(SelectionOwner& owner)
{
    Deadline deadline = Clock::now() + kFirstAskMax;
    bool isDone = false;
    while (owner.isOwner()) {
        TRY_ASSIGN(const Event event, m_session.next(std::min<Deadline>(deadline, Clock::now() + kNudgeAfter)));
        if (!event && Clock::now() >= deadline) break;
        if (!event) {
            owner.nudge();
            continue;
        }
        const int asked = owner.askedCount();
        owner.handle(*event);
        if (asked == 0 && owner.askedCount() > 0) deadline = Clock::now() + kTakenMax;
        if (owner.takenCount() == 0 || (isDone && owner.askedCount() == asked)) continue;
        if (!std::exchange(isDone, true) && onTaken) onTaken();
        deadline = Clock::now() + kLinger;
    }
    if (isDone) return {};
    if (owner.askedCount() == 0) return notTaken();
    return fail(ErrorCode::Aborted,
                u"The program with the focus began to take the text and did not end. Look at what arrived there."_s,
                u"TEXT_CUT"_s);
}

} // namespace cocoonbox::agent::toolhost::desktop
