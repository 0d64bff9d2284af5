// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/http2_connection.h"

#define NGHTTP2_NO_SSIZE_T
#include <nghttp2/nghttp2.h>

namespace cocoonbox::api::edge {

// nghttp2's C callbacks, turned into calls of Http2Stream. `user` is the connection.
struct Http2Callbacks {
    static const nghttp2_session_callbacks* table();
    static nghttp2_data_provider2 payload();

    static nghttp2_ssize send(nghttp2_session*, const uint8_t* bytes, size_t size, int, void* user);
    static int sendPayload(nghttp2_session*, nghttp2_frame* frame, const uint8_t* frameHead, size_t size,
                           nghttp2_data_source*, void* user);
    static nghttp2_ssize readPayload(nghttp2_session*, int32_t id, uint8_t*, size_t size, uint32_t* flags,
                                     nghttp2_data_source*, void* user);
    static nghttp2_ssize payloadLength(nghttp2_session*, uint8_t, int32_t, int32_t connectionWindow,
                                       int32_t streamWindow, uint32_t frameMax, void*);
    static int beginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user);
    static int header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t nameSize,
                      const uint8_t* value, size_t valueSize, uint8_t, void* user);
    static int frameReceived(nghttp2_session*, const nghttp2_frame* frame, void* user);
    static int payloadReceived(nghttp2_session*, uint8_t, int32_t id, const uint8_t* bytes, size_t size, void* user);
    static int frameSent(nghttp2_session*, const nghttp2_frame* frame, void* user);
    static int streamClosed(nghttp2_session*, int32_t id, uint32_t errorCode, void* user);

private:
    static Http2Connection& connectionOf(void* user) { return *static_cast<Http2Connection*>(user); }
    static Http2Stream* streamOf(nghttp2_session* session, int32_t id);
};

} // namespace cocoonbox::api::edge
