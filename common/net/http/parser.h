// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/net/http/message.h"

#include <llhttp.h>

namespace cocoonbox::net::http {

// One direction of a connection, taken apart by llhttp in its strict mode. Stops after each head and each message, so
// that the caller decides before the next byte is looked at.
class MessageParser {
public:
    enum class Kind { Request, Response };
    enum class Step { NeedMore, Head, End, Bad, HeadTooLarge, BadVersion };

    MessageParser(Kind kind, qsizetype headBytesMax);
    MessageParser(const MessageParser&) = delete;
    MessageParser& operator=(const MessageParser&) = delete;

    // Goes on to the next stop. `used` bytes were taken; body bytes among them are appended to `body`. Call it again
    // with the rest, also when nothing is left, until it says NeedMore with nothing left.
    Step feed(QByteArrayView bytes, qsizetype& used, QByteArray& body);
    // The peer has ended its direction: true when that completes the message.
    bool finish();

    RequestHead takeRequest();
    ResponseHead takeResponse();
    // The next head has begun to arrive.
    bool isInHead() const { return m_inHead && m_headBytes > 0; }
    // The reply to HEAD has no body whatever it says.
    void expectNoBody() { m_noBody = true; }

private:
    static const llhttp_settings_t& settings();
    int onHeadComplete();
    void endField();

    llhttp_t m_parser{};
    qsizetype m_headBytesMax;
    qsizetype m_headBytes = 0;
    qsizetype m_trailerBytes = 0;
    QByteArray m_target;
    QByteArray m_name;
    QByteArray m_value;
    Headers m_headers;
    QByteArray* m_body = nullptr;
    bool m_inHead = true;
    bool m_reachedHead = false;
    bool m_reachedEnd = false;
    bool m_noBody = false;
};

} // namespace cocoonbox::net::http
