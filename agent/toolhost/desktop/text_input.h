// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/desktop/keyboard.h"
#include "agent/toolhost/desktop/selection_owner.h"

#include <QString>

namespace cocoonbox::agent::toolhost::desktop {

// Brings text into the window with the focus, exactly.
//
// Short text of characters that are on the keyboard is typed (XTEST). Everything else is pasted: for the moment of the
// insertion we own the clipboard, press Shift+Insert, which GTK, Qt, Chromium and terminals take for "paste", give the
// text to that window's program and to nobody else, and put back what the clipboard held before. Nobody else is given
// it, so the viewers' own clipboards do not see it.
class TextInput {
public:
    enum class Lines { AsText, AsKeys }; // AsKeys: a newline presses Return, a tab Tab

    explicit TextInput(XSession& session) : m_session(session) {}

    // From now on SIGHUP ends an insertion between two strokes, with none of them down or on its way to the server.
    static void endOnHangUp();

    // FailedPrecondition: TEXT_NOT_TAKEN. Aborted: TEXT_CUT. Unavailable: SCREEN_UNREACHABLE. Cancelled.
    Result<void> insert(const QString& text, Lines lines);
    // What the clipboard held before text was pasted, to be given out from now on. Nothing: no text was pasted.
    std::optional<Targets> takeRestored() { return std::exchange(m_restored, std::nullopt); }
    // Called when the text is in, before the clipboard is put back.
    std::function<void()> onTaken;

private:
    Result<xcb_window_t> focus();
    Result<void> insertPiece(const Keyboard& keyboard, const QString& text);
    Result<void> type(Keyboard keyboard, const QString& text);
    Result<void> paste(Keyboard keyboard, const QString& text, xcb_window_t focus);
    Result<void> waitUntilTaken(SelectionOwner& owner);
    bool isTerminal(xcb_window_t focus);
    Targets saveClipboard();

    XSession& m_session;
    std::optional<Targets> m_restored;
};

} // namespace cocoonbox::agent::toolhost::desktop
