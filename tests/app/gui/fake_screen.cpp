// SPDX-License-Identifier: AGPL-3.0-only
#include "tests/app/gui/fake_screen.h"

#include <cstring>
#include <QPainter>
#include <QtEndian>

namespace cocoonbox::test {

namespace {

template <class T>
QByteArray big(T value)
{
    QByteArray bytes(sizeof(T), Qt::Uninitialized);
    qToBigEndian(value, bytes.data());
    return bytes;
}

template <class T>
T bigAt(const QByteArray& bytes, qsizetype at)
{
    return qFromBigEndian<T>(bytes.constData() + at);
}

} // namespace

FakeScreen::FakeScreen(QImage desktop) : m_desktop(desktop.convertToFormat(QImage::Format_RGB32))
{
    m_toClient = "RFB 003.008\n";
}

Result<qsizetype> FakeScreen::read(char* to, qsizetype capacity, std::chrono::milliseconds limit)
{
    std::unique_lock lock(m_mutex);
    const auto ready = [this] { return m_closed || !m_toClient.isEmpty(); };
    if (limit == kNoLimit)
        m_ready.wait(lock, ready); // a deadline that far away overflows
    else
        m_ready.wait_for(lock, limit, ready);
    if (m_toClient.isEmpty() && m_closed)
        return fail(ErrorCode::Unavailable, QStringLiteral("The screen of the box was closed."),
                    QStringLiteral("SCREEN_CLOSED"));
    const qsizetype count = std::min(capacity, m_toClient.size());
    std::memcpy(to, m_toClient.constData(), static_cast<std::size_t>(count));
    m_toClient.remove(0, count);
    return count;
}

bool FakeScreen::write(QByteArrayView message)
{
    const std::lock_guard lock(m_mutex);
    if (m_closed) return false;
    m_fromClient.append(message);
    while (takeMessage()) {
    }
    m_ready.notify_all();
    return true;
}

void FakeScreen::close()
{
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    m_ready.notify_all();
}

void FakeScreen::answer(const QByteArray& bytes)
{
    m_toClient.append(bytes);
}

bool FakeScreen::takeMessage()
{
    switch (m_stage) {
    case Stage::Version:
        if (m_fromClient.size() < 12) return false;
        m_fromClient.remove(0, 12);
        answer(QByteArray("\x01\x01", 2));
        m_stage = Stage::Security;
        return true;
    case Stage::Security:
        if (m_fromClient.isEmpty()) return false;
        m_fromClient.remove(0, 1);
        answer(big<quint32>(0));
        m_stage = Stage::ClientInit;
        return true;
    case Stage::ClientInit:
        if (m_fromClient.isEmpty()) return false;
        m_fromClient.remove(0, 1);
        answer(big<quint16>(static_cast<quint16>(m_desktop.width())) +
               big<quint16>(static_cast<quint16>(m_desktop.height())) +
               QByteArray("\x20\x18\x00\x01\x00\xff\x00\xff\x00\xff\x10\x08\x00\x00\x00\x00", 16) + big<quint32>(4) +
               "fake");
        m_damage = m_desktop.rect();
        m_stage = Stage::Running;
        return true;
    case Stage::Running: return takeRunning();
    }
    return false;
}

bool FakeScreen::takeRunning()
{
    if (m_fromClient.isEmpty()) return false;
    const auto has = [this](qsizetype size) { return m_fromClient.size() >= size; };
    qsizetype size = 0;
    switch (m_fromClient.at(0)) {
    case 0: size = 20; break;
    case 2: size = has(4) ? 4 + 4 * bigAt<quint16>(m_fromClient, 2) : 4; break;
    case 3: size = 10; break;
    case 4: size = 8; break;
    case 5: size = has(2) && (m_fromClient.at(1) & 0x80) ? 7 : 6; break;
    case 6: size = has(8) ? 8 + std::abs(bigAt<qint32>(m_fromClient, 4)) : 8; break;
    default: m_closed = true; return false;
    }
    if (!has(size)) return false;
    const QByteArray message = m_fromClient.first(size);
    m_fromClient.remove(0, size);
    if (message.at(0) == 3) {
        if (message.at(1) == 0) m_damage += m_desktop.rect();
        m_asked = true;
        ++m_requests;
        sendDamage();
    }
    if (message.at(0) == 6) m_cutText = message.sliced(8);
    if (message.at(0) == 4) m_keys.append({bigAt<quint32>(message, 4), message.at(1) != 0});
    if (message.at(0) == 5) {
        const int more = message.size() > 6 ? static_cast<quint8>(message.at(6)) << 7 : 0;
        m_pointers.append({{bigAt<quint16>(message, 2), bigAt<quint16>(message, 4)}, (message.at(1) & 0x7f) | more});
    }
    return true;
}

void FakeScreen::sendDamage()
{
    if (!m_asked || m_held || m_damage.isEmpty()) return;
    QByteArray update = QByteArray("\0\0", 2) + big<quint16>(static_cast<quint16>(m_damage.rectCount()));
    for (const QRect& rect : m_damage) {
        for (const int value : {rect.x(), rect.y(), rect.width(), rect.height()})
            update += big<quint16>(static_cast<quint16>(value));
        update += big<qint32>(0);
        for (int y = rect.top(); y <= rect.bottom(); ++y)
            update.append(reinterpret_cast<const char*>(m_desktop.constScanLine(y)) + 4 * rect.left(),
                          4 * rect.width());
    }
    m_damage = {};
    m_asked = false;
    answer(update);
    m_ready.notify_all();
}

void FakeScreen::paint(const QRect& rect, QColor color)
{
    const std::lock_guard lock(m_mutex);
    QPainter(&m_desktop).fillRect(rect, color);
    m_damage += rect;
    if (m_stage == Stage::Running) sendDamage();
}

void FakeScreen::resize(const QImage& desktop)
{
    const std::lock_guard lock(m_mutex);
    m_desktop = desktop.convertToFormat(QImage::Format_RGB32);
    m_damage = {};
    m_asked = false;
    answer(QByteArray("\0\0", 2) + big<quint16>(1) + big<quint16>(0) + big<quint16>(0) +
           big<quint16>(static_cast<quint16>(desktop.width())) + big<quint16>(static_cast<quint16>(desktop.height())) +
           big<qint32>(-223));
    m_ready.notify_all();
}

void FakeScreen::setCursor(const QImage& shape, QPoint hotSpot)
{
    const std::lock_guard lock(m_mutex);
    const QImage pixels = shape.convertToFormat(QImage::Format_RGB32);
    QByteArray update = QByteArray("\0\0", 2) + big<quint16>(1);
    for (const int value : {hotSpot.x(), hotSpot.y(), pixels.width(), pixels.height()})
        update += big<quint16>(static_cast<quint16>(value));
    update += big<qint32>(-239);
    for (int y = 0; y < pixels.height(); ++y)
        update.append(reinterpret_cast<const char*>(pixels.constScanLine(y)), qsizetype(4) * pixels.width());
    update.append(QByteArray(qsizetype((pixels.width() + 7) / 8) * pixels.height(), '\xff'));
    answer(update);
    m_ready.notify_all();
}

void FakeScreen::offerMoreButtons()
{
    const std::lock_guard lock(m_mutex);
    answer(QByteArray("\0\0", 2) + big<quint16>(1) + QByteArray(8, '\0') + big<qint32>(-316));
    m_ready.notify_all();
}

void FakeScreen::holdPictures(bool hold)
{
    const std::lock_guard lock(m_mutex);
    m_held = hold;
    if (m_stage == Stage::Running) sendDamage();
}

int FakeScreen::requests() const
{
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

QByteArray FakeScreen::cutText() const
{
    const std::lock_guard lock(m_mutex);
    return m_cutText;
}

void FakeScreen::copy(const QByteArray& latin1)
{
    const std::lock_guard lock(m_mutex);
    answer(QByteArray("\3\0\0\0", 4) + big<quint32>(static_cast<quint32>(latin1.size())) + latin1);
    m_ready.notify_all();
}

QImage FakeScreen::desktop() const
{
    const std::lock_guard lock(m_mutex);
    return m_desktop.copy();
}

QList<FakeScreen::Key> FakeScreen::keys() const
{
    const std::lock_guard lock(m_mutex);
    return m_keys;
}

QList<FakeScreen::Pointer> FakeScreen::pointers() const
{
    const std::lock_guard lock(m_mutex);
    return m_pointers;
}

} // namespace cocoonbox::test
