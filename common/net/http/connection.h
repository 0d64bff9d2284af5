// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/byte_stream.h"
#include "common/net/http/parser.h"
#include "common/net/http/server.h"
#include "common/net/pump.h"

namespace cocoonbox::net::http {

// One client's connection: requests one after the other, each with its Exchange. What arrives while a request is being
// answered waits, up to kPipelineBytes; then the client is held back.
class Connection final : public QObject {
    Q_OBJECT
public:
    Connection(std::unique_ptr<ByteStream> stream, const ServerOptions& options, QObject* parent);
    ~Connection() override;

    // Over the cap: says 503 and closes.
    void refuseBusy();

signals:
    void closed();

private:
    friend class Exchange;
    enum class State { BetweenRequests, Exchanging, Tunnelling, Lingering, Closed };

    static constexpr qsizetype kReadBytes = 64 * 1024;
    static constexpr qsizetype kPipelineBytes = 64 * 1024;
    static constexpr qsizetype kBodyAheadBytes = 256 * 1024; // of a body, before the handler takes it
    static constexpr std::chrono::milliseconds kLinger{2'000};

    void onReadable();
    void process();
    bool onStep(MessageParser::Step step, const QByteArray& body);
    bool onHead();
    bool onBodyBytes(const QByteArray& body);
    bool isHostRight(const RequestHead& head) const;
    void onReadTimeout();
    void onWriteTimeout();
    void updateReading();
    void refuse(int status, const QByteArray& why);
    void linger();
    void closeNow();

    // The exchange's side.
    void writeHead(int status, Headers headers, const QByteArray& tail);
    void write(const QByteArray& bytes);
    bool mayKeepAlive() const;
    void replyFinished();
    void bodyTaken() { updateReading(); }
    bool startTunnel(UniqueFd peer, const QByteArray& greeting);
    void countTunnel();
    bool isBacklogged() const { return m_stream->bytesToWrite() > m_options.limits.pendingWriteBytesMax; }

    std::unique_ptr<ByteStream> m_stream;
    const ServerOptions& m_options;
    MessageParser m_parser;
    QByteArray m_input;
    std::shared_ptr<Exchange> m_exchange;
    std::unique_ptr<Pump> m_tunnel;
    State m_state = State::BetweenRequests;
    qint64 m_bodyBytesMax = 0;
    qint64 m_bodyBytes = 0;
    bool m_requestEnded = true;
    bool m_processing = false;
    QTimer m_readTimer;
    QTimer m_writeTimer;
    qint64 m_written = 0;        // queued in all
    qint64 m_writtenAtCheck = 0; // of these, on the wire at the last check
};

} // namespace cocoonbox::net::http
