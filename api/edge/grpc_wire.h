// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// gRPC as it stands on HTTP/2 (grpc/doc/PROTOCOL-HTTP2.md): the little of it that the edge reads or writes itself.

#include "api/edge/http2_stream.h"
#include "common/base/result.h"

#include <chrono>
#include <optional>

namespace cocoonbox::api::edge {

inline constexpr size_t kMessagePrefixBytes = 5; // compressed flag, length in network order

// ":status: 200" and the content type: the headers of every answer.
HeaderBlock answerHeaders();
// The trailers that end a call with `error`; they may follow the answer's headers or be all of it.
std::unique_ptr<HeaderBlock> trailersOf(const Error& error);
HeaderBlock answerOf(const Error& error);

// "100m": at most eight digits and a unit. Nothing when there is none or it cannot be read.
std::optional<std::chrono::nanoseconds> timeoutOf(std::string_view text);
std::string timeoutText(std::chrono::nanoseconds timeout);

// Reads along a stream of messages for their lengths.
class MessageMeter {
public:
    // False once a message is longer than limits::kMessageBytesMax.
    bool pass(std::string_view bytes);

private:
    unsigned char m_prefix[kMessagePrefixBytes] = {};
    uint8_t m_prefixBytes = 0;
    uint32_t m_left = 0; // of the message's payload
};

} // namespace cocoonbox::api::edge
