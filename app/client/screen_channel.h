// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <memory>
#include <QString>

namespace cocoonbox::app::client {

class Connection;

// Session.Screen as a byte stream for app/rfb. It runs on gRPC's threads and its reader's, never on the domain thread.
// At most kAheadBytes are read ahead: a reader that stalls stops the box, and a picture is never staler than that.
std::shared_ptr<rfb::ByteStream> openScreenChannel(const std::shared_ptr<Connection>& connection, const QString& boxId);

} // namespace cocoonbox::app::client
