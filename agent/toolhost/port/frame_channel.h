// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/message.h"

#include <memory>
#include <QObject>
#include <QSocketNotifier>
#include <sys/types.h>

namespace cocoonbox::agent::toolhost::port {

// The user at the other end of a connected unix socket must be `uid`. PermissionDenied: PEER_REFUSED.
Result<void> checkPeer(int fd, uid_t uid);

// Messages over one connected unix socket, which it owns and makes non-blocking. Domain thread only.
// It ends once, by `closed`: when the peer hangs up or breaks the protocol, when the bound of unsent bytes is passed
// (the peer does not read), or by `close`. Nothing is received or sent afterwards.
class FrameChannel final : public QObject {
    Q_OBJECT
public:
    static constexpr qsizetype kUnsentBytesMax = 8 * 1024 * 1024;

    explicit FrameChannel(int fd, QObject* parent = nullptr);
    ~FrameChannel() override;

    // False when the channel has ended, or ends by this message.
    bool send(const Message& message);
    bool isOpen() const { return m_fd >= 0; }
    qsizetype unsentBytes() const { return m_unsent.size(); }
    // Emits `closed` with Cancelled when it was open.
    void close();
    // The same with a reason of the caller: the peer said a word out of place.
    void abort(const Error& error);

signals:
    void received(const cocoonbox::agent::toolhost::port::Message& message);
    void closed(const cocoonbox::Error& error);

private:
    void onReadable();
    void onWritable();

    int m_fd;
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    FrameReader m_reader;
    QByteArray m_unsent;
};

} // namespace cocoonbox::agent::toolhost::port
