// SPDX-License-Identifier: AGPL-3.0-only
#include "common/net/http/sse.h"

#include <utility>

using namespace Qt::StringLiterals;

namespace cocoonbox::net::http {

Result<QList<SseEvent>> SseParser::feed(QByteArrayView bytes)
{
    QList<SseEvent> out;
    for (qsizetype at = 0; at < bytes.size();) {
        const char first = bytes[at];
        if (std::exchange(m_afterCr, false) && first == '\n') {
            ++at;
            continue;
        }
        qsizetype end = at;
        while (end < bytes.size() && bytes[end] != '\n' && bytes[end] != '\r')
            ++end;
        m_line.append(bytes.sliced(at, end - at));
        if (m_line.size() + m_event.data.size() > kEventBytesMax)
            return fail(ErrorCode::ResourceExhausted, u"An event of the stream is larger than 16 MiB."_s,
                        u"SSE_EVENT_TOO_LARGE"_s);
        at = end;
        if (end == bytes.size()) break;
        m_afterCr = bytes[end] == '\r';
        at = end + 1;
        onLine(m_line, out);
        m_line.clear();
    }
    return out;
}

QList<SseEvent> SseParser::finish()
{
    QList<SseEvent> out;
    if (!m_line.isEmpty()) onLine(std::exchange(m_line, {}), out);
    dispatch(out);
    return out;
}

void SseParser::onLine(QByteArrayView line, QList<SseEvent>& out)
{
    if (std::exchange(m_atStart, false) && line.startsWith("\xEF\xBB\xBF")) line = line.sliced(3);
    if (line.isEmpty()) return dispatch(out);
    const qsizetype colon = line.indexOf(':');
    if (colon == 0) return;
    const QByteArrayView name = colon < 0 ? line : line.first(colon);
    QByteArrayView value = colon < 0 ? QByteArrayView() : line.sliced(colon + 1);
    if (value.startsWith(' ')) value = value.sliced(1);
    if (name == "data") {
        if (m_hasData) m_event.data += '\n';
        m_event.data += value;
        m_hasData = true;
    } else if (name == "event") {
        m_event.event = value.toByteArray();
    } else if (name == "id" && !value.contains('\0')) {
        m_event.id = value.toByteArray();
    }
}

void SseParser::dispatch(QList<SseEvent>& out)
{
    SseEvent event = std::exchange(m_event, {});
    if (std::exchange(m_hasData, false)) out.append(std::move(event));
}

} // namespace cocoonbox::net::http
