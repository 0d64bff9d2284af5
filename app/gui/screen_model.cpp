// SPDX-License-Identifier: AGPL-3.0-only
#include "app/gui/screen_model.h"

#include <algorithm>
#include <ranges>

namespace cocoonbox::app::gui {

namespace {

using namespace std::chrono_literals;

// 0.2 s doubling to 1.6 s, as app/client tries: a restarted X server is shown within two seconds of being back.
std::chrono::milliseconds pauseAfter(int failures)
{
    return 200ms * (1 << std::clamp(failures - 1, 0, 3));
}

} // namespace

ScreenModel::ScreenModel(QObject* parent) : QObject(parent)
{
    m_retryTimer.setSingleShot(true);
    connect(&m_retryTimer, &QTimer::timeout, this, &ScreenModel::openScreen);
    connect(&m_text, &TextChannel::keyDue, this, [this](const TextChannel::Key& key) {
        if (m_control == Control::Mine && m_session) m_session->sendKey(key.keysym, key.xtCode, key.down);
    });
    connect(&m_text, &TextChannel::failed, this, &ScreenModel::setControlError);
    connect(&m_text, &TextChannel::sent, this, [this] { setControlError({}); });
}

ScreenModel::~ScreenModel()
{
    m_scope.requestStop();
}

void ScreenModel::setLink(BoxLink* link)
{
    if (m_link) m_link->disconnect(this);
    closeScreen();
    m_link = link;
    m_text.setLink(link);
    m_agent.clear();
    m_failures = 0;
    setControl(Control::Watching, {});
    setControlError({});
    setSize({});
    setPicture(Picture::Off, {});
    if (!link) return;
    connect(link, &BoxLink::stateChanged, this, &ScreenModel::onLinkState);
    connect(link, &BoxLink::batonChanged, this, &ScreenModel::onBaton);
    connect(link, &BoxLink::screenLost, this, [this](const QString& why) {
        onBaton();
        setControlError(why);
    });
    onLinkState();
    onBaton();
}

void ScreenModel::setLabel(const QString& label)
{
    if (!label.isEmpty()) m_label = label;
}

void ScreenModel::onLinkState()
{
    if (m_link->state() == client::SessionState::Connected) {
        if (!m_session && !m_retryTimer.isActive()) openScreen();
        return;
    }
    closeScreen();
    if (m_link->state() == client::SessionState::Connecting)
        setPicture(hasPicture() ? Picture::Lost : Picture::Connecting, m_link->message());
    else
        setPicture(Picture::Off, m_link->message());
}

void ScreenModel::openScreen()
{
    if (!m_link || m_link->state() != client::SessionState::Connected) return;
    setPicture(hasPicture() ? Picture::Lost : Picture::Connecting, m_message);
    m_session = std::make_unique<rfb::RfbSession>(std::make_shared<CountedStream>(m_link->openScreen(), m_traffic));
    const rfb::RfbSession* session = m_session.get();
    connect(session, &rfb::RfbSession::connected, this, [this](QSize size) {
        m_failures = 0;
        setSize(size);
        setPicture(Picture::Live, {});
    });
    connect(session, &rfb::RfbSession::desktopResized, this, &ScreenModel::setSize);
    connect(session, &rfb::RfbSession::frameReady, this, &ScreenModel::frameReady);
    connect(session, &rfb::RfbSession::cursorChanged, this, [this](const rfb::CursorShape& shape) {
        m_cursor = shape;
        emit cursorChanged();
    });
    connect(session, &rfb::RfbSession::clipboardReceived, this, &ScreenModel::clipboardReceived);
    connect(session, &rfb::RfbSession::ended, this, &ScreenModel::onEnded);
    m_session->start();
}

void ScreenModel::closeScreen()
{
    m_retryTimer.stop();
    m_locks.reset();
    if (std::exchange(m_pointer, std::nullopt)) emit pointerChanged();
    if (!m_session) return;
    m_session->disconnect(this);
    m_session.release()->deleteLater(); // it may be the one that is calling
}

void ScreenModel::onEnded(const Error& error)
{
    closeScreen();
    ++m_failures;
    setPicture(hasPicture() ? Picture::Lost : Picture::Connecting, error.message);
    m_retryTimer.start(pauseAfter(m_failures));
}

void ScreenModel::onBaton()
{
    if (!m_link) return;
    const client::Baton baton = m_link->baton();
    if (m_link->holdsScreen()) return setControl(Control::Mine, baton.heldBy);
    if (m_control == Control::Asking) return; // the answer decides
    if (!baton.heldBy.isEmpty()) return setControl(Control::Theirs, baton.heldBy);
    setControl(m_agent.isEmpty() ? Control::Watching : Control::Agent, m_agent);
}

void ScreenModel::setAgentAtWork(const QString& title)
{
    if (title == m_agent) return;
    m_agent = title;
    onBaton();
}

void ScreenModel::showPointer(QPoint position)
{
    if (position == m_pointer) return;
    m_pointer = position;
    emit pointerChanged();
}

void ScreenModel::takeOver(bool steal)
{
    if (!m_link || m_picture != Picture::Live || m_control == Control::Mine || m_control == Control::Asking) return;
    setControlError({});
    setControl(Control::Asking, m_holder);
    m_scope.spawn(take(steal), QStringLiteral("taking over the screen"));
}

Task<void> ScreenModel::take(bool steal)
{
    const QPointer self(this);
    const QPointer link(m_link);
    const Result<void> taken = co_await link->takeOver(m_label, steal);
    if (!self || !link || link != m_link) co_return {};
    if (m_control == Control::Asking) setControl(Control::Watching, {});
    onBaton();
    if (!taken) setControlError(taken.error().message);
    co_return {};
}

void ScreenModel::handBack()
{
    if (!m_link || m_control != Control::Mine) return;
    releaseAll();
    m_text.clear();
    m_link->handBack();
    setControl(Control::Watching, {});
    setControlError({});
    onBaton();
}

rfb::Frame ScreenModel::takeFrame()
{
    return m_session ? m_session->takeFrame() : rfb::Frame();
}

void ScreenModel::sendKey(quint32 keysym, quint32 xtCode, bool down)
{
    if (m_control != Control::Mine || !m_session || m_text.queue({keysym, xtCode, down})) return;
    m_session->sendKey(keysym, xtCode, down);
}

void ScreenModel::sendText(const QString& text)
{
    if (m_control != Control::Mine) return;
    if (m_session) m_session->releaseAll(); // a modifier that is held would make shortcuts of it
    m_text.sendText(text);
}

void ScreenModel::pressTogether(const QList<int>& keysyms)
{
    for (const int keysym : keysyms)
        sendKey(static_cast<quint32>(keysym), 0, true);
    for (const int keysym : keysyms | std::views::reverse)
        sendKey(static_cast<quint32>(keysym), 0, false);
}

void ScreenModel::offerClipboard(const QString& text)
{
    if (m_control == Control::Mine && m_session) m_session->setClipboard(text);
}

void ScreenModel::sendPointer(QPoint position, quint16 buttons)
{
    if (m_control != Control::Mine || !m_session) return;
    m_pointer = position; // where it stays after a hand-back
    m_session->sendPointer(position, buttons);
}

void ScreenModel::releaseAll()
{
    m_text.dropKeys();
    if (m_session) m_session->releaseAll();
}

void ScreenModel::setPicture(Picture picture, const QString& message)
{
    if (picture == m_picture && message == m_message) return;
    m_picture = picture;
    m_message = message;
    emit pictureChanged();
}

void ScreenModel::setSize(QSize size)
{
    if (size == m_size) return;
    m_size = size;
    emit desktopSizeChanged();
    emit pictureChanged();
}

void ScreenModel::setControl(Control control, const QString& holder)
{
    if (control == m_control && holder == m_holder) return;
    if (m_control == Control::Mine && control != Control::Mine) {
        releaseAll();
        m_text.clear();
    }
    m_control = control;
    m_holder = holder;
    emit controlChanged();
}

void ScreenModel::setControlError(const QString& message)
{
    if (message == m_controlError) return;
    m_controlError = message;
    emit controlErrorChanged();
}

} // namespace cocoonbox::app::gui
