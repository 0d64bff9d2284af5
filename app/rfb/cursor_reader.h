// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/frame.h"
#include "app/rfb/stream_reader.h"

namespace cocoonbox::app::rfb {

// Reads a cursor whose rectangle header was read: the hot spot is the rectangle's position. An empty shape hides it.
Result<CursorShape> readAlphaCursor(StreamReader& reader, const QRect& header);
Result<CursorShape> readRichCursor(StreamReader& reader, const QRect& header);

} // namespace cocoonbox::app::rfb
