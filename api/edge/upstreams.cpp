// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/upstreams.h"

#include <algorithm>
#include <vector>

namespace cocoonbox::api::edge {

UpstreamConnection::UpstreamConnection(Loop& loop, ReadBuffer& buffer, std::unique_ptr<Transport> transport,
                                       Upstreams& owner, std::string name, std::string key)
    : Http2Connection(loop, buffer, std::move(transport), Role::Client), m_owner(owner), m_name(std::move(name)),
      m_key(std::move(key))
{
}

void UpstreamConnection::onLost()
{
    m_owner.drop(m_name, *this);
}

Upstreams::Upstreams(Loop& loop, ReadBuffer& buffer, std::chrono::milliseconds silenceMax, Dialer control)
    : m_loop(loop), m_buffer(buffer), m_silenceMax(silenceMax), m_dialControl(std::move(control)),
      m_check(loop.after(silenceMax / 6, [this] { checkAll(); }))
{
}

Upstreams::~Upstreams()
{
    m_loop.cancel(m_check);
    while (!m_connections.empty())
        m_connections.begin()->second->close(); // drops itself
    while (!m_draining.empty())
        (*m_draining.begin())->close();
}

Result<UpstreamConnection*> Upstreams::agent(const boxes::Route& route)
{
    return find(route.boxId.toStdString(), route.endpoint.key.toStdString(),
                [&route] { return route.endpoint.dial(machines::Channel::Agent); });
}

Result<UpstreamConnection*> Upstreams::control()
{
    return find({}, {}, m_dialControl);
}

Result<UpstreamConnection*> Upstreams::find(const std::string& name, const std::string& key, const Dialer& dial)
{
    if (const auto found = m_connections.find(name); found != m_connections.end()) {
        const std::shared_ptr<UpstreamConnection> live = found->second;
        if (live->key() == key && live->takesRequests()) return live.get();
        m_connections.erase(found);
        m_draining.insert(live);               // until its last stream has ended
        if (live->key() != key) live->close(); // an incarnation that has ended answers nobody
    }
    TRY_ASSIGN(const int fd, dial());
    auto made = std::make_shared<UpstreamConnection>(m_loop, m_buffer, makePlainTransport(fd), *this, name, key);
    m_connections[name] = made;
    return made.get();
}

void Upstreams::drop(const std::string& name, const UpstreamConnection& connection)
{
    const auto isIt = [&connection](const auto& held) { return held.get() == &connection; };
    if (const auto found = m_connections.find(name); found != m_connections.end() && isIt(found->second)) {
        m_loop.dispose(std::move(found->second));
        m_connections.erase(found);
    } else if (const auto draining = std::ranges::find_if(m_draining, isIt); draining != m_draining.end()) {
        m_loop.dispose(*draining);
        m_draining.erase(draining);
    }
}

void Upstreams::checkAll()
{
    m_check = m_loop.after(m_silenceMax / 6, [this] { checkAll(); });
    const Loop::TimePoint now = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<UpstreamConnection>> all(m_draining.begin(), m_draining.end());
    for (const auto& [name, connection] : m_connections)
        all.push_back(connection);
    for (const auto& connection : all) {
        if (connection->streamCount() == 0) continue;
        const auto silence = now - connection->lastReadAt();
        if (silence > m_silenceMax)
            connection->close();
        else if (silence > m_silenceMax * 2 / 3)
            connection->ping();
    }
}

} // namespace cocoonbox::api::edge
