// SPDX-License-Identifier: AGPL-3.0-only
#pragma once

#include "api/edge/client_stream.h"
#include "api/edge/credential_cache.h"
#include "api/edge/gate.h"
#include "api/edge/listener.h"
#include "api/edge/upstreams.h"

#include <QHash>
#include <unordered_map>

namespace cocoonbox::api::edge {

struct SwitchboardLimits {
    int streamsPerUser = 0;
    size_t connectionsMax = 0;
    std::chrono::milliseconds dialLimit{};
    std::chrono::milliseconds boxSilenceMax{};
    std::chrono::milliseconds greetingLimit{};
};

// All that lives on the edge's thread: the clients' connections, the calls on them, and the connections they go on to.
class Switchboard final : private CallOpener, private ListenerClient {
public:
    Switchboard(Loop& loop, SwitchboardLimits limits, Gate gate, CredentialCache credentials,
                std::unique_ptr<Listener> listener, Upstreams::Dialer control);
    ~Switchboard() override;

    // Takes no new connections and no new calls; live ones go on.
    void stopTaking();
    // Ends every call as API_STOPPING. What is said goes out in this turn of the loop as far as the sockets take it.
    void endCalls();
    bool isIdle() const; // no call is live

private:
    using StreamCounts = QHash<QString, int>; // by user id
    class UserSlot;

    bool takesCalls() const override { return m_takesCalls; }
    std::unique_ptr<Call> open(ClientStream& stream, HeaderBlock request) override;
    void onClientLost(ClientConnection& connection) override;
    void onAccepted(std::unique_ptr<Transport> transport) override;

    std::unique_ptr<Call> openControl(ClientStream& stream, const HeaderBlock& request);
    std::unique_ptr<Call> openBox(ClientStream& stream, const HeaderBlock& request, Destination destination);
    std::unique_ptr<Call> openAgent(ClientStream& stream, const HeaderBlock& request, Admission admission);
    std::unique_ptr<Call> openScreen(ClientStream& stream, Admission admission);
    void checkClients();

    Loop& m_loop;
    SwitchboardLimits m_limits;
    Gate m_gate;
    CredentialCache m_credentials;
    ReadBuffer m_buffer;
    Upstreams m_upstreams;
    std::unordered_map<ClientConnection*, std::shared_ptr<ClientConnection>> m_clients;
    std::unique_ptr<Listener> m_listener;
    std::shared_ptr<StreamCounts> m_streamsOfUser = std::make_shared<StreamCounts>();
    Loop::Timer m_check;
    bool m_takesCalls = true;
};

} // namespace cocoonbox::api::edge
