// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "common/base/result.h"

#include <grpcpp/channel.h>
#include <memory>
#include <QByteArray>
#include <QUrl>

namespace cocoonbox::rpc {

struct ChannelOptions {
    QByteArray rootCertificates; // PEM; empty: the system's
};

// `url` is http://HOST:PORT (loopback only) or https://HOST[:PORT]. Connects when first used, reconnects by itself
// (200 ms to 5 s), keepalive 20 s. InvalidArgument: URL_INVALID, PLAINTEXT_REFUSED.
Result<std::shared_ptr<grpc::Channel>> makeChannel(const QUrl& url, const ChannelOptions& options = {});

// A channel over one connected, non-blocking socket, which it owns. It does not reconnect: when it fails it is spent.
std::shared_ptr<grpc::Channel> makeChannelFromSocket(int fd);

} // namespace cocoonbox::rpc
