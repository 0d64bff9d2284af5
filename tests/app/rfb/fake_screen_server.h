// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <functional>
#include <memory>
#include <QByteArray>
#include <QList>
#include <QSize>
#include <thread>

namespace cocoonbox::tests {

QByteArray be16(int value);
QByteArray be32(quint32 value);
// A rectangle header, and an update of the given rectangles.
QByteArray rectHeader(int x, int y, int width, int height, qint32 encoding);
QByteArray update(const QList<QByteArray>& rects);
QByteArray rawRect(int x, int y, int width, int height, quint32 pixel);
QByteArray zlibbed(QByteArrayView plain);   // one flushed block of a zlib stream
QByteArray compactLength(qsizetype length); // of a Tight rectangle

// The server's end of a connection, in a thread of its own. Reads time out after 5 s: the script then ends.
class ScreenPeer {
public:
    explicit ScreenPeer(int fd) : m_fd(fd) {}
    bool send(QByteArrayView bytes);
    QByteArray read(qsizetype size); // shorter at the end
    QByteArray readUntilClosed();
    // Version 3.8, no authentication, then what a client sends until it asks for a picture.
    bool greet(QSize size, const QByteArray& name = "box");
    void closeNow();

private:
    int m_fd;
};

class FakeScreenServer {
public:
    explicit FakeScreenServer(std::function<void(ScreenPeer&)> script);
    ~FakeScreenServer();
    std::shared_ptr<app::rfb::ByteStream> stream() const { return m_stream; }

private:
    int m_fd;
    std::shared_ptr<app::rfb::ByteStream> m_stream;
    std::thread m_thread;
};

} // namespace cocoonbox::tests
