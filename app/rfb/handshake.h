// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/stream_reader.h"

#include <QSize>
#include <QString>

namespace cocoonbox::app::rfb {

struct ServerInit {
    QSize size;
    QString name;
};

// Versions 3.3 to 3.8 without authentication (the channel is authenticated already), then our pixel format.
// Unauthenticated RFB_AUTH: the server asks for a password. The whole must be done within 10 s (RFB_STALLED).
Result<ServerInit> shakeHands(StreamReader& reader, ByteStream& stream, bool shared);

} // namespace cocoonbox::app::rfb
