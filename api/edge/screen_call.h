// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/client_stream.h"
#include "api/edge/screen_frames.h"

#include <functional>

namespace cocoonbox::api::edge {

// Session.Screen: the bytes between one client and the box's RFB server. A frame is read from the socket behind a head
// that is written afterwards, and goes out as it lies; nothing is allocated that grows. At most kScreenQueueBytesMax
// wait for the client's window, so that a slow client sees a late picture and not an old one.
class ScreenCall final : public Call, private Watcher {
public:
    // A connected socket; asked for again while it is Unavailable, until `giveUpAt`.
    using Dialer = std::move_only_function<Result<int>()>;

    ScreenCall(ClientStream& client, ReadBuffer& buffer, Dialer dial, Loop::TimePoint giveUpAt);
    ~ScreenCall() override;
    void connect();

    void onBytes(Slice bytes) override;
    void onEnd() override;
    void onSent(size_t bytes) override;
    void release() override;

private:
    void onReady(uint32_t events) override;
    void retryOrFail(const Error& error);
    void readScreen();
    bool writeScreen();
    void rewatch();
    void fail(const Error& error);

    ClientStream& m_client;
    ReadBuffer& m_buffer;
    Dialer m_dial;
    Loop::TimePoint m_giveUpAt;
    std::optional<Loop::Timer> m_retry;
    std::chrono::milliseconds m_retryDelay{10};
    int m_fd = -1;
    uint32_t m_watched = 0;
    ScreenFrameReader m_reader;
    ByteQueue m_toScreen;
    size_t m_unconsumed = 0; // of the client's window, while m_toScreen waits
};

} // namespace cocoonbox::api::edge
