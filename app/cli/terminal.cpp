// SPDX-License-Identifier: AGPL-3.0-only
#include "app/cli/terminal.h"

#include <cstdlib>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace cocoonbox::app::cli {

namespace {

termios s_before;
bool s_raw = false;

void restore()
{
    if (std::exchange(s_raw, false)) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &s_before);
}

} // namespace

RawTerminal::RawTerminal()
{
    if (::tcgetattr(STDIN_FILENO, &s_before) != 0) return;
    termios raw = s_before;
    ::cfmakeraw(&raw);
    s_raw = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    std::atexit(restore); // an early end skips the destructor
}

RawTerminal::~RawTerminal()
{
    restore();
}

QSize terminalSize()
{
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {80, 24};
    return {size.ws_col, size.ws_row};
}

} // namespace cocoonbox::app::cli
