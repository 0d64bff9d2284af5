// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/http2_stream.h"
#include "api/edge/loop.h"
#include "api/edge/transport.h"

#include <unordered_set>

struct nghttp2_session;

namespace cocoonbox::api::edge {

inline constexpr size_t kMetadataBytesMax = 16 * 1024;
inline constexpr int32_t kStreamWindowBytes = 512 * 1024; // what a stalled reader can make us hold, per stream
inline constexpr int32_t kConnectionWindowBytes = 4 * 1024 * 1024;
inline constexpr size_t kOutputBytesMax = 128 * 1024; // handed to the socket at a time, per connection
inline constexpr uint32_t kStreamsPerConnection = 1000;

// Where the sockets of one loop are read into. What a read brings stays as slices of the block; the room behind them
// is used for the next read, whichever socket it is.
class ReadBuffer {
public:
    std::span<char> room();
    Slice taken(size_t bytes);

private:
    BlockRef m_block;
    size_t m_used = 0;
};

// One HTTP/2 connection (nghttp2) over a transport, as server or client. Bounds: what the peer may send is the stream
// windows; what waits for the socket is kOutputBytesMax; what waits for the peer's windows is bounded by who writes.
class Http2Connection : public Watcher {
public:
    enum class Role { Server, Client };

    virtual ~Http2Connection();
    Http2Connection(const Http2Connection&) = delete;

    bool isClosed() const { return m_isClosed; }
    bool takesRequests() const;                      // client: the server has not said that it goes away
    bool hasGreeted() const { return m_hasGreeted; } // the peer has said something
    size_t streamCount() const { return m_streams.size(); }
    Loop::TimePoint lastReadAt() const { return m_lastReadAt; }

    // All of these do nothing on a closed connection.
    bool request(Http2Stream& stream, const HeaderBlock& headers); // false: no more streams on this connection
    void respond(Http2Stream& stream, const HeaderBlock& headers);
    void respondAndFinish(Http2Stream& stream, const HeaderBlock& headers);
    void write(Http2Stream& stream, Slice bytes);
    void write(Http2Stream& stream, std::string_view bytes);
    // After what was written. A server that is done resets a stream that the client has not ended, with NO_ERROR.
    void finish(Http2Stream& stream, std::unique_ptr<HeaderBlock> trailers);
    void reset(Http2Stream& stream, uint32_t errorCode);   // `onClosed` follows
    void abandon(Http2Stream& stream, uint32_t errorCode); // reset, and nothing more is told to the stream
    // Client: the answer is complete. Abandons the stream unless our half has ended, and it ends by itself.
    void leave(Http2Stream& stream);
    void consumed(Http2Stream& stream, size_t bytes); // opens the peer's window again
    void ping();
    void goAway(); // takes no new streams; closes once the live ones have ended
    void close();  // now; every stream is told kConnectionLost

protected:
    Http2Connection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport, Role role);
    Loop& loop() { return m_loop; }
    const std::unordered_set<Http2Stream*>& streams() const { return m_streams; }

private:
    friend struct Http2Callbacks;

    // Server: the peer opens a stream. The connection does not own it. Null: refused.
    virtual Http2Stream* openStream() { return nullptr; }
    // The connection is closed, its streams know; last call of all.
    virtual void onLost() = 0;

    static void submitTrailers(nghttp2_session* session, Http2Stream& stream);
    void onReady(uint32_t events) override;
    void readInput();
    bool parse(size_t bytes); // what was just read into the buffer; false when the peer breaks the protocol
    void flush();
    void scheduleFlush();
    bool fillOutput();
    bool writeOutput();
    void wantOutputEvent(bool wanted);
    void resume(Http2Stream& stream);
    void forget(Http2Stream& stream);

    Loop& m_loop;
    ReadBuffer& m_buffer;
    std::unique_ptr<Transport> m_transport;
    nghttp2_session* m_session = nullptr;
    Slice m_input; // what nghttp2 parses now
    ByteQueue m_output;
    std::unordered_set<Http2Stream*> m_streams;
    Loop::TimePoint m_lastReadAt = std::chrono::steady_clock::now();
    bool m_hasGreeted = false;
    bool m_isServer;
    bool m_isClosed = false;
    bool m_isFlushScheduled = false;
    bool m_waitsForOutput = false;
};

} // namespace cocoonbox::api::edge
