// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/frame_channel.h"
#include "common/net/unix_socket.h"
#include "tests/agent/toolhost/tool_fixture.h"

#include <csignal>
#include <optional>

namespace cocoonbox::testing {

namespace port = agent::toolhost::port;

// serve's end of the socket: keeps what it hears.
class Serve final : public QObject {
public:
    Serve(const QString& path, bool greets = true)
    {
        auto fd = net::connectUnix(path);
        if (!fd) qFatal("no tools socket");
        channel = std::make_unique<port::FrameChannel>(fd->release());
        connect(channel.get(), &port::FrameChannel::received, this,
                [this](const port::Message& message) { heard.append(message); });
        connect(channel.get(), &port::FrameChannel::closed, this, [this] { isClosed = true; });
        if (greets) channel->send(port::Hello{});
    }
    template <class T>
    std::optional<T> find(quint64 id) const
    {
        for (const port::Message& message : heard)
            if (const T* word = std::get_if<T>(&message); word && word->id == id) return *word;
        return std::nullopt;
    }
    QByteArray output(quint64 id, bool isStderr = false) const
    {
        QByteArray bytes;
        for (const port::Message& message : heard)
            if (const auto* word = std::get_if<port::ExecOutput>(&message);
                word && word->id == id && word->isStderr == isStderr)
                bytes += word->bytes;
        return bytes;
    }
    qint64 credit(quint64 id) const
    {
        qint64 bytes = 0;
        for (const port::Message& message : heard)
            if (const auto* word = std::get_if<port::ExecCredit>(&message); word && word->id == id)
                bytes += word->bytes;
        return bytes;
    }
    void start(quint64 id, QStringList argv, bool tty = false)
    {
        channel->send(port::ExecStart{id,
                                      std::move(argv),
                                      {},
                                      {{QStringLiteral("FROM_CLIENT"), QStringLiteral("yes")}},
                                      tty,
                                      tty ? 33 : 0,
                                      tty ? 111 : 0,
                                      false});
    }

    std::unique_ptr<port::FrameChannel> channel;
    QList<port::Message> heard;
    bool isClosed = false;
};

// Whether the process runs; one that waits to be reaped does not.
inline bool isAlive(qint64 pid)
{
    if (pid <= 0 || ::kill(static_cast<pid_t>(pid), 0) != 0) return false;
    return !fileContent(QStringLiteral("/proc/%1/stat").arg(pid)).contains(") Z ");
}

} // namespace cocoonbox::testing
