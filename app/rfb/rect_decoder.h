// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/framebuffer.h"
#include "app/rfb/stream_reader.h"

#include <memory>
#include <QRect>

struct _rfbClient;

namespace cocoonbox::app::rfb {

// Decodes one rectangle of an update into the framebuffer. Raw and CopyRect are a few lines of our own; Tight (with
// JPEG), ZRLE and Hextile are libvncclient's decoders, and nothing else of that library runs: we parse the protocol,
// check every size, and hand it single rectangles of encodings we offered. It reads through our StreamReader because
// this program's ReadFromRFBServer stands before the library's own (the ELF rule that lets a program replace malloc).
class RectDecoder {
public:
    explicit RectDecoder(StreamReader& reader);
    ~RectDecoder();
    RectDecoder(const RectDecoder&) = delete;

    void setFramebuffer(std::shared_ptr<Framebuffer> framebuffer);
    // `rect` lies inside the framebuffer. What was drawn stays drawn when it fails.
    Result<void> decode(const QRect& rect, qint32 encoding);

    // For the library's reads only.
    bool provide(char* out, unsigned size);

private:
    Result<void> decodeRaw(const QRect& rect);
    Result<void> decodeCopyRect(const QRect& rect);
    Result<void> checkAhead(const QRect& rect, qint32 encoding);
    Result<void> decodeByLibrary(const QRect& rect, qint32 encoding);

    struct Close {
        void operator()(_rfbClient* client) const;
    };
    StreamReader& m_reader;
    std::shared_ptr<Framebuffer> m_framebuffer;
    std::unique_ptr<_rfbClient, Close> m_client;
    QByteArray m_ahead; // what the library reads before the stream goes on
    qsizetype m_aheadTaken = 0;
    std::optional<Error> m_failure;
};

} // namespace cocoonbox::app::rfb
