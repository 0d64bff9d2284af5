// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/toolhost/port/frame_channel.h"
#include "common/net/unix_socket.h"

#include <functional>
#include <QFile>
#include <QSocketNotifier>

namespace cocoonbox::test {

// Speaks toolhost's side of the port on FOLDER/tools.sock; what it answers is the test's business.
class FakeToolhost final : public QObject {
    Q_OBJECT
public:
    std::function<void(const agent::toolhost::port::CallStart&)> onCall;
    std::function<void(const agent::toolhost::port::Message&)> onOther;
    QList<agent::toolhost::port::CallStart> calls;
    QList<quint64> cancelled;

    explicit FakeToolhost(const QString& folder) : m_folder(folder) { listen(); }

    void say(const agent::toolhost::port::Message& message) { m_channel->send(message); }
    void answer(quint64 id, const QString& text, bool isError = false)
    {
        say(agent::toolhost::port::CallResult{id, text, isError});
    }
    bool isConnected() const { return m_channel != nullptr; }
    // Dies: the connection and the socket are gone.
    void stop()
    {
        m_notifier.reset();
        m_listener.reset();
        m_channel.reset();
        QFile::remove(m_folder + QStringLiteral("/tools.sock"));
    }
    void listen()
    {
        m_listener = std::move(*net::listenUnix(m_folder + QStringLiteral("/tools.sock")));
        m_notifier = std::make_unique<QSocketNotifier>(m_listener.get(), QSocketNotifier::Read);
        connect(m_notifier.get(), &QSocketNotifier::activated, this, &FakeToolhost::accept);
    }

private:
    void accept()
    {
        using namespace agent::toolhost::port;
        auto fd = net::acceptFrom(m_listener.get());
        if (!fd || !fd->isValid()) return;
        m_channel = std::make_unique<FrameChannel>(fd->release());
        connect(m_channel.get(), &FrameChannel::received, this, &FakeToolhost::onMessage);
        connect(m_channel.get(), &FrameChannel::closed, this, [this] { m_channel.release()->deleteLater(); });
        m_channel->send(Hello{});
    }
    void onMessage(const agent::toolhost::port::Message& message)
    {
        using namespace agent::toolhost::port;
        if (const auto* call = std::get_if<CallStart>(&message)) {
            calls.append(*call);
            if (onCall) onCall(*call);
        } else if (const auto* cancel = std::get_if<CallCancel>(&message)) {
            cancelled.append(cancel->id);
        } else if (onOther && !std::holds_alternative<Hello>(message)) {
            onOther(message);
        }
    }

    QString m_folder;
    net::UniqueFd m_listener;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::unique_ptr<agent::toolhost::port::FrameChannel> m_channel;
};

} // namespace cocoonbox::test
