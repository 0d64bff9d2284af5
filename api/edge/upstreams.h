// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/boxes/box_directory.h"
#include "api/edge/http2_connection.h"

#include <functional>
#include <unordered_map>

namespace cocoonbox::api::edge {

class Upstreams;

// A connection to one agent, or to the api's own services.
class UpstreamConnection final : public Http2Connection {
public:
    UpstreamConnection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport, Upstreams& owner,
                       std::string name, std::string key);

    const std::string& name() const { return m_name; }
    const std::string& key() const { return m_key; }

private:
    void onLost() override;

    Upstreams& m_owner;
    std::string m_name; // the box id; empty for the api's own
    std::string m_key;  // of the endpoint: one incarnation of the box
};

// The live connections, one for each box and incarnation. A box that sleeps closes its end, and its connection goes.
class Upstreams final {
public:
    using Dialer = std::function<Result<int>()>;

    Upstreams(Loop& loop, ReadBuffer& buffer, std::chrono::milliseconds silenceMax, Dialer control);
    ~Upstreams();

    // The live one, or a new one. It is valid until the loop's turn ends, and for as long as a stream of it is open.
    Result<UpstreamConnection*> agent(const boxes::Route& route);
    Result<UpstreamConnection*> control();

private:
    friend class UpstreamConnection;
    Result<UpstreamConnection*> find(const std::string& name, const std::string& key, const Dialer& dial);
    void drop(const std::string& name, const UpstreamConnection& connection);
    void checkAll();

    Loop& m_loop;
    ReadBuffer& m_buffer;
    std::chrono::milliseconds m_silenceMax;
    Dialer m_dialControl;
    std::unordered_map<std::string, std::shared_ptr<UpstreamConnection>> m_connections;
    std::unordered_set<std::shared_ptr<UpstreamConnection>> m_draining;
    Loop::Timer m_check;
};

} // namespace cocoonbox::api::edge
