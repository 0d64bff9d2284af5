// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/bytes.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cocoonbox::api::edge {

struct Header {
    std::string name; // lower case
    std::string value;
};

// The headers or the trailers of a message, pseudo headers (":path") included, in the order they came.
struct HeaderBlock {
    std::vector<Header> list;

    // Empty when there is none: no header that we look for means anything when it is empty.
    std::string_view find(std::string_view name) const
    {
        for (const Header& header : list)
            if (header.name == name) return header.value;
        return {};
    }
    void add(std::string_view name, std::string_view value) { list.push_back({std::string(name), std::string(value)}); }
    size_t bytes() const
    {
        size_t sum = 0;
        for (const Header& header : list)
            sum += header.name.size() + header.value.size() + 32; // as RFC 9113 §6.5.2 counts
        return sum;
    }
};

// One end of one HTTP/2 stream: what the peer does is told to it, in order. It acts through its connection, also from
// inside these calls. After `onClosed`, the last of them, the connection no longer knows it.
class Http2Stream {
public:
    virtual ~Http2Stream() = default;
    Http2Stream(const Http2Stream&) = delete;

    size_t queuedBytes() const { return m_out.size(); }

protected:
    Http2Stream() = default;
    // Keeps bytes, or the end, for a stream whose request is not sent yet.
    void hold(Slice bytes) { m_out.append(std::move(bytes)); }
    void holdEnd() { m_isEnding = true; }

private:
    friend class Http2Connection;
    friend struct Http2Callbacks;

    // Request, response or trailers; `isLast` when the peer sends nothing more.
    virtual void onHeaders(HeaderBlock headers, bool isLast) = 0;
    // Payload. It counts against the window we gave until `Http2Connection::consumed` is told.
    virtual void onBytes(Slice bytes) = 0;
    virtual void onEnd() = 0;                      // the peer sends nothing more
    virtual void onSent(size_t bytes) = 0;         // so much of what was written has left the queue
    virtual void onClosed(uint32_t errorCode) = 0; // RFC 9113 §7, or kConnectionLost

    int32_t m_id = 0;
    bool m_isDeferred = false; // nghttp2 asked for payload and there was none
    bool m_isEnding = false;
    ByteQueue m_out;
    std::unique_ptr<HeaderBlock> m_trailers;
    std::unique_ptr<HeaderBlock> m_incoming; // while a header block arrives
    size_t m_incomingBytes = 0;
};

inline constexpr uint32_t kConnectionLost = 0xffff'ffff;

} // namespace cocoonbox::api::edge
