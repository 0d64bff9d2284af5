// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include <chrono>
#include <QByteArray>
#include <QHash>
#include <stop_token>

namespace cocoonbox::rpc {

// What a handler knows of a call besides its message. Copied at the start of the call; safe to keep.
struct RequestContext {
    QHash<QByteArray, QByteArray> metadata;         // keys in lower case; the last value of a repeated key
    std::chrono::system_clock::time_point deadline; // of the client; time_point::max() when it gave none
    std::stop_token stop;                           // triggered when the client cancels or goes away
};

} // namespace cocoonbox::rpc
