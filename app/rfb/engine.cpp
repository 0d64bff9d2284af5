// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/engine.h"

#include "app/rfb/cursor_reader.h"
#include "app/rfb/handshake.h"

#include <QMetaObject>

namespace cocoonbox::app::rfb {

using std::chrono::steady_clock;

namespace {

constexpr auto kPublishWithinUpdate = std::chrono::milliseconds(40); // a slow update is shown as it comes in
constexpr int kMissingRectsMax = 256; // a server may draw dots; beyond this, exactness is not worth its time
constexpr auto kBellGap = std::chrono::milliseconds(250);

} // namespace

Engine::Engine(RfbSession& session, std::shared_ptr<ByteStream> stream, const RfbOptions& options)
    : m_session(session), m_stream(std::move(stream)), m_options(options), m_reader(*m_stream), m_decoder(m_reader)
{
}

Engine::~Engine()
{
    close();
    if (m_thread.joinable()) m_thread.join();
}

void Engine::close()
{
    m_stream->close();
}

template <class Fn>
void Engine::tell(Fn fn)
{
    QMetaObject::invokeMethod(&m_session, std::move(fn), Qt::QueuedConnection);
}

void Engine::start()
{
    if (m_thread.joinable()) return;
    m_thread = std::thread([this] {
        Error error = run().error(); // it ends with an error only
        if (m_deaf) error = limitFailure(QStringLiteral("nothing for so long that input piled up")).error();
        m_stream->close();
        tell([session = &m_session, error] {
            session->m_connected = false;
            emit session->ended(error);
        });
    });
}

Result<void> Engine::run()
{
    TRY_ASSIGN(const ServerInit init, shakeHands(m_reader, *m_stream, m_options.shared));
    TRY_VOID(resize(init.size));
    send(message::setEncodings(m_options.jpegQuality, m_options.compressLevel));
    requestUpdate(false);
    tell([session = &m_session, init] {
        session->m_connected = true;
        session->m_size = init.size;
        session->m_name = init.name;
        emit session->connected(init.size);
    });
    for (;;) {
        TRY_VOID(m_reader.waitForMessage());
        TRY_VOID(handleMessage());
    }
}

Result<void> Engine::handleMessage()
{
    TRY_ASSIGN(const quint8 type, m_reader.u8());
    switch (type) {
    case kFramebufferUpdate: return readUpdate();
    case kSetColourMap: return readColourMap();
    case kBell: ringBell(); return {};
    case kServerCutText: return readCutText();
    case kEndOfContinuousUpdates: onContinuousUpdatesOffered(); return {};
    case kServerFence: return readFence();
    default: return protocolFailure(QStringLiteral("a message of unknown kind (%1)").arg(type));
    }
}

Result<void> Engine::readUpdate()
{
    TRY_VOID(m_reader.skip(1));
    TRY_ASSIGN(const int count, m_reader.u16());
    // Asking before decoding lets the server prepare the next update meanwhile.
    if (!m_continuous) requestUpdate(true);
    for (int i = 0; i < count; ++i) {
        TRY_ASSIGN(const bool more, readRect());
        if (!more) break;
        if (steady_clock::now() - m_lastPublish > kPublishWithinUpdate) publish();
    }
    publish();
    return {};
}

Result<bool> Engine::readRect()
{
    TRY_ASSIGN(const int x, m_reader.u16());
    TRY_ASSIGN(const int y, m_reader.u16());
    TRY_ASSIGN(const int width, m_reader.u16());
    TRY_ASSIGN(const int height, m_reader.u16());
    TRY_ASSIGN(const auto encoding, m_reader.u32().transform([](quint32 v) { return static_cast<qint32>(v); }));
    const QRect rect(x, y, width, height);
    if (encoding < 0 || encoding > 0xff) return readPseudoRect(rect, encoding);
    if (x + width > m_size.width() || y + height > m_size.height())
        return protocolFailure(QStringLiteral("a picture from outside the desktop"));
    TRY_VOID(m_decoder.decode(rect, encoding));
    m_fresh.add(rect);
    if (!m_missing.isEmpty()) {
        m_missing -= rect;
        if (m_missing.rectCount() > kMissingRectsMax) m_missing = m_missing.boundingRect();
    }
    return true;
}

Result<bool> Engine::readPseudoRect(const QRect& header, qint32 encoding)
{
    switch (encoding) {
    case kLastRect: return false;
    case kDesktopSize:
    case kExtendedDesktopSize: TRY_VOID(readDesktopSize(header, encoding == kExtendedDesktopSize)); return true;
    case kAlphaCursor:
    case kRichCursor: {
        TRY_ASSIGN(const CursorShape shape,
                   encoding == kAlphaCursor ? readAlphaCursor(m_reader, header) : readRichCursor(m_reader, header));
        tell([session = &m_session, shape] { emit session->cursorChanged(shape); });
        return true;
    }
    case kDesktopName: TRY_VOID(readName()); return true;
    case kQemuKeys: m_qemuKeys = true; return true;
    case kExtendedMouseButtons: m_extendedButtons = true; return true;
    default: return protocolFailure(QStringLiteral("a part of an update that was not offered (%1)").arg(encoding));
    }
}

Result<void> Engine::readDesktopSize(const QRect& header, bool extended)
{
    const bool refused = extended && header.x() == 1 && header.y() != 0; // our own request, and its status
    if (extended) {
        TRY_ASSIGN(const quint8 screens, m_reader.u8());
        TRY_VOID(m_reader.skip(3));
        for (int i = 0; i < screens; ++i) {
            TRY_ASSIGN(const quint32 screenId, m_reader.u32());
            TRY_VOID(m_reader.skip(8));
            TRY_ASSIGN(const quint32 flags, m_reader.u32());
            if (i > 0) continue;
            const std::scoped_lock lock(m_mutex);
            m_screen = {screenId, flags};
        }
    }
    if (refused || header.size() == m_size) return {};
    TRY_VOID(checkDesktopSize(header.width(), header.height()));
    TRY_VOID(resize(header.size()));
    tell([session = &m_session, size = m_size] {
        session->m_size = size;
        emit session->desktopResized(size);
    });
    if (m_continuous) send(message::enableContinuousUpdates(m_size));
    requestUpdate(false);
    return {};
}

Result<void> Engine::resize(QSize size)
{
    auto framebuffer = Framebuffer::create(size);
    if (!framebuffer)
        return fail(ErrorCode::ResourceExhausted,
                    QStringLiteral("There is not enough memory for the box's screen of %1 x %2 pixels.")
                        .arg(size.width())
                        .arg(size.height()),
                    QStringLiteral("RFB_MEMORY"));
    m_size = size;
    m_decoder.setFramebuffer(framebuffer);
    m_fresh.clear();
    m_missing = QRect({}, size);
    const std::scoped_lock lock(m_mutex);
    m_complete = false;
    m_framebuffer = std::move(framebuffer);
    m_damage.clear();
    m_damage.add(QRect({}, size));
    return {};
}

Result<void> Engine::readName()
{
    TRY_ASSIGN(const quint32 size, m_reader.u32());
    if (size > kNameBytesMax) return limitFailure(QStringLiteral("a desktop name of %1 bytes").arg(size));
    TRY_ASSIGN(const QByteArray name, m_reader.bytes(size));
    tell([session = &m_session, name = QString::fromUtf8(name)] { session->m_name = name; });
    return {};
}

Result<void> Engine::readCutText()
{
    TRY_VOID(m_reader.skip(3));
    TRY_ASSIGN(const auto length, m_reader.u32().transform([](quint32 v) { return qint64(static_cast<qint32>(v)); }));
    const qint64 size = std::abs(length);
    if (size > kCutTextBytesMax) return limitFailure(QStringLiteral("a clipboard text of %1 bytes").arg(size));
    if (size > 2 * kClipboardBytesMax) return m_reader.skip(size); // legal, but not for our clipboard
    TRY_ASSIGN(const QByteArray body, m_reader.bytes(size));
    Clipboard::Reaction reaction;
    if (length >= 0) {
        reaction.received =
            Clipboard::fromLatin1(QByteArrayView(body).first(std::min(size, qint64(kClipboardBytesMax))));
    } else {
        TRY_ASSIGN(reaction, m_clipboard.onExtended(body));
    }
    if (!reaction.send.isEmpty()) send(reaction.send);
    if (reaction.received)
        tell([session = &m_session, text = *reaction.received] { emit session->clipboardReceived(text); });
    return {};
}

Result<void> Engine::readFence()
{
    constexpr quint32 kRequest = 0x80000000;
    TRY_VOID(m_reader.skip(3));
    TRY_ASSIGN(const quint32 flags, m_reader.u32());
    TRY_ASSIGN(const quint8 size, m_reader.u8());
    if (size > 64) return protocolFailure(QStringLiteral("a fence of %1 bytes").arg(size));
    TRY_ASSIGN(const QByteArray payload, m_reader.bytes(size));
    if (flags & kRequest) send(message::fenceReply(flags, payload));
    return {};
}

Result<void> Engine::readColourMap()
{
    TRY_VOID(m_reader.skip(3));
    TRY_ASSIGN(const quint16 colours, m_reader.u16());
    return m_reader.skip(qint64(colours) * 6); // true colour was asked for: nothing to use it for
}

// The first of these messages offers continuous updates. Another would end them; the server then waits for requests.
void Engine::onContinuousUpdatesOffered()
{
    m_continuous = !m_continuous;
    if (m_continuous)
        send(message::enableContinuousUpdates(m_size));
    else
        requestUpdate(true);
}

void Engine::requestUpdate(bool incremental)
{
    send(message::updateRequest(incremental, m_size));
}

void Engine::publish()
{
    m_lastPublish = steady_clock::now();
    if (m_fresh.isEmpty()) return;
    bool told;
    {
        const std::scoped_lock lock(m_mutex);
        for (const QRect& rect : m_fresh.take())
            m_damage.add(rect);
        m_complete = m_missing.isEmpty();
        told = std::exchange(m_frameTold, true);
    }
    if (!told) tell([session = &m_session] { emit session->frameReady(); });
}

Frame Engine::takeFrame()
{
    const std::scoped_lock lock(m_mutex);
    m_frameTold = false;
    return {Framebuffer::image(m_framebuffer), m_damage.take(), m_complete};
}

void Engine::ringBell()
{
    const auto now = steady_clock::now();
    if (now - m_lastBell < kBellGap) return;
    m_lastBell = now;
    tell([session = &m_session] { emit session->bell(); });
}

void Engine::send(QByteArrayView bytes)
{
    if (m_stream->write(bytes)) return;
    m_deaf = true;
    m_stream->close();
}

void Engine::sendKey(quint32 keysym, quint32 xtScancode, bool down)
{
    if (m_qemuKeys && xtScancode != 0)
        send(message::qemuKey(keysym, xtScancode, down));
    else
        send(message::key(keysym, down));
}

void Engine::sendPointer(QPoint position, quint16 buttons)
{
    send(message::pointer(position, buttons, m_extendedButtons));
}

void Engine::setClipboard(const QString& text)
{
    send(m_clipboard.offer(text));
}

void Engine::requestDesktopSize(QSize size)
{
    Screen screen;
    {
        const std::scoped_lock lock(m_mutex);
        screen = m_screen;
    }
    send(message::setDesktopSize(size, screen));
}

} // namespace cocoonbox::app::rfb
