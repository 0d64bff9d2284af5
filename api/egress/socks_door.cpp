// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/socks_door.h"

#include "common/net/fd_stream.h"
#include "common/net/unix_socket.h"

#include <QTimer>

namespace cocoonbox::api::egress {

namespace {

constexpr qsizetype kHandshakeBytesMax = 512;
constexpr int kLingerMs = 1'000;

// One client, from its greeting to our refusal.
class Refusal final : public QObject {
public:
    Refusal(net::UniqueFd fd, QObject* parent) : QObject(parent), m_stream(std::move(fd))
    {
        connect(&m_stream, &net::ByteStream::readable, this, &Refusal::onReadable);
        connect(&m_stream, &net::ByteStream::broken, this, &QObject::deleteLater);
        m_timer.setSingleShot(true);
        m_timer.callOnTimeout(this, &QObject::deleteLater);
        m_timer.start(SocksDoor::kTimeoutMs);
        m_stream.setReading(true);
    }

private:
    void onReadable()
    {
        char buffer[kHandshakeBytesMax];
        const qsizetype n = m_stream.read(buffer, sizeof buffer);
        if (n == net::ByteStream::kEnded || m_input.size() + n > kHandshakeBytesMax) return deleteLater();
        m_input.append(buffer, n);
        if (!m_isDone) answer();
    }
    void answer()
    {
        if (m_input.isEmpty()) return;
        if (m_input.at(0) == 4) return say(QByteArray("\0\x5b\0\0\0\0\0\0", 8));
        if (m_input.at(0) != 5) return deleteLater();
        if (!m_isGreeted) {
            if (m_input.size() < 2 || m_input.size() < 2 + static_cast<unsigned char>(m_input.at(1))) return;
            m_input.remove(0, 2 + static_cast<unsigned char>(m_input.at(1)));
            m_isGreeted = true;
            m_stream.write(QByteArray("\x05\0", 2)); // no authentication
            return answer();
        }
        if (m_input.size() >= 4) say(QByteArray("\x05\x02\0\x01\0\0\0\0\0\0", 10));
    }
    void say(const QByteArray& refusal)
    {
        m_isDone = true;
        m_stream.write(refusal);
        m_stream.finishWriting();
        m_timer.start(kLingerMs);
    }

    net::FdStream m_stream;
    QTimer m_timer;
    QByteArray m_input;
    bool m_isGreeted = false;
    bool m_isDone = false;
};

} // namespace

SocksDoor::SocksDoor(net::UniqueFd listener, QObject* parent)
    : QObject(parent), m_listener(std::move(listener)), m_notifier(m_listener.get(), QSocketNotifier::Read)
{
    connect(&m_notifier, &QSocketNotifier::activated, this, &SocksDoor::acceptAll);
}

void SocksDoor::acceptAll()
{
    while (m_live < kConnectionsMax) {
        Result<net::UniqueFd> fd = net::acceptFrom(m_listener.get());
        if (!fd || !fd->isValid()) return;
        ++m_live;
        auto* refusal = new Refusal(*std::move(fd), this);
        connect(refusal, &QObject::destroyed, this, [this] {
            --m_live;
            m_notifier.setEnabled(true);
        });
    }
    m_notifier.setEnabled(false);
}

} // namespace cocoonbox::api::egress
