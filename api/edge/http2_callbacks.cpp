// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/http2_callbacks.h"

#include <algorithm>
#include <cstdlib>

namespace cocoonbox::api::edge {

namespace {

constexpr size_t kFrameHeadBytes = 9;
constexpr nghttp2_ssize kFrameBytesMax = 64 * 1024;

std::string_view text(const uint8_t* bytes, size_t size)
{
    return {reinterpret_cast<const char*>(bytes), size};
}

} // namespace

const nghttp2_session_callbacks* Http2Callbacks::table()
{
    static const nghttp2_session_callbacks* const kTable = [] {
        nghttp2_session_callbacks* table = nullptr;
        if (nghttp2_session_callbacks_new(&table) != 0) std::abort(); // out of memory
        nghttp2_session_callbacks_set_send_callback2(table, send);
        nghttp2_session_callbacks_set_send_data_callback(table, sendPayload);
        nghttp2_session_callbacks_set_data_source_read_length_callback2(table, payloadLength);
        nghttp2_session_callbacks_set_on_begin_headers_callback(table, beginHeaders);
        nghttp2_session_callbacks_set_on_header_callback(table, header);
        nghttp2_session_callbacks_set_on_frame_recv_callback(table, frameReceived);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, payloadReceived);
        nghttp2_session_callbacks_set_on_frame_send_callback(table, frameSent);
        nghttp2_session_callbacks_set_on_stream_close_callback(table, streamClosed);
        return table;
    }();
    return kTable;
}

nghttp2_data_provider2 Http2Callbacks::payload()
{
    return {.source = {.ptr = nullptr}, .read_callback = readPayload};
}

// The stream is looked up each time: one that was abandoned is no longer there, whatever nghttp2 had begun for it.
Http2Stream* Http2Callbacks::streamOf(nghttp2_session* session, int32_t id)
{
    return static_cast<Http2Stream*>(nghttp2_session_get_stream_user_data(session, id));
}

nghttp2_ssize Http2Callbacks::send(nghttp2_session*, const uint8_t* bytes, size_t size, int, void* user)
{
    ByteQueue& output = connectionOf(user).m_output;
    if (output.size() >= kOutputBytesMax) return NGHTTP2_ERR_WOULDBLOCK;
    output.copy(text(bytes, size));
    return static_cast<nghttp2_ssize>(size);
}

nghttp2_ssize Http2Callbacks::payloadLength(nghttp2_session*, uint8_t, int32_t, int32_t connectionWindow,
                                            int32_t streamWindow, uint32_t frameMax, void*)
{
    return std::min({static_cast<nghttp2_ssize>(connectionWindow), static_cast<nghttp2_ssize>(streamWindow),
                     static_cast<nghttp2_ssize>(frameMax), kFrameBytesMax});
}

nghttp2_ssize Http2Callbacks::readPayload(nghttp2_session* session, int32_t id, uint8_t*, size_t size, uint32_t* flags,
                                          nghttp2_data_source*, void*)
{
    Http2Stream* stream = streamOf(session, id);
    if (!stream) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t count = std::min(size, stream->m_out.size());
    if (count > 0) *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (count == stream->m_out.size() && stream->m_isEnding) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (stream->m_trailers) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            Http2Connection::submitTrailers(session, *stream);
        }
    } else if (count == 0) {
        stream->m_isDeferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    return static_cast<nghttp2_ssize>(count);
}

int Http2Callbacks::sendPayload(nghttp2_session* session, nghttp2_frame* frame, const uint8_t* frameHead, size_t size,
                                nghttp2_data_source*, void* user)
{
    ByteQueue& output = connectionOf(user).m_output;
    if (output.size() >= kOutputBytesMax) return NGHTTP2_ERR_WOULDBLOCK;
    Http2Stream* stream = streamOf(session, frame->hd.stream_id);
    if (!stream || stream->m_out.size() < size) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    output.copy(text(frameHead, kFrameHeadBytes));
    stream->m_out.moveTo(output, size);
    stream->onSent(size);
    return 0;
}

int Http2Callbacks::beginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user)
{
    Http2Connection& connection = connectionOf(user);
    if (frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        Http2Stream* opened = connection.openStream();
        if (!opened) {
            nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM);
            return 0;
        }
        opened->m_id = frame->hd.stream_id;
        connection.m_streams.insert(opened);
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, opened);
    }
    if (Http2Stream* stream = streamOf(session, frame->hd.stream_id)) {
        stream->m_incoming = std::make_unique<HeaderBlock>();
        stream->m_incomingBytes = 0;
    }
    return 0;
}

int Http2Callbacks::header(nghttp2_session* session, const nghttp2_frame* frame, const uint8_t* name, size_t nameSize,
                           const uint8_t* value, size_t valueSize, uint8_t, void*)
{
    Http2Stream* stream = streamOf(session, frame->hd.stream_id);
    if (!stream || !stream->m_incoming) return 0;
    // What is over the limit is counted and not kept, so that the stream can say METADATA_TOO_LARGE.
    stream->m_incomingBytes += nameSize + valueSize + 32;
    if (stream->m_incomingBytes <= kMetadataBytesMax)
        stream->m_incoming->add(text(name, nameSize), text(value, valueSize));
    return 0;
}

int Http2Callbacks::frameReceived(nghttp2_session* session, const nghttp2_frame* frame, void*)
{
    Http2Stream* stream = streamOf(session, frame->hd.stream_id);
    if (!stream) return 0;
    const bool isLast = (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (frame->hd.type == NGHTTP2_DATA && isLast) stream->onEnd();
    if (frame->hd.type == NGHTTP2_HEADERS && stream->m_incoming) {
        HeaderBlock headers = std::move(*std::exchange(stream->m_incoming, nullptr));
        if (stream->m_incomingBytes > kMetadataBytesMax) headers.list.clear();
        stream->onHeaders(std::move(headers), isLast);
    }
    return 0;
}

int Http2Callbacks::payloadReceived(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* bytes, size_t size,
                                    void* user)
{
    // The connection's window guards nothing here: the streams' own do. So one stalled stream stops no other.
    nghttp2_session_consume_connection(session, size);
    Http2Stream* stream = streamOf(session, id);
    if (!stream) return 0;
    const Slice& input = connectionOf(user).m_input;
    const char* start = reinterpret_cast<const char*>(bytes);
    if (start >= input.bytes() && start + size <= input.bytes() + input.size) {
        stream->onBytes(input.part(static_cast<size_t>(start - input.bytes()), size));
        return 0;
    }
    BlockRef block = BlockRef::make(size);
    std::copy_n(start, size, block->bytes());
    stream->onBytes({std::move(block), 0, size});
    return 0;
}

int Http2Callbacks::frameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user)
{
    const bool isLast = (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
                        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (!isLast || !connectionOf(user).m_isServer) return 0;
    // The answer is complete while the client may still be sending: nobody will read that (RFC 9113 §8.1).
    if (nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
}

int Http2Callbacks::streamClosed(nghttp2_session* session, int32_t id, uint32_t errorCode, void* user)
{
    Http2Stream* stream = streamOf(session, id);
    if (!stream) return 0;
    connectionOf(user).forget(*stream);
    stream->onClosed(errorCode);
    return 0;
}

} // namespace cocoonbox::api::edge
