// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "app/rfb/byte_stream.h"

#include <memory>

namespace cocoonbox::app::rfb {

// An RFB stream over a connected socket, which it owns.
std::shared_ptr<ByteStream> makeSocketStream(int fd);

// Connects within `limit`. Blocks: for tests, benches and tools.
Result<std::shared_ptr<ByteStream>> connectTcp(const QString& host, quint16 port, std::chrono::milliseconds limit);

} // namespace cocoonbox::app::rfb
