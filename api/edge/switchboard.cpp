// SPDX-License-Identifier: AGPL-3.0-only
#include "api/edge/switchboard.h"

#include "api/edge/grpc_wire.h"
#include "api/edge/relay_call.h"
#include "api/edge/screen_call.h"

#include <algorithm>
#include <array>
#include <QLoggingCategory>
#include <vector>

namespace cocoonbox::api::edge {

namespace {

Q_LOGGING_CATEGORY(lcEdge, "cocoonbox.api.edge", QtInfoMsg)

using namespace std::chrono_literals;
using namespace std::string_view_literals;

constexpr auto kClientIdleMax = 5min; // without a call; it connects again when it has one
constexpr auto kBoxHeader = "x-cocoonbox-box"sv;
// What a client says of itself towards us, and what only we may say towards a box.
constexpr std::array kDropped = {":method"sv, ":scheme"sv, ":authority"sv,   ":path"sv,
                                 "host"sv,    "cookie"sv,  "grpc-timeout"sv, "x-cocoonbox-credential"sv};
constexpr auto kAuthorization = "authorization"sv;

enum class Authorization { Keep, Strip };

HeaderBlock requestFor(const HeaderBlock& client, std::string_view authority, Authorization authorization)
{
    HeaderBlock request;
    request.list.reserve(client.list.size() + 2);
    request.add(":method", "POST");
    request.add(":scheme", "http");
    request.add(":authority", authority);
    request.add(":path", client.find(":path"));
    for (const Header& header : client.list) {
        if (std::ranges::contains(kDropped, header.name)) continue;
        if (authorization == Authorization::Strip && header.name == kAuthorization) continue;
        request.list.push_back(header);
    }
    return request;
}

// The time that is left of the caller's, which a dial may have used up in part.
void addTimeout(HeaderBlock& request, const std::optional<Loop::TimePoint>& deadline)
{
    if (deadline) request.add("grpc-timeout", timeoutText(*deadline - std::chrono::steady_clock::now()));
}

Error apiStopping()
{
    return {ErrorCode::Unavailable,
            QStringLiteral("The api is stopping. Try again in a moment."),
            QStringLiteral("API_STOPPING"),
            {},
            {}};
}

// Whatever the channel says, for a caller it comes to the same; the cause goes to the log.
Error unreachable(const Error& cause, machines::Channel channel)
{
    qCDebug(lcEdge) << "cannot reach a box's" << (channel == machines::Channel::Agent ? "agent:" : "screen:")
                    << cause.reason;
    if (channel == machines::Channel::Agent)
        return {ErrorCode::Unavailable,
                QStringLiteral("The box runs, but its agent does not answer: it may be starting. Try again in a "
                               "moment; if it stays, hibernate and wake the box."),
                QStringLiteral("AGENT_UNREACHABLE"),
                cause.reason,
                {}};
    return {ErrorCode::Unavailable,
            QStringLiteral("The box's screen cannot be reached: its X server is starting or restarting. Try again in a "
                           "moment."),
            QStringLiteral("SCREEN_UNREACHABLE"),
            cause.reason,
            {}};
}

} // namespace

// Counts a user's live calls for as long as it lives.
class Switchboard::UserSlot {
public:
    // A stream may outlive the switchboard by the rest of a turn, and so the counts.
    UserSlot(std::shared_ptr<StreamCounts> counts, QString userId)
        : m_counts(std::move(counts)), m_userId(std::move(userId))
    {
        ++(*m_counts)[m_userId];
    }
    ~UserSlot()
    {
        const auto count = m_counts->find(m_userId);
        if (--*count == 0) m_counts->erase(count);
    }
    UserSlot(const UserSlot&) = delete;

private:
    std::shared_ptr<StreamCounts> m_counts;
    QString m_userId;
};

Switchboard::Switchboard(Loop& loop, SwitchboardLimits limits, Gate gate, CredentialCache credentials,
                         std::unique_ptr<Listener> listener, Upstreams::Dialer control)
    : m_loop(loop), m_limits(limits), m_gate(std::move(gate)), m_credentials(std::move(credentials)),
      m_upstreams(loop, m_buffer, limits.boxSilenceMax, std::move(control)), m_listener(std::move(listener)),
      m_check(loop.after(limits.greetingLimit / 2, [this] { checkClients(); }))
{
    m_listener->start(m_loop, *this);
}

Switchboard::~Switchboard()
{
    m_loop.cancel(m_check);
    m_listener->stop();
    while (!m_clients.empty())
        m_clients.begin()->second->close(); // removes itself
}

void Switchboard::stopTaking()
{
    m_takesCalls = false;
    m_listener->stop();
    for (const auto& [key, connection] : m_clients)
        connection->goAway();
}

void Switchboard::endCalls()
{
    for (const auto& [key, connection] : m_clients)
        connection->endAll(apiStopping());
}

bool Switchboard::isIdle() const
{
    return std::ranges::all_of(m_clients, [](const auto& entry) { return entry.second->streamCount() == 0; });
}

void Switchboard::onAccepted(std::unique_ptr<Transport> transport)
{
    // Over the limit: closed at once, before any of its bytes is read.
    if (m_clients.size() >= m_limits.connectionsMax) return;
    auto connection =
        std::make_shared<ClientConnection>(m_loop, m_buffer, std::move(transport), static_cast<CallOpener&>(*this));
    ClientConnection* key = connection.get();
    m_clients.emplace(key, std::move(connection));
}

void Switchboard::onClientLost(ClientConnection& connection)
{
    const auto found = m_clients.find(&connection);
    if (found == m_clients.end()) return;
    m_loop.dispose(std::move(found->second));
    m_clients.erase(found);
}

void Switchboard::checkClients()
{
    m_check = m_loop.after(m_limits.greetingLimit / 2, [this] { checkClients(); });
    const Loop::TimePoint now = std::chrono::steady_clock::now();
    std::vector<std::shared_ptr<ClientConnection>> silent;
    for (const auto& [key, connection] : m_clients) {
        if (connection->streamCount() > 0) continue;
        const auto silence = now - connection->lastReadAt();
        if (silence > kClientIdleMax || (!connection->hasGreeted() && silence > m_limits.greetingLimit))
            silent.push_back(connection);
    }
    for (const auto& connection : silent)
        connection->close();
}

std::unique_ptr<Call> Switchboard::open(ClientStream& stream, HeaderBlock request)
{
    const Destination destination = destinationOf(request.find(":path"));
    if (destination == Destination::Control) return openControl(stream, request);
    return openBox(stream, request, destination);
}

std::unique_ptr<Call> Switchboard::openControl(ClientStream& stream, const HeaderBlock& request)
{
    auto call = std::make_unique<RelayCall>(
        stream, requestFor(request, "api", Authorization::Keep),
        [this]() -> Result<UpstreamConnection*> {
            Result<UpstreamConnection*> found = m_upstreams.control();
            if (!found) return std::unexpected(apiStopping());
            return found;
        },
        [&stream](HeaderBlock& headers) { addTimeout(headers, stream.deadline()); }, std::chrono::steady_clock::now());
    call->connect();
    return call;
}

std::unique_ptr<Call> Switchboard::openBox(ClientStream& stream, const HeaderBlock& request, Destination destination)
{
    Result<Admission> admission = m_gate.admit(destination, request.find(kAuthorization), request.find(kBoxHeader));
    if (!admission) {
        stream.fail(admission.error());
        return nullptr;
    }
    if (m_streamsOfUser->value(admission->userId) >= m_limits.streamsPerUser) {
        stream.fail({ErrorCode::ResourceExhausted,
                     QStringLiteral("You have %1 calls to boxes open, which is the limit. End some of them.")
                         .arg(m_limits.streamsPerUser),
                     QStringLiteral("STREAM_LIMIT"),
                     {},
                     {}});
        return nullptr;
    }
    stream.keep(std::make_shared<UserSlot>(m_streamsOfUser, admission->userId));
    if (destination == Destination::Screen) return openScreen(stream, *std::move(admission));
    return openAgent(stream, request, *std::move(admission));
}

std::unique_ptr<Call> Switchboard::openAgent(ClientStream& stream, const HeaderBlock& request, Admission admission)
{
    // Shared by the two lambdas: the credential must be for the wake that was dialled.
    const auto target = std::make_shared<Admission>(std::move(admission));
    auto find = [this, target]() -> Result<UpstreamConnection*> {
        TRY_ASSIGN(target->route, m_gate.routeAgain(*target));
        Result<UpstreamConnection*> found = m_upstreams.agent(target->route);
        if (!found) return std::unexpected(unreachable(found.error(), machines::Channel::Agent));
        return found;
    };
    auto complete = [this, target, &stream](HeaderBlock& headers) {
        headers.add(crypto::kCredentialHeader, m_credentials.credentialFor(target->route));
        addTimeout(headers, stream.deadline());
    };
    auto call = std::make_unique<RelayCall>(stream, requestFor(request, "box", Authorization::Strip), std::move(find),
                                            std::move(complete), std::chrono::steady_clock::now() + m_limits.dialLimit);
    call->connect();
    return call;
}

std::unique_ptr<Call> Switchboard::openScreen(ClientStream& stream, Admission admission)
{
    auto dial = [this, admission = std::move(admission)]() -> Result<int> {
        TRY_ASSIGN(const boxes::Route route, m_gate.routeAgain(admission));
        Result<int> dialled = route.endpoint.dial(machines::Channel::Screen);
        if (!dialled) return std::unexpected(unreachable(dialled.error(), machines::Channel::Screen));
        return dialled;
    };
    auto call = std::make_unique<ScreenCall>(stream, m_buffer, std::move(dial),
                                             std::chrono::steady_clock::now() + m_limits.dialLimit);
    call->connect();
    return call;
}

} // namespace cocoonbox::api::edge
