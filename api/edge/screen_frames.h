// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The two messages of Session.Screen as they stand on the wire: a gRPC prefix, then `bytes data = 1`, which is a tag,
// a length and the bytes. Written and read here so that a picture is not copied into a message and out again.

#include "common/base/result.h"

#include <functional>
#include <string>
#include <string_view>

namespace cocoonbox::api::edge {

inline constexpr size_t kScreenHeadBytesMax = 5 + 1 + 3; // before the bytes of a frame

// Writes the head of a frame of `bytes` so that it ends at `end`; answers its size. `bytes` ≤
// limits::kScreenFrameBytes.
size_t writeScreenHead(char* end, size_t bytes);

// Takes the client's frames apart. Holds at most one frame.
class ScreenFrameReader {
public:
    // Calls `sink` with the bytes of each whole frame. InvalidArgument: FRAME_MALFORMED, also for a frame that is
    // compressed or over limits::kScreenFrameBytes.
    Result<void> read(std::string_view bytes, const std::function<void(std::string_view)>& sink);

private:
    std::string m_partial;
};

} // namespace cocoonbox::api::edge
