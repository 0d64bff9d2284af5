// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/egress/gate.h"
#include "common/net/fd_stream.h"
#include "common/net/pump.h"

#include <QTimer>

namespace cocoonbox::api::egress {

// What a client has said so far, as one of: more is needed, a reply to send (and end or go on), a destination.
struct SocksStep {
    enum class Kind { NeedsMore, Replies, Refuses, Hangs, Connects } kind = Kind::NeedsMore;
    QByteArray reply;
    qsizetype taken = 0; // bytes of the input that are done with
    Destination destination;
};
// Pure: the next step of a handshake. `isGreeted`: the methods have been agreed on.
SocksStep nextSocksStep(QByteArrayView input, bool isGreeted);

// One client of the SOCKS door, from its greeting to the end of its tunnel. `finished` comes once.
class SocksClient final : public QObject {
    Q_OBJECT
public:
    SocksClient(net::UniqueFd fd, std::shared_ptr<Gate> gate, Speaker speaker, QObject* parent = nullptr);
    ~SocksClient() override;

signals:
    void finished();

private:
    void onReadable();
    void handshake();
    void say(const QByteArray& reply);
    QCoro::Task<void> connectTo(Destination destination);
    void join(const Passage& passage);
    void finish();

    net::FdStream m_stream;
    std::shared_ptr<Gate> m_gate;
    Speaker m_speaker;
    QTimer m_timer;
    QByteArray m_input;
    std::stop_source m_gone;
    std::unique_ptr<net::Pump> m_pump;
    std::optional<Passage> m_passage;
    bool m_isGreeted = false;
    bool m_isAsked = false; // or refused: nothing more is read as SOCKS
    bool m_isFinished = false;
};

} // namespace cocoonbox::api::egress
