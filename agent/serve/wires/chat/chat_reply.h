// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "agent/serve/wires/wire.h"
#include "common/net/http/sse.h"

#include <QJsonObject>

namespace cocoonbox::agent::serve::wires::chat {

// The streamed reply of /v1/chat/completions: bytes in, text out as it comes, one ModelReply at the end. It takes what
// compatible servers really send (research: computer.md §4.2): tool calls whose index is missing, a string or 0 for
// all; fragments without id; frames without choices; a missing [DONE]. Failures (all may be tried again):
// MODEL_STREAM_BROKEN (not the protocol), MODEL_STREAM_CUT (ended before a finish reason), MODEL_STREAM_ERROR (the
// server's own error frame), MODEL_REPLY_TOO_LARGE (not to be tried again).
class ChatReply final {
public:
    static constexpr qsizetype kTextBytesMax = 1024 * 1024;
    static constexpr qsizetype kArgumentBytesMax = 64 * 1024; // what toolhost takes and the transcript keeps
    static constexpr qsizetype kCallsMax = 64;

    // The words in `bytes`. After a failure the reply is of no use.
    std::expected<QString, WireFailure> feed(QByteArrayView bytes);
    // [DONE] was seen: nothing that follows matters.
    bool isDone() const { return m_done; }
    // At the end of the stream.
    std::expected<ModelReply, WireFailure> finish();
    // How many frames carried something of the reply; pings and comments do not count.
    qint64 progress() const { return m_progress; }

private:
    struct Fragment {
        QString key; // the server's index, whatever its type; empty: none given
        QString id;
        QString name;
        QString arguments;
    };
    struct Call {
        QString key;
        QString id;
        QString name;
        QString arguments;
    };
    using Step = std::expected<void, WireFailure>;

    Step onEvent(const net::http::SseEvent& event, QString& text);
    Step onFrame(const QJsonObject& frame, QString& text);
    Step onDelta(const QJsonObject& delta, QString& text);
    Step onFragment(const Fragment& fragment);
    Call* callFor(const Fragment& fragment);

    net::http::SseParser m_sse;
    QString m_text;
    QList<Call> m_calls;
    QString m_finishReason;
    bool m_isRefusal = false;
    std::optional<Usage> m_usage;
    qint64 m_progress = 0;
    bool m_done = false;
};

// The sentence in an error body or frame ({"error":{"message":…}}, {"error":"…"}, {"message":…}), bounded; may be
// empty.
QString errorSentence(const QJsonObject& json);

} // namespace cocoonbox::agent::serve::wires::chat
