// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

// The edge: the api's one gRPC listener. It sends each call on, never parses a payload, and touches no disk.
//
//   /cocoonbox.agent.v1.Session/Screen   bytes of the box's RFB channel, served here
//   /cocoonbox.agent.v1.*                to the box named in `x-cocoonbox-box`, with the edge's credential
//   every other method                   to the api's own services (`EdgeOptions::services`)
//
// The relay works on HTTP/2 frames, on one thread of its own: a message waits for no other thread, a stream costs two
// small structs, and what a stalled reader holds is exactly the window that we gave its peer. Deadlines, cancellation,
// half-close, metadata, trailers and compression pass through because they are frames and headers.
//
// What the edge itself answers, with `x-cocoonbox-reason`:
//   UNAUTHENTICATED      TOKEN_MISSING, TOKEN_UNKNOWN
//   PERMISSION_DENIED    SERVICE_PRIVATE     the api's own services of a box, and reflection
//   INVALID_ARGUMENT     BOX_MISSING, FRAME_MALFORMED (a screen frame)
//   NOT_FOUND            BOX_UNKNOWN         also another user's box
//   FAILED_PRECONDITION  BOX_ASLEEP          and what else the directory says
//   UNIMPLEMENTED        METHOD_UNKNOWN
//   RESOURCE_EXHAUSTED   MESSAGE_TOO_LARGE, STREAM_LIMIT, METADATA_TOO_LARGE
//   DEADLINE_EXCEEDED    DEADLINE_PASSED
//   UNAVAILABLE          AGENT_UNREACHABLE, SCREEN_UNREACHABLE, BOX_LOST, SCREEN_LOST, API_STOPPING

#include "api/boxes/box_directory.h"
#include "api/users/token_check.h"
#include "common/async/task.h"
#include "common/base/clock.h"
#include "common/crypto/ed25519.h"

#include <chrono>
#include <memory>
#include <vector>

namespace grpc {
class Service;
}

namespace cocoonbox::api::edge {

struct EdgeOptions {
    QString address;           // "127.0.0.1:7400"; port 0: any
    QByteArray certificatePem; // with the key: TLS; without: loopback addresses only
    QByteArray privateKeyPem;
    std::vector<grpc::Service*> services; // the api's own; they outlive the edge
    int streamsPerUser = 256;             // live calls to boxes
    int connectionsMax = 1024;
    std::chrono::milliseconds dialLimit = std::chrono::seconds(2); // for an agent or an X server that restarts
    // A box whose programs stand still keeps its sockets open. After two thirds of this time without a word it is asked
    // for one, at its end its calls end as BOX_LOST.
    std::chrono::milliseconds boxSilenceMax = std::chrono::seconds(30);
    std::chrono::milliseconds greetingLimit = std::chrono::seconds(10); // from a connection to its first bytes
};

// Domain thread only. The ports are called on the edge's thread; they, the services and the clock outlive the edge.
class Edge final {
public:
    // InvalidArgument: PLAINTEXT_REFUSED, ADDRESS_INVALID, CERTIFICATE_INVALID. Unavailable: ADDRESS_IN_USE.
    static Result<std::unique_ptr<Edge>> start(EdgeOptions options, const users::TokenCheck& tokens,
                                               const boxes::BoxDirectory& boxes, crypto::KeyPair key,
                                               const Clock& clock);
    ~Edge(); // stops at once if `stop` was not awaited

    int port() const;
    // Takes no new calls, lets live ones end until the limit, ends the rest as UNAVAILABLE API_STOPPING. The main loop
    // must be running: the api's own services live on it.
    QCoro::Task<void> stop(std::chrono::milliseconds limit);

private:
    struct Parts;
    explicit Edge(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> m_parts;
};

} // namespace cocoonbox::api::edge
