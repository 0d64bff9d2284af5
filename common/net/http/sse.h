// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <QByteArray>
#include <QList>

namespace cocoonbox::net::http {

struct SseEvent {
    QByteArray event; // empty: "message"
    QByteArray data;  // lines joined by LF
    QByteArray id;
};

// Server-sent events from bytes cut anywhere. Lines end in LF, CRLF or CR, also split between two feeds; comments and
// unknown fields are passed over; a blank line completes an event that has data. ResourceExhausted: SSE_EVENT_TOO_LARGE
// for an event over kEventBytesMax; the parser is of no use afterwards.
class SseParser {
public:
    static constexpr qsizetype kEventBytesMax = 16 * 1024 * 1024;

    // The events that became complete.
    Result<QList<SseEvent>> feed(QByteArrayView bytes);
    // At the end of the stream: the last event though its blank line is missing.
    QList<SseEvent> finish();

private:
    void onLine(QByteArrayView line, QList<SseEvent>& out);
    void dispatch(QList<SseEvent>& out);

    QByteArray m_line;
    SseEvent m_event;
    bool m_hasData = false;
    bool m_afterCr = false;
    bool m_atStart = true; // a byte order mark may come first
};

} // namespace cocoonbox::net::http
