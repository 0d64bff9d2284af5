// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"
#include "app/rfb/frame.h"

#include <memory>
#include <QHash>
#include <QObject>
#include <QSize>

namespace cocoonbox::app::rfb {

struct RfbOptions {
    int jpegQuality = 8;   // 0 (smallest) to 9; -1: no lossy encoding
    int compressLevel = 2; // 0 to 9
    bool shared = true;    // other viewers stay connected
};

class Engine;

// One RFB connection: a thread of its own reads and decodes, this object lives on the thread that made it (the GUI's)
// and none of its functions blocks. Reconnecting is the owner's job: make a new session on a new stream.
//
// Limits: desktop 16384 x 16384 and 256 MiB, cursor 1024 x 1024, clipboard 1 MiB of UTF-8, a server that falls silent
// within a message for 20 s is given up. Everything the server sends is hostile until checked; what breaks the
// protocol ends the session with `ended`.
class RfbSession final : public QObject {
    Q_OBJECT
public:
    explicit RfbSession(std::shared_ptr<ByteStream> stream, const RfbOptions& options = {}, QObject* parent = nullptr);
    ~RfbSession() override; // closes the stream and joins the thread (milliseconds)

    // Call once, after the signals are connected.
    void start();
    void close();
    bool isConnected() const { return m_connected; }

    QSize desktopSize() const { return m_size; }
    QString desktopName() const { return m_name; }

    // The picture now and what changed since the last take. `frameReady` comes once after it, when more has changed;
    // a view that takes one frame for each of its refreshes thus paces the signal.
    Frame takeFrame();

    // Input. Ignored before `connected` and after `ended`. `position` in desktop pixels, clamped.
    void sendPointer(QPoint position, quint16 buttons);
    // `keysym` of X11; `xtScancode` of the physical key (0: unknown), used where the server takes it (QEMU extension).
    // A release is sent with the keysym of its press.
    void sendKey(quint32 keysym, quint32 xtScancode, bool down);
    // Releases every key and button that this session holds: call it when the view loses focus or hands back.
    void releaseAll();

    void setClipboard(const QString& text); // cut at 1 MiB
    // Asks the box for another desktop size; `desktopResized` follows where it agrees.
    void requestDesktopSize(QSize size);

signals:
    void connected(QSize size);
    void frameReady();
    void desktopResized(QSize size);
    void cursorChanged(const cocoonbox::app::rfb::CursorShape& shape);
    void clipboardReceived(const QString& text);
    void bell(); // at most 4 a second
    // The last signal. Reasons: RFB_PROTOCOL (the server broke the protocol), RFB_LIMIT, RFB_STALLED, RFB_AUTH
    // (it wants a password), SCREEN_CLOSED, or the stream's own.
    void ended(const cocoonbox::Error& error);

private:
    friend class Engine;
    static constexpr qsizetype kHeldKeysMax = 64;
    struct HeldKey {
        quint32 keysym;
        quint32 xtScancode;
    };
    QSize m_size;
    QString m_name;
    bool m_connected = false;
    QHash<quint64, HeldKey> m_held; // by scan code, or by keysym where it is unknown
    QPoint m_pointer;
    quint16 m_buttons = 0;
    std::unique_ptr<Engine> m_engine; // the last member: its thread ends first
};

} // namespace cocoonbox::app::rfb
