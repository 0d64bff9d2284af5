// SPDX-License-Identifier: AGPL-3.0-only
#include "app/rfb/rfb_session.h"

#include "app/rfb/engine.h"

namespace cocoonbox::app::rfb {

RfbSession::RfbSession(std::shared_ptr<ByteStream> stream, const RfbOptions& options, QObject* parent)
    : QObject(parent), m_engine(std::make_unique<Engine>(*this, std::move(stream), options))
{
}

RfbSession::~RfbSession() = default;

void RfbSession::start()
{
    m_engine->start();
}

void RfbSession::close()
{
    m_engine->close();
}

Frame RfbSession::takeFrame()
{
    return m_engine->takeFrame();
}

void RfbSession::sendPointer(QPoint position, quint16 buttons)
{
    if (!m_connected) return;
    m_pointer = {std::clamp(position.x(), 0, m_size.width() - 1), std::clamp(position.y(), 0, m_size.height() - 1)};
    m_buttons = buttons;
    m_engine->sendPointer(m_pointer, buttons);
}

void RfbSession::sendKey(quint32 keysym, quint32 xtScancode, bool down)
{
    if (!m_connected) return;
    const quint64 key = xtScancode ? xtScancode : quint64(keysym) << 32;
    if (!down) {
        const auto held = m_held.constFind(key);
        if (held == m_held.cend()) return; // its press went elsewhere
        keysym = held->keysym;
        m_held.erase(held);
    } else if (const auto held = m_held.constFind(key); held != m_held.cend()) {
        keysym = held->keysym; // auto-repeat
    } else {
        if (m_held.size() >= kHeldKeysMax) return;
        m_held.insert(key, {keysym, xtScancode});
    }
    m_engine->sendKey(keysym, xtScancode, down);
}

void RfbSession::releaseAll()
{
    const auto held = std::exchange(m_held, {});
    if (!m_connected) return;
    for (const HeldKey& key : held)
        m_engine->sendKey(key.keysym, key.xtScancode, false);
    if (std::exchange(m_buttons, 0) != 0) m_engine->sendPointer(m_pointer, 0);
}

void RfbSession::setClipboard(const QString& text)
{
    if (m_connected) m_engine->setClipboard(text);
}

void RfbSession::requestDesktopSize(QSize size)
{
    if (m_connected) m_engine->requestDesktopSize(size);
}

} // namespace cocoonbox::app::rfb
