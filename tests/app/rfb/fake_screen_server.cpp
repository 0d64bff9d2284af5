// SPDX-License-Identifier: AGPL-3.0-only
#include "fake_screen_server.h"

#include "app/rfb/socket_stream.h"

#include <limits>
#include <QList>
#include <QtEndian>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

namespace cocoonbox::tests {

QByteArray be16(int value)
{
    QByteArray out(2, Qt::Uninitialized);
    qToBigEndian(static_cast<quint16>(value), out.data());
    return out;
}

QByteArray be32(quint32 value)
{
    QByteArray out(4, Qt::Uninitialized);
    qToBigEndian(value, out.data());
    return out;
}

QByteArray rectHeader(int x, int y, int width, int height, qint32 encoding)
{
    return be16(x) + be16(y) + be16(width) + be16(height) + be32(static_cast<quint32>(encoding));
}

QByteArray update(const QList<QByteArray>& rects)
{
    QByteArray out(2, '\0');
    out += be16(static_cast<int>(rects.size()));
    for (const QByteArray& rect : rects)
        out += rect;
    return out;
}

QByteArray rawRect(int x, int y, int width, int height, quint32 pixel)
{
    QByteArray out = rectHeader(x, y, width, height, 0);
    QByteArray one(4, Qt::Uninitialized);
    qToLittleEndian(pixel, one.data());
    for (int i = 0; i < width * height; ++i)
        out += one;
    return out;
}

QByteArray zlibbed(QByteArrayView plain)
{
    z_stream stream{};
    deflateInit(&stream, 6);
    QByteArray out(static_cast<qsizetype>(compressBound(static_cast<uLong>(plain.size()))) + 64, Qt::Uninitialized);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
    stream.avail_in = static_cast<uInt>(plain.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_SYNC_FLUSH);
    out.truncate(out.size() - static_cast<qsizetype>(stream.avail_out));
    deflateEnd(&stream);
    return out;
}

QByteArray compactLength(qsizetype length)
{
    QByteArray out;
    do {
        const auto part = static_cast<char>(length & 0x7f);
        length >>= 7;
        out += static_cast<char>(part | (length ? 0x80 : 0));
    } while (length);
    return out;
}

bool ScreenPeer::send(QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        const ssize_t part = ::send(m_fd, bytes.data(), static_cast<size_t>(bytes.size()), MSG_NOSIGNAL);
        if (part <= 0) return false;
        bytes = bytes.sliced(part);
    }
    return true;
}

QByteArray ScreenPeer::read(qsizetype size)
{
    QByteArray out;
    while (out.size() < size) {
        char chunk[4096];
        const ssize_t part = ::recv(m_fd, chunk, static_cast<size_t>(std::min<qsizetype>(size - out.size(), 4096)), 0);
        if (part <= 0) break;
        out.append(chunk, part);
    }
    return out;
}

QByteArray ScreenPeer::readUntilClosed()
{
    return read(std::numeric_limits<qsizetype>::max());
}

bool ScreenPeer::greet(QSize size, const QByteArray& name)
{
    send("RFB 003.008\n");
    if (read(12) != "RFB 003.008\n") return false;
    send(QByteArray("\x01\x01", 2));
    if (read(1) != "\x01") return false;
    send(be32(0));
    read(1);
    const QByteArray otherFormat("\x10\x10\x00\x01\x00\x1f\x00\x3f\x00\x1f\x0b\x05\x00\x00\x00\x00", 16);
    send(be16(size.width()) + be16(size.height()) + otherFormat + be32(static_cast<quint32>(name.size())) + name);
    if (read(20).size() != 20) return false; // SetPixelFormat
    const QByteArray encodings = read(4);
    if (encodings.size() != 4) return false;
    read(qFromBigEndian<quint16>(encodings.constData() + 2) * 4);
    return read(10).size() == 10; // the first request
}

void ScreenPeer::closeNow()
{
    ::shutdown(m_fd, SHUT_RDWR);
}

FakeScreenServer::FakeScreenServer(std::function<void(ScreenPeer&)> script)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) qFatal("socketpair");
    m_fd = ends[1];
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(m_fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    m_stream = app::rfb::makeSocketStream(ends[0]);
    m_thread = std::thread([this, script = std::move(script)] {
        ScreenPeer peer(m_fd);
        script(peer);
    });
}

FakeScreenServer::~FakeScreenServer()
{
    ::shutdown(m_fd, SHUT_RDWR);
    m_thread.join();
    ::close(m_fd);
}

} // namespace cocoonbox::tests
