// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

namespace cocoonbox::agent::toolhost::desktop {

inline constexpr int kWindowsMax = 64;
inline constexpr int kTitleCharsMax = 120;

// The programs' windows with their titles, the one with the focus, and who owns the clipboard since when; one line of
// JSON to `out`: windows [{id, title}], focus (an id, 0: none), clipboard (a token that changes with each copy).
Result<void> tellState(int out);

// A line of JSON for what the clipboard holds now and after each change: kinds [{type, size}]. Ends when the server or
// the reader is gone.
Result<void> watchClipboard(int out);

} // namespace cocoonbox::agent::toolhost::desktop
