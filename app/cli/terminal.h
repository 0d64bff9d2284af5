// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <QSize>

namespace cocoonbox::app::cli {

// The terminal of stdin in raw mode as long as this lives, and restored however the process ends.
class RawTerminal {
public:
    RawTerminal();
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
};

// Columns x rows of the terminal on stdin; 80 x 24 where there is none.
QSize terminalSize();

} // namespace cocoonbox::app::cli
