// SPDX-License-Identifier: AGPL-3.0-only
#include "api/egress/socks_client.h"

#include "api/egress/socks_door.h"

#include <algorithm>
#include <QPointer>
#include <QtEndian>

namespace cocoonbox::api::egress {

namespace {

constexpr std::chrono::milliseconds kLinger{1'000};
constexpr qsizetype kEarlyBytesMax = 64 * 1024; // said before the tunnel is there

constexpr char kVersion5 = 5;
constexpr char kVersion4 = 4;
constexpr char kNoAuthentication = 0;
constexpr char kConnect = 1;

enum class Code : char {
    Granted = 0,
    Failed = 1,
    Denied = 2,
    Unreachable = 4,
    CommandUnknown = 7,
    AddressUnknown = 8,
};

QByteArray replyOf(Code code)
{
    return QByteArray("\x05", 1) + static_cast<char>(code) + QByteArray("\0\x01\0\0\0\0\0\0", 8);
}

SocksStep refusal(const QByteArray& reply)
{
    return {SocksStep::Kind::Refuses, reply, 0, {}};
}

SocksStep greeting(QByteArrayView input)
{
    if (input.at(0) == kVersion4) return refusal(QByteArray("\0\x5b\0\0\0\0\0\0", 8));
    if (input.at(0) != kVersion5) return {SocksStep::Kind::Hangs, {}, 0, {}};
    if (input.size() < 2) return {};
    const qsizetype size = 2 + static_cast<unsigned char>(input.at(1));
    if (input.size() < size) return {};
    if (!input.sliced(2, size - 2).contains(kNoAuthentication)) return refusal(QByteArray("\x05\xff", 2));
    return {SocksStep::Kind::Replies, QByteArray("\x05\0", 2), size, {}};
}

// The size of a request's address: with the byte of a name's length; 0: not known yet; -1: no such kind.
qsizetype addressSize(QByteArrayView input)
{
    switch (input.at(3)) {
    case 1: return 4;
    case 4: return 16;
    case 3: return input.size() > 4 ? 1 + static_cast<unsigned char>(input.at(4)) : 0;
    default: return -1;
    }
}

QByteArray addressText(char kind, QByteArrayView address)
{
    if (kind == 3) return address.sliced(1).toByteArray();
    if (kind == 1) return QHostAddress(qFromBigEndian<quint32>(address.data())).toString().toLatin1();
    return QHostAddress(reinterpret_cast<const quint8*>(address.data())).toString().toLatin1();
}

SocksStep request(QByteArrayView input)
{
    if (input.size() < 4) return {};
    if (input.at(0) != kVersion5) return {SocksStep::Kind::Hangs, {}, 0, {}};
    const qsizetype size = addressSize(input);
    if (size < 0) return refusal(replyOf(Code::AddressUnknown));
    if (input.at(1) != kConnect) return refusal(replyOf(Code::CommandUnknown));
    if (size == 0 || input.size() < 4 + size + 2) return {};
    if (size == 1) return refusal(replyOf(Code::Failed)); // a name of no letters
    Destination destination;
    destination.host = addressText(input.at(3), input.sliced(4, size));
    destination.port = qFromBigEndian<quint16>(input.data() + 4 + size);
    destination.method = "SOCKS5";
    return {SocksStep::Kind::Connects, {}, 4 + size + 2, std::move(destination)};
}

} // namespace

SocksStep nextSocksStep(QByteArrayView input, bool isGreeted)
{
    if (input.isEmpty()) return {};
    return isGreeted ? request(input) : greeting(input);
}

SocksClient::SocksClient(net::UniqueFd fd, std::shared_ptr<Gate> gate, Speaker speaker, QObject* parent)
    : QObject(parent), m_stream(std::move(fd)), m_gate(std::move(gate)), m_speaker(std::move(speaker))
{
    connect(&m_stream, &net::ByteStream::readable, this, &SocksClient::onReadable);
    connect(&m_stream, &net::ByteStream::broken, this, &SocksClient::finish);
    m_timer.setSingleShot(true);
    m_timer.callOnTimeout(this, &SocksClient::finish);
    m_timer.start(SocksDoor::kHandshakeLimit);
    m_stream.setReading(true);
}

SocksClient::~SocksClient()
{
    m_gone.request_stop();
    if (m_pump && m_passage) m_gate->end(*m_passage, m_pump->bytesForward(), m_pump->bytesBack());
}

void SocksClient::onReadable()
{
    char buffer[4096];
    const qsizetype n = m_stream.read(buffer, sizeof buffer);
    if (n == net::ByteStream::kEnded) return finish();
    m_input.append(buffer, n);
    if (m_input.size() > kEarlyBytesMax) m_stream.setReading(false);
    if (!m_isAsked) handshake();
}

void SocksClient::handshake()
{
    const SocksStep step = nextSocksStep(m_input, m_isGreeted);
    m_input.remove(0, step.taken);
    switch (step.kind) {
    case SocksStep::Kind::NeedsMore: return;
    case SocksStep::Kind::Hangs: return finish();
    case SocksStep::Kind::Refuses: return say(step.reply);
    case SocksStep::Kind::Replies:
        m_isGreeted = true;
        m_stream.write(step.reply);
        return handshake();
    case SocksStep::Kind::Connects:
        m_isAsked = true;
        if (!m_gate->opensSocks()) return say(replyOf(Code::Denied));
        connectTo(step.destination);
    }
}

// A last word; the client is read for a moment longer, so that its unread bytes do not reset what we said.
void SocksClient::say(const QByteArray& reply)
{
    m_isAsked = true;
    m_input.clear();
    m_stream.write(reply);
    m_stream.finishWriting();
    m_timer.start(kLinger);
}

QCoro::Task<void> SocksClient::connectTo(Destination destination)
{
    const QPointer<SocksClient> self(this);
    const std::shared_ptr<Gate> gate = m_gate;
    m_timer.stop(); // the dialler has its own limit
    const Result<Passage> passage = co_await Gate::pass(gate, m_speaker, std::move(destination), m_gone.get_token());
    if (!self || m_isFinished) {
        if (passage) gate->end(*passage, 0, 0);
        co_return;
    }
    if (!passage)
        co_return say(replyOf(passage.error().code == ErrorCode::PermissionDenied ? Code::Denied : Code::Unreachable));
    join(*passage);
}

void SocksClient::join(const Passage& passage)
{
    net::UniqueFd own = m_stream.takeSocket();
    if (!own.isValid()) { // it did not take the few bytes of our greeting
        m_gate->end(passage, 0, 0);
        return finish();
    }
    m_passage = passage;
    m_pump = std::make_unique<net::Pump>(std::move(own), std::move(*passage.connection.socket), m_input,
                                         replyOf(Code::Granted));
    m_input.clear();
    connect(m_pump.get(), &net::Pump::finished, this, &SocksClient::finish);
}

void SocksClient::finish()
{
    if (std::exchange(m_isFinished, true)) return;
    m_gone.request_stop();
    emit finished();
}

} // namespace cocoonbox::api::egress
