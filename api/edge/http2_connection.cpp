// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/http2_connection.h"

#include "api/edge/http2_callbacks.h"

#include <array>
#include <cstdlib>
#include <sys/epoll.h>

namespace cocoonbox::api::edge {

namespace {

constexpr size_t kReadRoomMin = 16 * 1024;
constexpr size_t kPartsPerWrite = 64;
constexpr int kReadsPerTurn = 4;
constexpr size_t kQueuedFramesMax = 10'000; // of a peer that makes us answer and does not read

std::vector<nghttp2_nv> pointersTo(const HeaderBlock& headers)
{
    std::vector<nghttp2_nv> pointers;
    pointers.reserve(headers.list.size());
    for (const Header& header : headers.list)
        pointers.push_back({reinterpret_cast<uint8_t*>(const_cast<char*>(header.name.data())),
                            reinterpret_cast<uint8_t*>(const_cast<char*>(header.value.data())), header.name.size(),
                            header.value.size(), NGHTTP2_NV_FLAG_NONE});
    return pointers;
}

nghttp2_session* newSession(Http2Connection* connection, bool isServer)
{
    nghttp2_option* option = nullptr;
    if (nghttp2_option_new(&option) != 0) std::abort(); // out of memory
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session* session = nullptr;
    const int error = isServer ? nghttp2_session_server_new2(&session, Http2Callbacks::table(), connection, option)
                               : nghttp2_session_client_new2(&session, Http2Callbacks::table(), connection, option);
    nghttp2_option_del(option);
    if (error != 0) std::abort();
    const std::array settings = {
        nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_FRAME_SIZE, kReadBlockBytes},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMetadataBytesMax},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kStreamsPerConnection},
        nghttp2_settings_entry{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };
    // A server must not send ENABLE_PUSH, which is why it stands last.
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size() - (isServer ? 1 : 0));
    nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
    return session;
}

} // namespace

std::span<char> ReadBuffer::room()
{
    if (m_block && !m_block->isShared()) m_used = 0;
    if (!m_block || kReadBlockBytes - m_used < kReadRoomMin) {
        m_block = BlockRef::make(kReadBlockBytes);
        m_used = 0;
    }
    return {m_block->bytes() + m_used, kReadBlockBytes - m_used};
}

Slice ReadBuffer::taken(size_t bytes)
{
    const size_t start = std::exchange(m_used, m_used + bytes);
    return {m_block, start, bytes};
}

Http2Connection::Http2Connection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport, Role role)
    : m_loop(loop), m_buffer(buffer), m_transport(std::move(transport)), m_isServer(role == Role::Server)
{
    m_session = newSession(this, m_isServer);
    m_loop.watch(m_transport->fd(), this, EPOLLIN);
    scheduleFlush();
}

Http2Connection::~Http2Connection()
{
    if (!m_isClosed) m_loop.unwatch(m_transport->fd(), this);
    nghttp2_session_del(m_session);
}

bool Http2Connection::takesRequests() const
{
    return !m_isClosed && nghttp2_session_check_request_allowed(m_session) != 0;
}

bool Http2Connection::request(Http2Stream& stream, const HeaderBlock& headers)
{
    if (!takesRequests()) return false;
    const nghttp2_data_provider2 payload = Http2Callbacks::payload();
    const std::vector<nghttp2_nv> pointers = pointersTo(headers);
    const int32_t id = nghttp2_submit_request2(m_session, nullptr, pointers.data(), pointers.size(), &payload, &stream);
    if (id < 0) return false;
    stream.m_id = id;
    m_streams.insert(&stream);
    scheduleFlush();
    return true;
}

void Http2Connection::respond(Http2Stream& stream, const HeaderBlock& headers)
{
    if (m_isClosed) return;
    const nghttp2_data_provider2 payload = Http2Callbacks::payload();
    const std::vector<nghttp2_nv> pointers = pointersTo(headers);
    nghttp2_submit_response2(m_session, stream.m_id, pointers.data(), pointers.size(), &payload);
    scheduleFlush();
}

void Http2Connection::respondAndFinish(Http2Stream& stream, const HeaderBlock& headers)
{
    if (m_isClosed) return;
    const std::vector<nghttp2_nv> pointers = pointersTo(headers);
    nghttp2_submit_response2(m_session, stream.m_id, pointers.data(), pointers.size(), nullptr);
    scheduleFlush();
}

void Http2Connection::write(Http2Stream& stream, Slice bytes)
{
    stream.m_out.append(std::move(bytes));
    resume(stream);
}

void Http2Connection::write(Http2Stream& stream, std::string_view bytes)
{
    stream.m_out.copy(bytes);
    resume(stream);
}

void Http2Connection::finish(Http2Stream& stream, std::unique_ptr<HeaderBlock> trailers)
{
    stream.m_isEnding = true;
    stream.m_trailers = std::move(trailers);
    resume(stream);
}

void Http2Connection::resume(Http2Stream& stream)
{
    if (m_isClosed) return;
    if (std::exchange(stream.m_isDeferred, false)) nghttp2_session_resume_data(m_session, stream.m_id);
    scheduleFlush();
}

void Http2Connection::submitTrailers(nghttp2_session* session, Http2Stream& stream)
{
    const std::unique_ptr<HeaderBlock> trailers = std::move(stream.m_trailers);
    const std::vector<nghttp2_nv> pointers = pointersTo(*trailers);
    nghttp2_submit_trailer(session, stream.m_id, pointers.data(), pointers.size());
}

void Http2Connection::reset(Http2Stream& stream, uint32_t errorCode)
{
    if (m_isClosed) return;
    nghttp2_submit_rst_stream(m_session, NGHTTP2_FLAG_NONE, stream.m_id, errorCode);
    scheduleFlush();
}

void Http2Connection::abandon(Http2Stream& stream, uint32_t errorCode)
{
    if (m_isClosed) return;
    reset(stream, errorCode);
    nghttp2_session_set_stream_user_data(m_session, stream.m_id, nullptr);
    forget(stream);
}

void Http2Connection::leave(Http2Stream& stream)
{
    if (m_isClosed || nghttp2_session_get_stream_local_close(m_session, stream.m_id) == 1) return;
    abandon(stream, NGHTTP2_NO_ERROR);
}

void Http2Connection::consumed(Http2Stream& stream, size_t bytes)
{
    if (m_isClosed) return;
    nghttp2_session_consume_stream(m_session, stream.m_id, bytes);
    if (nghttp2_session_want_write(m_session)) scheduleFlush();
}

void Http2Connection::ping()
{
    if (m_isClosed) return;
    nghttp2_submit_ping(m_session, NGHTTP2_FLAG_NONE, nullptr);
    scheduleFlush();
}

void Http2Connection::goAway()
{
    if (m_isClosed) return;
    nghttp2_submit_goaway(m_session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(m_session),
                          NGHTTP2_NO_ERROR, nullptr, 0);
    scheduleFlush();
}

void Http2Connection::close()
{
    if (std::exchange(m_isClosed, true)) return;
    m_loop.unwatch(m_transport->fd(), this);
    m_output.clear();
    while (!m_streams.empty()) {
        Http2Stream* stream = *m_streams.begin();
        m_streams.erase(m_streams.begin());
        stream->onClosed(kConnectionLost);
    }
    onLost();
}

void Http2Connection::forget(Http2Stream& stream)
{
    m_streams.erase(&stream);
}

void Http2Connection::onReady(uint32_t events)
{
    if ((events & EPOLLOUT) != 0) scheduleFlush();
    if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) readInput();
}

// A few reads a turn, so that what came together is sent on together.
void Http2Connection::readInput()
{
    Transport::Progress progress;
    for (int reads = 0; reads < kReadsPerTurn; ++reads) {
        progress = m_transport->read(m_buffer.room());
        if (progress.bytes > 0 && !parse(progress.bytes)) return close();
        if (m_isClosed || progress.wait != Transport::Wait::None) break;
    }
    if (m_isClosed) return;
    if (progress.wait == Transport::Wait::Ended) return close();
    if (progress.wait == Transport::Wait::None && m_transport->hasBufferedInput())
        m_loop.later([this] {
            if (!m_isClosed) readInput();
        });
}

bool Http2Connection::parse(size_t bytes)
{
    m_lastReadAt = std::chrono::steady_clock::now();
    m_hasGreeted = true;
    m_input = m_buffer.taken(bytes);
    const nghttp2_ssize parsed =
        nghttp2_session_mem_recv2(m_session, reinterpret_cast<const uint8_t*>(m_input.bytes()), m_input.size);
    m_input = {};
    if (parsed < 0 || nghttp2_session_get_outbound_queue_size(m_session) > kQueuedFramesMax) return false;
    scheduleFlush();
    return true;
}

void Http2Connection::scheduleFlush()
{
    if (m_isClosed || std::exchange(m_isFlushScheduled, true)) return;
    m_loop.later([this] { flush(); });
}

void Http2Connection::flush()
{
    m_isFlushScheduled = false;
    if (m_isClosed) return;
    while (true) {
        if (!fillOutput()) return close();
        if (m_output.isEmpty()) break;
        if (!writeOutput()) return;
    }
    wantOutputEvent(false);
    if (nghttp2_session_want_read(m_session) == 0 && nghttp2_session_want_write(m_session) == 0) close();
}

bool Http2Connection::fillOutput()
{
    return nghttp2_session_send(m_session) == 0;
}

// False when the socket takes no more now, or is gone.
bool Http2Connection::writeOutput()
{
    std::array<iovec, kPartsPerWrite> parts;
    while (!m_output.isEmpty()) {
        const int count = m_output.parts(parts);
        const Transport::Progress progress = m_transport->write({parts.data(), static_cast<size_t>(count)});
        m_output.drop(progress.bytes);
        if (progress.wait == Transport::Wait::Ended) {
            close();
            return false;
        }
        if (progress.wait != Transport::Wait::None) {
            wantOutputEvent(progress.wait == Transport::Wait::Write);
            return false;
        }
    }
    return true;
}

void Http2Connection::wantOutputEvent(bool wanted)
{
    if (std::exchange(m_waitsForOutput, wanted) == wanted) return;
    m_loop.rewatch(m_transport->fd(), this, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

} // namespace cocoonbox::api::edge
