// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/parser.h"

#include <algorithm>
#include <utility>

namespace cocoonbox::net::http {

namespace {

constexpr qsizetype kFieldsMax = 200;

MessageParser* self(llhttp_t* parser)
{
    return static_cast<MessageParser*>(parser->data);
}

} // namespace

const llhttp_settings_t& MessageParser::settings()
{
    static const llhttp_settings_t kSettings = [] {
        llhttp_settings_t s;
        llhttp_settings_init(&s);
        s.on_url = [](llhttp_t* p, const char* at, size_t size) {
            self(p)->m_target.append(at, static_cast<qsizetype>(size));
            return 0;
        };
        s.on_header_field = [](llhttp_t* p, const char* at, size_t size) {
            MessageParser& parser = *self(p);
            if (!parser.m_inHead) {
                parser.m_trailerBytes += static_cast<qsizetype>(size);
                return parser.m_trailerBytes > parser.m_headBytesMax ? -1 : 0;
            }
            parser.m_name.append(at, static_cast<qsizetype>(size));
            return 0;
        };
        s.on_header_value = [](llhttp_t* p, const char* at, size_t size) {
            MessageParser& parser = *self(p);
            if (!parser.m_inHead) {
                parser.m_trailerBytes += static_cast<qsizetype>(size);
                return parser.m_trailerBytes > parser.m_headBytesMax ? -1 : 0;
            }
            parser.m_value.append(at, static_cast<qsizetype>(size));
            return 0;
        };
        s.on_header_value_complete = [](llhttp_t* p) {
            self(p)->endField();
            return self(p)->m_headers.fields().size() > kFieldsMax ? -1 : 0;
        };
        s.on_headers_complete = [](llhttp_t* p) { return self(p)->onHeadComplete(); };
        s.on_body = [](llhttp_t* p, const char* at, size_t size) {
            self(p)->m_body->append(at, static_cast<qsizetype>(size));
            return 0;
        };
        s.on_message_complete = [](llhttp_t* p) -> int {
            self(p)->m_reachedEnd = true;
            return HPE_PAUSED;
        };
        return s;
    }();
    return kSettings;
}

MessageParser::MessageParser(Kind kind, qsizetype headBytesMax) : m_headBytesMax(headBytesMax)
{
    llhttp_init(&m_parser, kind == Kind::Request ? HTTP_REQUEST : HTTP_RESPONSE, &settings());
    m_parser.data = this;
}

void MessageParser::endField()
{
    if (!m_inHead) return;
    m_headers.add(std::exchange(m_name, {}), std::exchange(m_value, {}).trimmed());
}

int MessageParser::onHeadComplete()
{
    m_reachedHead = true;
    m_inHead = false;
    // CONNECT and Upgrade are the handler's to refuse: what follows is never taken for another protocol here.
    m_parser.upgrade = 0;
    if (m_noBody) m_parser.flags |= F_SKIPBODY;
    return HPE_PAUSED;
}

MessageParser::Step MessageParser::feed(QByteArrayView bytes, qsizetype& used, QByteArray& body)
{
    m_reachedHead = false;
    m_reachedEnd = false;
    m_body = &body;
    const bool wasInHead = m_inHead;
    const qsizetype size = wasInHead ? std::min(bytes.size(), m_headBytesMax - m_headBytes + 1) : bytes.size();
    if (llhttp_get_errno(&m_parser) == HPE_PAUSED) llhttp_resume(&m_parser);
    const char* begin = bytes.data() ? bytes.data() : "";
    const llhttp_errno_t error = llhttp_execute(&m_parser, begin, static_cast<size_t>(size));
    used = error == HPE_OK ? size : llhttp_get_error_pos(&m_parser) - begin;
    if (wasInHead) m_headBytes += used;
    if (wasInHead && m_headBytes > m_headBytesMax) return Step::HeadTooLarge;
    if (m_reachedHead) return m_parser.http_major == 1 && m_parser.http_minor <= 1 ? Step::Head : Step::BadVersion;
    if (m_reachedEnd) {
        m_inHead = true;
        m_headBytes = 0;
        m_trailerBytes = 0;
        return Step::End;
    }
    if (error != HPE_OK) return error == HPE_PAUSED_H2_UPGRADE ? Step::BadVersion : Step::Bad;
    return Step::NeedMore;
}

bool MessageParser::finish()
{
    m_reachedEnd = false;
    if (m_inHead) return false;
    if (llhttp_get_errno(&m_parser) == HPE_PAUSED) llhttp_resume(&m_parser);
    (void)llhttp_finish(&m_parser);
    return m_reachedEnd;
}

RequestHead MessageParser::takeRequest()
{
    RequestHead head;
    head.method = llhttp_method_name(static_cast<llhttp_method_t>(m_parser.method));
    head.target = std::exchange(m_target, {});
    head.minorVersion = m_parser.http_minor;
    head.headers = std::exchange(m_headers, {});
    head.keepAlive = llhttp_should_keep_alive(&m_parser) != 0;
    head.chunked = (m_parser.flags & F_CHUNKED) != 0;
    if ((m_parser.flags & F_CONTENT_LENGTH) != 0) head.contentLength = static_cast<qint64>(m_parser.content_length);
    return head;
}

ResponseHead MessageParser::takeResponse()
{
    return {m_parser.status_code, m_parser.http_minor, std::exchange(m_headers, {})};
}

} // namespace cocoonbox::net::http
