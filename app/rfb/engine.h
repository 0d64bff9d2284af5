// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/clipboard.h"
#include "app/rfb/damage.h"
#include "app/rfb/protocol.h"
#include "app/rfb/rect_decoder.h"
#include "app/rfb/rfb_session.h"

#include <atomic>
#include <QRegion>
#include <thread>

namespace cocoonbox::app::rfb {

// The thread behind one RfbSession: reads messages, decodes into the framebuffer, answers what the protocol asks.
// It sleeps in ByteStream::read and nowhere else. Input is written by the GUI's thread straight to the stream, so a
// key never waits for a picture. The session joins it before it goes, so `m_session` is always there.
class Engine {
public:
    Engine(RfbSession& session, std::shared_ptr<ByteStream> stream, const RfbOptions& options);
    ~Engine(); // closes and joins

    void start();
    void close();

    // Of the session's thread.
    Frame takeFrame();
    void send(QByteArrayView message); // ends the session when the server has stopped reading
    void sendKey(quint32 keysym, quint32 xtScancode, bool down);
    void sendPointer(QPoint position, quint16 buttons);
    void setClipboard(const QString& text);
    void requestDesktopSize(QSize size);

private:
    Result<void> run();
    Result<void> handleMessage();
    Result<void> readUpdate();
    Result<bool> readRect(); // false: it was the last one
    Result<bool> readPseudoRect(const QRect& header, qint32 encoding);
    Result<void> readDesktopSize(const QRect& header, bool extended);
    Result<void> readName();
    Result<void> readCutText();
    Result<void> readFence();
    Result<void> readColourMap();
    void onContinuousUpdatesOffered();
    Result<void> resize(QSize size);
    void requestUpdate(bool incremental);
    void publish();
    void ringBell();
    template <class Fn>
    void tell(Fn fn); // runs on the session's thread

    RfbSession& m_session;
    const std::shared_ptr<ByteStream> m_stream;
    const RfbOptions m_options;
    StreamReader m_reader;
    RectDecoder m_decoder;
    Clipboard m_clipboard;
    std::thread m_thread;

    // Shared with the session's thread.
    std::mutex m_mutex;
    std::shared_ptr<Framebuffer> m_framebuffer;
    Damage m_damage;
    bool m_frameTold = false; // `frameReady` is out and no frame was taken since
    bool m_complete = false;
    Screen m_screen;
    std::atomic<bool> m_qemuKeys = false;
    std::atomic<bool> m_extendedButtons = false;
    std::atomic<bool> m_deaf = false; // the server stopped reading

    // Of the engine's thread.
    QSize m_size;
    bool m_continuous = false;
    Damage m_fresh;    // not published yet
    QRegion m_missing; // never drawn at this size
    std::chrono::steady_clock::time_point m_lastPublish{};
    std::chrono::steady_clock::time_point m_lastBell{};
};

} // namespace cocoonbox::app::rfb
