// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/gui/key_map.h"

namespace cocoonbox::app::gui {

// What the modifier keys of a Mac are in the box. Command and Control as Qt names them: its Key_Control is Command.
enum class MacKeys {
    CommandIsControl, // Command and Control are both Ctrl, Option is Alt: shortcuts feel as on the Mac
    CommandIsSuper,   // Command is Super, Option is Alt: each key is what it is on a PC's keyboard
    OptionTypes,      // Command is Alt, Option chooses third-level characters
};
constexpr int kMacKeysMax = 2;

bool isCommandKey(const QKeyEvent& event);
// As keyStroke, for events of macOS: their native key is the Mac's virtual key code. Letters that are pressed with
// Command, Control, or an Option that is Alt, are letters, not what the Mac would type.
std::optional<KeyStroke> macKeyStroke(const QKeyEvent& event, MacKeys keys);

} // namespace cocoonbox::app::gui
